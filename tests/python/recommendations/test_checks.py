"""Tier 1 and tier 3 of one recommendation: sound ones pass, each way to break one is caught."""

import json
import time

import pytest
from click.testing import CliRunner

from python_llm.console.cli import main
from python_llm.recommendations.checks.tiers import CHECKS, read
from python_llm.recommendations.checks.verdicts import passed
from python_llm.recommendations.schema import Patient


def failed(checker, recommendation, patient):
    verdicts = checker.tier1(json.dumps(recommendation), patient)
    return {check for check, fine in passed(verdicts).items() if not fine}


def action(text, ref="E1"):
    return {"action": text, "evidence_refs": [ref]}


def test_every_golden_recommendation_passes(checker, golden, recommended):
    for case_id, case in golden.items():
        assert failed(checker, recommended(case_id), case.patient) == set(), case_id


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("severity", "grave"),
        ("problems", []),
        ("recommended_actions", []),
        ("when_to_escalate", "at once"),
        ("uncertainty", {"level": "low"}),
        ("confidence", 0.9),
    ],
)
def test_what_does_not_fit_the_schema_fails_everything(checker, golden, recommended, field, value):
    broken = recommended("chf_01")
    broken[field] = value
    assert failed(checker, broken, golden["chf_01"].patient) == set(CHECKS)


@pytest.mark.parametrize(
    ("field", "value", "is_named"),
    [
        ("severity", "severe", True),
        ("uncertainty", "low", True),
        ("confidence", 0.9, True),
        ("when_to_escalate", [{"trigger": "any", "action": "Call.", "urgency": "stat"}], True),
        ("recommended_actions", "Amoxicillin 1 g.", False),
    ],
)
def test_unsafe_is_said_beside_a_broken_form(checker, golden, recommended, field, value, is_named):
    broken = recommended("chf_01")
    ref = broken["evidence_table"][0]["ref"]
    order = {"action": "Give ibuprofen 600 mg three times a day.", "evidence_refs": [ref]}
    broken["recommended_actions"].append(order)
    broken[field] = value
    verdicts = checker.tier1(json.dumps(broken), golden["chf_01"].patient)
    unsafe = [v for v in verdicts if v.outcome == "unsafe" and "heart failure" in v.reason]
    assert bool(unsafe) is is_named
    assert not verdicts[0].passed


def test_a_broken_form_alone_is_not_unsafe(checker, golden, recommended):
    broken = recommended("chf_01")
    broken["severity"] = "severe"
    verdicts = checker.tier1(json.dumps(broken), golden["chf_01"].patient)
    assert {verdict.outcome for verdict in verdicts} == {"not_checkable"}


def test_a_missing_field_fails_and_is_named(checker, golden, recommended):
    broken = recommended("chf_01")
    del broken["differential"]
    (verdict, *_) = checker.tier1(json.dumps(broken), golden["chf_01"].patient)
    assert not verdict.passed
    assert "differential" in verdict.reason


def test_a_complaint_holds_no_value_of_the_patient(checker, golden, recommended):
    broken = recommended("chf_01")
    broken["patient_id"] = {"name": "Secret Person"}
    (verdict, *_) = checker.tier1(json.dumps(broken), golden["chf_01"].patient)
    assert "Secret" not in verdict.reason


@pytest.mark.parametrize(
    "breaking",
    [
        lambda r: r["recommended_actions"][0].update(evidence_refs=[]),
        lambda r: r["recommended_actions"][0].update(evidence_refs=["E99"]),
        lambda r: r["evidence_table"].clear(),
        lambda r: r["evidence_table"][3].update(document_id="hf_2031#9"),
        lambda r: r["evidence_table"][3].update(source_type="drug"),
        lambda r: r["evidence_table"].append(r["evidence_table"][0]),
    ],
)
def test_an_action_without_evidence_fails(checker, golden, recommended, breaking):
    broken = recommended("chf_01")
    breaking(broken)
    # what is left of the citations may not support the action either
    failing = failed(checker, broken, golden["chf_01"].patient) - {"citation_support"}
    assert failing == {"citation_grounding"}


