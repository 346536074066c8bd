"""`kernel29 recommend` and `kernel29 check`: nothing that failed is shown as if it had passed."""

import json
from datetime import UTC, datetime, timedelta

import pytest
from click.testing import CliRunner

from python_llm import paths
from python_llm.console.cli import main
from python_llm.recommendations import command
from python_llm.recommendations.checks.verdicts import Outcome, Verdict, outcome_of
from python_llm.recommendations.interchange import documents, submitted
from python_llm.recommendations.kept import read_checks, report
from python_llm.recommendations.schema import Patient

PATIENT = {
    "id": "mrn-77",
    "age": 71,
    "gender": "M",
    "diagnoses": ["heart failure"],
    "meds": [{"name": "apixaban", "dose": "5 mg"}],
    "allergies": [{"substance": "penicillin", "reaction": "anaphylaxis"}],
    "labs": {"hs-cTnT": "88 ng/L", "K": {"value": 4.1, "unit": "mmol/L"}},
    "notes": "Short of breath, no chest pain.",
}
FOREIGN = {
    "system": "ward_assistant",
    "recommendation": {"actions": ["Start enoxaparin 1 mg/kg.", {"text": "Give amoxicillin 1 g."}]},
    "patient": PATIENT,
}


@pytest.fixture
def run(tmp_path, monkeypatch):
    monkeypatch.setenv("KERNEL29_DATA_DIR", str(tmp_path / "data"))

    def invoke(*arguments):
        return CliRunner().invoke(main, [str(argument) for argument in arguments])

    return invoke


def test_failures_stand_on_top_of_what_failed(run, tmp_path, golden):
    sick = golden["chf_01"].patient.model_dump()
    sick["allergies"] = ["zanthropine"]
    file = tmp_path / "patient.json"
    file.write_text(json.dumps(sick))
    done = run("recommend", file)
    assert done.exit_code == 3
    assert json.loads(done.stdout)["outcome"] == "not_checkable"
    shown = json.loads(done.stdout)
    assert list(shown)[:2] == ["may_be_shown", "failures"]
    assert shown["may_be_shown"] is False
    assert any("not checked" in failure for failure in shown["failures"])
    fine = json.loads(run("recommend", "chf_01").stdout)
    assert [f for f in fine["failures"] if not f.startswith("latency")] == []


def test_another_system_is_checked_as_far_as_it_goes(run, tmp_path):
    file = tmp_path / "foreign.json"
    file.write_text(json.dumps(FOREIGN))
    done = run("check", file)
    assert done.exit_code == 1
    assert "a second anticoagulant" in done.output
    assert "allergy to penicillin" in done.output
    assert "not in the project's form" in done.output
    schema = json.loads(run("check", "--schema").output)
    assert {"recommendation", "patient"} <= schema["properties"].keys()


def test_another_system_s_whole_file_may_be_shown(run, tmp_path):
    patient = {
        **{"id": "x1", "age": 54, "sex": "female", "conditions": [], "medications": []},
        **{"allergies": [], "vitals": {"systolic_bp": 128, "heart_rate": 88, "spo2": 96}},
        "labs": [
            {"name": "eGFR", "value": 90, "unit": "mL/min"},
            {"name": "hemoglobin", "value": 13.2, "unit": "g/dL"},
            {"name": "platelets", "value": 240, "unit": "10^9/L"},
        ],
        "notes": ["Low-risk pulmonary embolism on CT today, troponin negative. Not pregnant."],
    }
    actions = [
        {
            "text": "Give apixaban 10 mg twice daily for 7 days, then 5 mg.",
            "citations": ["pe_2019#1"],
        },
        {"text": "Review in the clinic in 3 months.", "citations": ["patient/notes"]},
    ]
    whole = {
        **{"actions": actions, "severity": "moderate", "stage_ms": {"generate": 900}},
        "uncertainty": {"level": "low", "reason": "CT shows it"},
        "differential": ["pulmonary embolism", "pneumonia"],
        "contraindications_checked": ["apixaban: allergies: none found"],
    }
    file = tmp_path / "foreign.json"
    file.write_text(json.dumps({"patient": patient, "recommendation": whole}))
    done = run("check", file)
    failures = [line for line in done.output.splitlines() if line.startswith("fail")]
    assert [line for line in failures if "latency" not in line] == []
    for field in ("severity", "differential", "stage_ms"):
        part = {name: value for name, value in whole.items() if name != field}
        file.write_text(json.dumps({"patient": patient, "recommendation": part}))
        assert run("check", file).exit_code == 3, field


