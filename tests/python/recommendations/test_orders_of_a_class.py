"""The order of a class is one of each drug that it may mean; what a check concludes, and what every
field says, is understood or refused."""

import json

import pytest
from click.testing import CliRunner

from python_llm.console.cli import main
from python_llm.recommendations.command import CheckError, read_patient
from python_llm.recommendations.interchange import submitted
from python_llm.recommendations.schema import Patient

CLASS, ALLERGIC = "names no drug of the class, and the patient is allergic to", "severe allergy to"


@pytest.fixture
def run_check(tmp_path):
    def told(document):
        file = tmp_path / "one.json"
        file.write_text(json.dumps(document))
        return CliRunner().invoke(main, ["check", str(file), "--no-keep"]).output

    return told


def against(knowledge, text, **facts):
    """What speaks against an order, as seriousness and reason."""
    patient = Patient.model_validate({"patient_id": "p", "age": 60, "sex": "female", **facts})
    problems = knowledge.book.problems([text], knowledge.findings(patient))
    return {(problem.seriousness, problem.against) for problem in problems}


@pytest.mark.parametrize(
    ("allergy", "order", "allergen"),
    [
        ("alteplase", "Give systemic thrombolysis now.", "alteplase"),
        ("alteplasa", "Administrar trombolisis sistémica ya.", "alteplase"),
        ("atenolol: rash", "Start a beta blocker.", "atenolol"),
        ("atenolol", "Iniciar un betabloqueante.", "atenolol"),
        ("apixaban", "Start a direct oral anticoagulant.", "apixaban"),
        ("morphine", "Give an opioid for the pain.", "morphine"),
        ("prednisone", "Give a systemic corticosteroid.", "prednisone"),
        ("anaphylaxis to amoxicillin", "Give antibiotics now.", "amoxicillin"),
    ],
)
def test_a_class_is_held_for_an_allergy_to_a_drug_of_it(knowledge, allergy, order, allergen):
    assert ("not_checked", f"it {CLASS} {allergen}") in against(
        knowledge, order, allergies=[allergy]
    )


@pytest.mark.parametrize(
    "record",
    [
        {"allergies": ["anaphylaxis to alteplase"]},
        {"allergies": ["alteplasa (anafilaxia)"]},
        {"notes": ["Allergic to alteplase: anaphylaxis."]},
    ],
)
def test_a_severe_allergy_to_a_drug_forbids_its_class(knowledge, record):
    found = against(knowledge, "Give systemic thrombolysis now.", **record)
    assert ("absolute", f"{ALLERGIC} alteplase, which is of this class") in found


@pytest.mark.parametrize(
    ("allergy", "order"),
    [
        ("enoxaparin", "Start low-molecular-weight heparin."),
        ("enoxaparin", "Start heparin."),
        ("amoxicillin", "Give penicillin."),
        ("amoxicillin", "Give a cephalosporin."),
        ("ceftriaxone", "Give a carbapenem."),
        ("iohexol", "Give iodinated contrast."),
        ("ramipril", "Iniciar un IECA."),
    ],
)
def test_a_class_is_unsafe_where_allergies_cross(knowledge, allergy, order):
    assert "absolute" in {kind for kind, _ in against(knowledge, order, allergies=[allergy])}


@pytest.mark.parametrize(
    ("order", "facts"),
    [
        # what forbids each drug of a class, where no rule of the class says it
        ("Start a mineralocorticoid antagonist.", {"labs": [("potassium", 6.2)]}),
        ("Give a cardiac glycoside.", {"notes": ["Ventricular tachycardia on the monitor."]}),
        ("Give a carbapenem.", {"allergies": ["cefazolin"]}),
    ],
)
def test_what_forbids_each_drug_forbids_the_class(knowledge, order, facts):
    if "labs" in facts:
        facts = {"labs": [{"name": name, "value": value} for name, value in facts["labs"]]}
    assert "absolute" in {kind for kind, _ in against(knowledge, order, **facts)}