@pytest.mark.parametrize(
    "text",
    [
        "Refer for colonoscopy.",
        "Start metformin for type 2 diabetes.",
        "Aspirate the effusion of the right knee.",
        "Follow the thyroid nodule with ultrasound.",
        "Begin consolidation chemotherapy.",
        "Start sertraline for depression.",
        "Repair the inguinal canal.",
        "Order CT of the abdomen for appendicitis.",
    ],
)
def test_an_action_outside_the_scope_fails(checker, golden, recommended, text):
    broken = recommended("chf_01")
    broken["recommended_actions"].append(action(text))
    assert "scope" in failed(checker, broken, golden["chf_01"].patient)


@pytest.mark.parametrize(
    "text",
    [
        "Drain the pleural effusion under ultrasound.",
        "Follow the lung nodule of 7 mm with CT in six months.",
        "An SGLT2 inhibitor, with or without diabetes.",
        "Admit to intensive care for cardiogenic shock.",
        "Treat consolidation of the right lower lobe with ceftriaxone.",
        "Check thyroid function before amiodarone for atrial fibrillation.",
        "Pulmonary rehabilitation within four weeks.",
    ],
)
def test_an_action_within_the_scope_passes(checker, text):
    assert checker.out_of_scope(text) is None


def test_a_medication_without_a_check_fails(checker, golden, recommended):
    broken = recommended("chf_01")
    broken["contraindications_checked"] = []
    assert failed(checker, broken, golden["chf_01"].patient) == {"contraindication_coverage"}
    one = recommended("chf_01")
    one["contraindications_checked"] = [
        entry
        for entry in one["contraindications_checked"]
        if "loop" not in entry["medication"] and "furosemide" not in entry["medication"]
    ]
    assert failed(checker, one, golden["chf_01"].patient) == {"contraindication_coverage"}


@pytest.mark.parametrize(
    ("case_id", "text", "medication"),
    [
        ("pneumonia_02", "Give amoxicillin 1 g.", "amoxicillin"),
        ("pneumonia_09", "Add azithromycin.", "azithromycin"),
        ("chf_05", "Start lisinopril.", "lisinopril"),
        ("chf_07", "Start bisoprolol.", "bisoprolol"),
        ("pe_05", "Start apixaban.", "apixaban"),
        ("pe_04", "Give alteplase.", "alteplase"),
        ("pe_06", "Start enoxaparin.", "enoxaparin"),
        ("mi_07", "Give nitroglycerin for chest pain.", "nitroglycerin"),
    ],
)
def test_what_the_patient_must_not_have_fails(
    checker, golden, recommended, case_id, text, medication
):
    broken = recommended(case_id)
    broken["recommended_actions"].append(action(text))
    broken["contraindications_checked"].append(
        {"medication": medication, "checked_against": "everything", "result": "none found"}
    )
    # what says that anticoagulation is contraindicated contradicts it, too
    checks = failed(checker, broken, golden[case_id].patient) - {"consistency"}
    assert checks == {"contraindication_coverage"}


def test_an_interaction_must_be_among_what_was_checked(checker, golden, recommended):
    recommendation = recommended("pneumonia_10")
    for entry in recommendation["contraindications_checked"]:
        if "macrolide" in entry["medication"] or "azithromycin" in entry["medication"]:
            entry["checked_against"] = "allergies"
    assert failed(checker, recommendation, golden["pneumonia_10"].patient) == {
        "contraindication_coverage"
    }


RED_FLAGS = {
    "troponin_chest_pain": {
        "labs": [{"name": "troponin", "value": 0.4, "unit": "ng/mL"}],
        "notes": ["Crushing chest pain since noon."],
    },
    "stemi": {"notes": ["ECG shows ST-segment elevation in V2 to V4."]},
    "massive_pe": {
        "notes": ["CT: saddle embolus."],
        "vitals": {"systolic_bp": 80.0},
    },
    "critical_potassium": {"labs": [{"name": "K", "value": 6.6, "unit": "mEq/L"}]},
    "severe_acidemia": {"labs": [{"name": "pH", "value": 7.19}]},
}