def test_what_is_only_incomplete_is_told_from_what_is_unsafe(run, tmp_path):
    file = tmp_path / "inbox.json"
    patient = {"id": "p", "age": 58, "sex": "male", "notes": ["Pneumonia, CURB-65 of 1."]}
    safe = {"patient": patient, "recommendation": {"actions": ["Give amoxicillin 1 g."]}}
    file.write_text(json.dumps(safe))
    done = run("check", file, "--no-keep")
    assert done.exit_code == 3
    assert "nothing unsafe was found" in done.output
    assert "unsafe: " not in done.output
    allergic = {**safe, "patient": {**patient, "allergies": ["amoxicillin"]}}
    file.write_text(json.dumps([safe, allergic]))
    many = run("check", file, "--no-keep")
    assert many.exit_code == 1
    assert many.output.index("UNSAFE  inbox.json, 2") < many.output.index("NOT CHECKABLE  inbox")
    rows = json.loads(run("check", file, "--no-keep", "--json").output)
    assert [row["outcome"] for row in rows] == ["not_checkable", "unsafe"]


@pytest.mark.parametrize(
    ("action", "refs", "check", "outcome"),
    [
        ("Obtain an echocardiogram.", [], "citation_grounding", "not_checkable"),
        ("Obtain an echocardiogram.", ["E99"], "citation_grounding", "unsafe"),
        ("Replace the knee.", ["E1"], "scope", "not_checkable"),
        ("Give zorplexin 5 mg.", ["E1"], "contraindication_coverage", "not_checkable"),
        ("Give naloxone 0.4 mg.", ["E1"], "contraindication_coverage", "not_checkable"),
        ("Give apixaban 50 mg.", ["E1"], "contraindication_coverage", "unsafe"),
    ],
)
def test_a_failure_is_unsafe_or_not_checkable(
    checker, recommended, golden, action, refs, check, outcome
):
    document = recommended("pe_01")
    document["recommended_actions"] = [{"action": action, "evidence_refs": refs}]
    verdicts = checker.tier1(json.dumps(document), golden["pe_01"].patient)
    assert outcome_of(verdict for verdict in verdicts if verdict.check == check) == outcome


def test_the_words_of_a_reason_decide_nothing():
    reason = "not understood as an order: “Hm”"
    assert [Verdict("scope", outcome, reason).outcome for outcome in Outcome] == list(Outcome)


def test_a_check_kept_by_an_earlier_version_is_read(tmp_path):
    now = datetime(2026, 11, 24, 12, tzinfo=UTC)
    verdicts = (Verdict("scope", Outcome.UNSAFE, "not understood as an order: “Hm”"),)
    command.keep([command.Checked("a", "", "r", "m", "p", verdicts, 1.0)], tmp_path, now)
    (file,) = tmp_path.iterdir()
    row = json.loads(file.read_text())
    del row["outcome"]
    file.write_text(json.dumps(row))
    assert read_checks(tmp_path).to_pylist()[0]["outcome"] == "unsafe"


def test_a_field_that_is_not_read_is_told(run, tmp_path):
    file = tmp_path / "foreign.json"
    file.write_text(json.dumps({**FOREIGN, "patient": {**PATIENT, "alerts": ["latex"]}}))
    assert "the field 'alerts' of the patient is not read" in run("check", file).output


def test_many_are_checked_and_kept_without_words_of_the_patient(run, tmp_path, recommended, golden):
    good = {"recommendation": recommended("pe_01"), "patient": golden["pe_01"].patient.model_dump()}
    folder = tmp_path / "inbox"
    folder.mkdir()
    (folder / "a.jsonl").write_text(f"{json.dumps(good)}\n{json.dumps(FOREIGN)}\n")
    (folder / "b.json").write_text("{")
    done = run("check", folder)
    assert done.exit_code == 1
    assert "1 of 3 may be shown, 1 unsafe, 1 not checkable" in done.output
    order = [done.output.index(word) for word in ("UNSAFE  ", "NOT CHECKABLE  ", "pass  ")]
    assert order == sorted(order)
    (kept,) = (tmp_path / "data" / "checks").glob("*.jsonl")
    rows = [json.loads(line) for line in kept.read_text().splitlines()]
    assert {row["may_be_shown"] for row in rows} == {True, False}
    assert {row["system"] for row in rows} == {"", "ward_assistant"}
    outcomes = {row["check_name"]: row["outcome"] for row in rows if row["system"]}
    assert outcomes["contraindication_coverage"] == "unsafe"
    assert outcomes["schema"] == "not_checkable"
    text = kept.read_text()
    assert "Short of breath" not in text
    assert "mrn-77" not in text
    assert run("check", folder, "--no-keep").exit_code == 1
    assert kept.read_text() == text