@pytest.mark.parametrize(
    ("order", "facts"),
    [
        ("Start a beta blocker such as bisoprolol.", {"allergies": ["atenolol"]}),
        ("Give antibiotics now, but no penicillin.", {"allergies": ["penicillin"]}),
        (
            "Continue the beta blocker.",
            {"allergies": ["atenolol"], "medications": ["bisoprolol 5 mg"]},
        ),
        ("Start low-molecular-weight heparin.", {"allergies": ["warfarin"]}),
    ],
)
def test_a_class_that_is_told_apart_is_not_held(knowledge, order, facts):
    told = " ".join(reason for _, reason in against(knowledge, order, **facts))
    assert CLASS not in told
    assert ALLERGIC not in told


@pytest.mark.parametrize(
    ("result", "outcome"),
    [
        ("present", "unsafe"),
        ("contraindicated", "unsafe"),
        ("presente", "unsafe"),
        ("allergy present", "not_checkable"),
        ("zorplex quux", "not_checkable"),
        ("yes", "not_checkable"),
        ("none found", "passed"),
        ("not present", "passed"),
        ("no se encontró ninguna", "passed"),
        ("present: monitor", "passed"),
        ("as stated", "passed"),
        ("OK", "passed"),
    ],
)
def test_the_result_of_a_check_counts(checker, golden, recommended, result, outcome):
    made = recommended("pe_03")
    made["contraindications_checked"][0]["result"] = result
    verdicts = checker.tier1(json.dumps(made), golden["pe_03"].patient)
    failed = {str(v.outcome) for v in verdicts if not v.passed and v.item.startswith("check of")}
    assert failed == ({outcome} - {"passed"})


@pytest.mark.parametrize(
    "place",
    [
        ("problems", 0),
        ("differential", 0),
        ("evidence_table", 0, "statement"),
        ("when_to_escalate", 0, "trigger"),
        ("contraindications_checked", 0, "result"),
        ("recommended_actions", 0, "action"),
    ],
)
def test_a_text_without_a_word_is_refused(checker, golden, recommended, place):
    made = recommended("pe_03")
    *path, last = place
    at = made
    for step in path:
        at = at[step]
    if last == 0:
        at.insert(0, "((((((")
    else:
        at[last] = "(((((("
    verdicts = checker.tier1(json.dumps(made), golden["pe_03"].patient)
    (schema,) = [verdict for verdict in verdicts if verdict.check == "schema"]
    assert schema.reason == ".".join(map(str, place)) + ": there is no word in it: write what " + (
        "is meant"
    )


@pytest.mark.parametrize("field", ["notes", "conditions"])
def test_a_record_without_a_word_is_refused(knowledge, field):
    patient = {"patient_id": "p", "age": 60, "sex": "male", field: ["COPD.", "(((("]}
    (complaint,) = knowledge.unread(Patient.model_validate(patient))
    assert complaint.startswith(f"{field}, entry 2: there is no word in it")


def test_truth_is_no_number(checker, golden, recommended):
    made = recommended("pe_03")
    made["stage_ms"]["retrieve"] = True
    verdicts = checker.tier1(json.dumps(made), golden["pe_03"].patient)
    assert verdicts[0].reason == ("stage_ms.retrieve: true and false are no numbers: give a number")
    lab = {"name": "potassium", "value": True}
    patient = json.dumps({"patient_id": "p", "age": 6, "sex": "male", "labs": [lab]})
    with pytest.raises(CheckError, match=r"labs\.0\.value: true and false are no numbers"):
        read_patient(patient, "p")


@pytest.mark.parametrize("name", ["sex", "gender"])
def test_a_sex_that_is_none_is_not_read(run_check, name):
    patient = {"id": "p", "age": 58, name: "zorp", "notes": ["Pneumonia, CURB-65 of 1."]}
    told = run_check({"patient": patient, "recommendation": {"actions": ["Give oxygen."]}})
    assert f"the field '{name}' of the patient is not read: give female, male or unknown" in told


@pytest.mark.parametrize(
    ("written", "sex"),
    [
        ("Woman", "female"),
        ("varón", "male"),
        ("other", "unknown"),
        ("", "unknown"),
        ("F", "female"),
    ],
)
def test_a_sex_is_read_in_other_words(written, sex):
    taken = submitted({"patient": {"id": "p", "sex": written}, "recommendation": ["Give oxygen."]})
    assert json.loads(taken.patient)["sex"] == sex
    assert taken.unread == ()