@pytest.mark.parametrize("flag", RED_FLAGS)
def test_an_injected_red_flag_must_be_escalated(
    checker, golden, recommender, recommended, flag, without_calls
):
    calm = golden["copd_06"].patient.model_dump()
    for field, value in RED_FLAGS[flag].items():
        calm[field] = {**calm[field], **value} if isinstance(value, dict) else calm[field] + value
    patient = Patient.model_validate(calm)
    assert flag in checker.red_flags(checker.knowledge.findings(patient))
    assert failed(checker, recommended("copd_06"), patient) == {"safety_recall"}
    made, _ = recommender.recommend(patient)
    good = json.loads(made.model_dump_json())
    assert failed(checker, good, patient) == set()
    for breaking in (
        lambda r: r["when_to_escalate"].clear(),
        lambda r: [e.update(urgency="routine") for e in r["when_to_escalate"]],
        lambda r: [
            e.update(action="Review in clinic in six weeks.") for e in r["when_to_escalate"]
        ],
        lambda r: [e.update(trigger="if worse") for e in r["when_to_escalate"]],
    ):
        broken = without_calls(json.loads(json.dumps(good)))
        breaking(broken)
        # an emergency that is sent to a clinic is put off, too
        assert failed(checker, broken, patient) - {"timeliness"} == {"safety_recall"}


@pytest.mark.parametrize(
    ("changes", "flags"),
    [
        ({"labs": [{"name": "potassium", "value": 6.5}]}, []),
        ({"labs": [{"name": "ph", "value": 7.2}]}, []),
        ({"notes": ["Denies chest pain. No ST elevation."]}, []),
        ({"notes": ["Father had a STEMI. History of pulmonary embolism."]}, []),
        ({"notes": ["STEMI two years ago."]}, []),
        ({"notes": ["NSTEMI was suspected: non-ST elevation."]}, []),
        ({"labs": [{"name": "potassium", "value": 7.0}]}, ["critical_potassium"]),
        ({"notes": ["Blood gas: K+ 6.9, pH 7.12."]}, ["critical_potassium", "severe_acidemia"]),
        ({"notes": ["Pleural fluid pH 7.1. Last month potassium was 6.9."]}, []),
    ],
)
def test_red_flags_are_what_is_asserted_now(checker, changes, flags):
    patient = Patient(patient_id="p", age=60, sex="female", **changes)
    assert checker.red_flags(checker.knowledge.findings(patient)) == flags


def test_without_a_patient_safety_is_not_taken_for_granted(checker, recommended):
    assert failed(checker, recommended("chf_03"), None) == {"safety_recall"}


def test_a_recommendation_for_another_patient_fails(checker, golden, recommended):
    assert "safety_recall" in failed(checker, recommended("chf_03"), golden["chf_04"].patient)


def test_what_an_author_expects_counts_whatever_seeds_say(checker, golden, recommended):
    text = json.dumps(recommended("chf_04"))
    patient = golden["chf_04"].patient
    verdicts = checker.tier1(text, patient, ["critical_potassium"])
    assert {v.item for v in verdicts if not v.passed} == {"critical_potassium"}
    (verdict,) = checker.adherence(read(text), checker.knowledge.findings(patient), ["hf_diuretic"])
    assert (verdict.item, verdict.passed) == ("hf_diuretic", False)
    assert checker.adherence(read(text), checker.knowledge.findings(patient), []) == []


@pytest.mark.parametrize("stages", [{}, {"retrieve": 501}, {"dream": 1}])
def test_a_slow_or_untimed_stage_fails(checker, golden, recommended, stages):
    broken = recommended("chf_01")
    broken["stage_ms"] = stages
    assert failed(checker, broken, golden["chf_01"].patient) == {"latency"}


def test_one_check_takes_less_than_fifty_milliseconds(checker, golden, recommended):
    texts = [(json.dumps(recommended(name)), golden[name].patient) for name in list(golden)[:20]]
    began = time.process_time()
    for text, patient in texts:
        checker.tier1(text, patient)
    assert (time.process_time() - began) / len(texts) < 0.05


@pytest.mark.parametrize(
    ("text", "recommends"),
    [
        ("Start furosemide 40 mg IV.", True),
        ("IV diuresis with close monitoring.", True),
        ("Do not delay diuretics.", True),
        ("Avoid fluids and give bumetanide.", True),
        ("Loop diuretics are not contraindicated.", True),
        ("No diuretics.", False),
        ("No fluids, nitrates or diuretics.", False),
        ("Diuretics should be avoided.", False),
        ("Diuretics should not be given today.", False),
        ("Hold furosemide.", False),
        ("Ultrafiltration rather than diuretics.", False),
        ("Furosemide is contraindicated.", False),
        ("No need for diuresis, give oxygen.", False),
    ],
)
def test_phrases_and_negated_actions(checker, golden, recommended, text, recommends):
    recommendation = recommended("chf_02")
    recommendation["recommended_actions"] = [action(text)]
    recommendation["when_to_escalate"] = []
    findings = checker.knowledge.findings(golden["chf_02"].patient)
    verdicts = checker.adherence(read(json.dumps(recommendation)), findings)
    assert {v.item: v.passed for v in verdicts} == {"hf_diuretic": recommends}