def test_checks_are_kept_once_each(tmp_path):
    now = datetime(2026, 11, 24, 12, tzinfo=UTC)
    row = command.Checked("a", "", "r", "m", "p", (Verdict("scope", Outcome.PASSED, ""),), 1.0)
    command.keep([row, row], tmp_path, now)
    rows = [json.loads(line) for line in (tmp_path / "2026-11-24.jsonl").read_text().splitlines()]
    assert len({row["check_id"] for row in rows}) == 2


@pytest.mark.parametrize("text", ["[]", "[1]", "{", '{"a": 1}\n{'])
def test_what_is_no_object_is_refused(text):
    with pytest.raises(ValueError, match="line"):
        list(documents(text))


def test_a_patient_without_an_id_is_named_as_such():
    made = submitted({"recommendation": "Give aspirin.", "patient": {"age": 50}})
    assert json.loads(made.recommendation)["patient_id"] == "unknown"
    assert json.loads(made.patient) == {"age": 50}


def test_plain_text_is_a_list_of_actions():
    made = submitted({"recommendation": "Give aspirin.\nCall the attending.", "patient": PATIENT})
    actions = json.loads(made.recommendation)["recommended_actions"]
    assert [action["action"] for action in actions] == ["Give aspirin.", "Call the attending."]


def test_the_checks_of_the_last_day_are_reported_by_system(run, tmp_path):
    assert "nothing was checked" in run("check", "--last", "24").output
    file = tmp_path / "foreign.json"
    file.write_text(json.dumps(FOREIGN))
    run("check", file)
    done = run("check", "--last", "24")
    assert done.exit_code == 0
    assert "1 checked, 1 must not be shown: 1 unsafe, 0 not checkable" in done.output
    assert "1 x contraindication_coverage: " in done.output
    later = report(tmp_path / "data/checks", datetime.now(UTC) + timedelta(hours=25), 24)
    assert later == "nothing was checked in the last 24 hours"


def test_an_unknown_drug_is_told_once(run, tmp_path):
    file = tmp_path / "unknown.json"
    patient = {
        "patient_id": "p",
        "age": 70,
        "sex": "male",
        "notes": ["On haemodialysis, community-acquired pneumonia."],
    }
    actions = ["Start zzzatinib 5 mg.", "Repeat zzzatinib 5 mg weekly.", "Give amoxicillin 1 g."]
    allergic = {**patient, "allergies": ["amoxicillin"]}
    file.write_text(json.dumps({"patient": allergic, "recommendation": actions}))
    output = run("check", file, "--no-keep").output
    assert output.count("not checked") == output.count("not in the knowledge base") == 1
    assert "amoxicillin: recommended in spite of allergy to amoxicillin" in output
    assert "allergy to amoxicillin: recommended" not in output


def test_the_example_of_the_docs_is_checked_as_they_say(run, tmp_path):
    docs = (paths.project_root() / "docs/recommendations.md").read_text()
    file = tmp_path / "inbox.json"
    file.write_text(docs.partition("```json\n")[2].partition("```")[0])
    output = run("check", file, "--no-keep").output
    failed = {line.split()[1] for line in output.splitlines() if line.startswith("fail")}
    assert failed == {"schema", "citation_grounding", "contraindication_coverage"}
    assert "amoxicillin: recommended in spite of penicillin allergy" in output
    assert "action 2: it names no evidence" in output


def test_vital_signs_written_as_texts_are_numbers():
    document = {
        "patient": {
            "id": "p",
            "age": 67,
            "sex": "F",
            "vitals": {"BP": "84/50 mmHg", "HR": "126", "SpO2": "86 %", "RR": "fast"},
        },
        "recommendation": ["Give oxygen."],
    }
    vitals = json.loads(submitted(document).patient)["vitals"]
    assert vitals == {
        "systolic_bp": 84.0,
        "diastolic_bp": 50.0,
        "HR": 126.0,
        "SpO2": 86.0,
        "RR": "fast",
    }