def test_the_command_says_what_is_wrong_and_exits_with_one(tmp_path, golden, recommended):
    recommendation = recommended("pe_03")
    file = tmp_path / "recommendation.json"
    file.write_text(json.dumps(recommendation))
    done = CliRunner().invoke(main, ["check", str(file), "--case", "pe_03", "--no-keep"])
    assert done.exit_code == 0, done.output
    recommendation["when_to_escalate"] = []
    patient = golden["pe_03"].patient.model_dump()
    file.write_text(json.dumps({"recommendation": recommendation, "patient": patient}))
    done = CliRunner().invoke(main, ["check", str(file), "--no-keep"])
    assert done.exit_code == 1
    assert "massive pulmonary embolism is not escalated" in done.output
    assert "fail  safety_recall" in done.output
    assert "pass  scope" in done.output


@pytest.mark.parametrize(
    ("content", "says"),
    [
        ("{", "line 1: not JSON"),
        ("[]", "not a JSON object"),
        ('{"recommendation": {}, "patient": {"age": 50}}', "patient_id: Field required"),
        (
            '{"recommendation": {}, "patient": {"patient_id": "p", "age": 50, "sex": "male", '
            '"labs": [{"name": "potassium", "value": 7, "unit": "furlongs"}]}}',
            "furlongs",
        ),
    ],
)
def test_a_file_that_cannot_be_checked_is_one_clear_error(tmp_path, recommended, content, says):
    file = tmp_path / "recommendation.json"
    if '"recommendation": {}' in content:
        content = content.replace(
            '"recommendation": {}',
            json.dumps(recommended("pe_03")).join(('"recommendation": ', "")),
        )
    file.write_text(content)
    done = CliRunner().invoke(main, ["check", str(file), "--no-keep"])
    assert done.exit_code == 1
    assert says in done.output
    assert "Traceback" not in done.output


def test_one_escalation_at_once_is_enough_for_a_red_flag(checker, golden, recommended):
    twice, patient = recommended("mi_01"), golden["mi_01"].patient
    assert checker.red_flags(checker.knowledge.findings(patient))
    twice["when_to_escalate"] += [{**e, "urgency": "routine"} for e in twice["when_to_escalate"]]
    assert failed(checker, twice, patient) == set()


def test_who_is_called_is_known_in_spanish_and_said_in_words(checker, golden, recommended):
    calling = recommended("mi_01")
    for escalation in calling["when_to_escalate"]:
        escalation["action"] = "Activar el código infarto."
    made, patient = read(json.dumps(calling)), golden["mi_01"].patient
    findings = checker.knowledge.findings(patient)
    assert all(verdict.passed for verdict in checker.safety(made, findings))
    for escalation in calling["when_to_escalate"]:
        escalation["action"] = "Dar un vaso de agua."
    reasons = {v.item: v.reason for v in checker.safety(read(json.dumps(calling)), findings)}
    assert reasons["stemi"].endswith("is escalated, but not by cath lab or emergency escalation")


def test_what_a_patient_must_not_have_no_rule_asks_for(checker, recommended):
    broken = recommended("chf_01")
    broken["when_to_escalate"] = []
    broken["recommended_actions"] = [action("Start bisoprolol 1.25 mg daily.")]
    made = read(json.dumps(broken))

    def verdict(*also):
        findings = {"chf", "reduced_ef", *also}
        return {v.item: v.passed for v in checker.adherence(made, findings)}["hf_gdmt"]

    assert not verdict()
    assert verdict("raas_contraindicated")


def test_a_word_with_cues_of_two_meanings_stays_in_scope(checker):
    assert checker.out_of_scope("Embolism of the lung, none cerebral: anticoagulate.") is None
    assert checker.out_of_scope("Cerebral embolism: anticoagulate.") is not None