def test_a_fhir_bundle_is_refused_by_name():
    assert "a FHIR Bundle is not read" in submitted({"resourceType": "Bundle", "entry": []}).lacks


def test_what_is_done_at_once_among_actions_is_an_escalation(checker):
    patient = {"id": "p", "age": 61, "sex": "male", "notes": "ST elevation in V2 to V4, pain."}
    for first, is_escalated in (("Activate the cath lab now.", True), ("Cath lab.", False)):
        document = {"recommendation": {"actions": [first, "Aspirin 300 mg."]}, "patient": patient}
        taken = submitted(document)
        verdicts = checker.tier1(taken.recommendation, Patient.model_validate_json(taken.patient))
        missed = [v for v in verdicts if v.item == "stemi" and not v.passed]
        assert bool(missed) != is_escalated


@pytest.mark.parametrize(
    ("check", "drug", "against"),
    [
        ("furosemide: allergies, potassium", "furosemide", "allergies, potassium"),
        ("Furosemida: alergias y potasio", "Furosemida", "alergias y potasio"),
        ("apixaban (allergies; bleeding)", "apixaban", "allergies; bleeding"),
        ("aspirin - allergy, bleeding", "aspirin", "allergy, bleeding"),
        ("ramipril checked for allergies", "ramipril", "allergies"),
        ("salbutamol", "salbutamol", "salbutamol"),
        ({"drug": "apixaban", "against": ["bleeding", "age"]}, "apixaban", "bleeding age"),
    ],
)
def test_a_check_of_another_system_names_its_drug(check, drug, against):
    document = {
        "patient": {"id": "p", "age": 50, "sex": "male"},
        "recommendation": {"actions": ["Rest."], "contraindications_checked": [check]},
    }
    (row,) = json.loads(submitted(document).recommendation)["contraindications_checked"]
    assert (row["medication"], row["checked_against"]) == (drug, against)


def test_a_drug_without_its_check_is_still_held(checker):
    document = {
        "patient": {"id": "p", "age": 50, "sex": "male", "notes": ["Hypertension."]},
        "recommendation": {
            "actions": ["Amlodipine 5 mg daily.", "Ramipril 5 mg daily."],
            "contraindications_checked": ["amlodipine: allergies, blood pressure"],
        },
    }
    given = submitted(document)
    patient = Patient.model_validate_json(given.patient)
    held = [v.item for v in checker.tier1(given.recommendation, patient) if "without" in v.reason]
    assert held == ["ramipril"]


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("patient", "a man of 70"),
        ("patient.vitals", [1]),
        ("patient.vitals", 1),
        ("patient.labs", "troponin 88"),
        ("patient.allergies", [["penicillin"]]),
        ("patient.allergies", [None]),
        ("patient.allergies", {"penicillin": "rash"}),
        ("patient.allergies", [{"severity": "high"}]),
        ("patient.meds", [{"name": {"text": "apixaban"}}]),
        ("patient.notes", 5),
        ("patient.age", [71]),
        ("patient.sex", {"code": "M"}),
        ("recommendation", 5),
        ("recommendation.actions", [["Rest."]]),
        ("recommendation.actions", [{"text": "Rest.", "citations": 5}]),
        ("recommendation.problems", {"a": 1}),
        ("system", ["a"]),
    ],
)
def test_a_field_of_another_type_is_named(field, value):
    document = json.loads(json.dumps(FOREIGN))
    *above, name = field.split(".")
    (document[above[0]] if above else document)[name] = value
    with pytest.raises(ValueError, match=rf"\b{name}(?:, entry 1)?[,:].* give "):
        submitted(document)


def test_what_is_too_long_or_twice_is_refused(tmp_path):
    file = tmp_path / "a.json"
    for patient, words in (
        ({**PATIENT, "notes": ["Well. " * 200_000]}, "at most 1,000,000"),
        ({**PATIENT, "vitals": [1]}, "a.json: patient.vitals: give an object"),
    ):
        file.write_text(json.dumps({**FOREIGN, "patient": patient}))
        with pytest.raises(command.CheckError, match=words):
            command.check_all(file, None, None)
    twice = json.dumps(FOREIGN).replace('"gender"', '"allergies": [], "gender"')
    file.write_text(twice)
    with pytest.raises(command.CheckError, match="'allergies' is there twice"):
        command.check_all(file, None, None)
