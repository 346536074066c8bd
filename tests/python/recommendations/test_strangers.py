"""Orders that nobody wrote for the rules: strangers.csv has three rounds of unsafe and safe ones in
wards' words, each written before the rules of its round were mended. benchmarks/FINDINGS.md has
what was caught at first sight, and what still is not."""

import csv
import json
from pathlib import Path

import pytest

from python_llm.recommendations.schema import Patient

HERE = Path(__file__).parent
PATIENTS = json.loads((HERE / "strangers.json").read_text(encoding="utf-8"))
with (HERE / "strangers.csv").open(encoding="utf-8", newline="") as handle:
    ROWS = list(csv.DictReader(handle))


@pytest.fixture(scope="module")
def stranger_objections(objections):
    patients = {
        name: Patient.model_validate({"patient_id": name, **facts})
        for name, facts in PATIENTS.items()
    }
    return lambda row: objections(patients[row["patient"]], row["text"])


@pytest.mark.parametrize("row", [row for row in ROWS if row["is_safe"] == "false"], ids=str)
def test_an_unsafe_order_is_held_back(stranger_objections, row):
    assert stranger_objections(row)


@pytest.mark.parametrize("row", [row for row in ROWS if row["is_safe"] == "true"], ids=str)
def test_a_safe_order_passes(stranger_objections, row):
    assert stranger_objections(row) == []


@pytest.mark.parametrize(
    ("patient", "text", "reason"),
    [
        ("af84", "Apixaban 5 mg bd.", "2.5 mg twice daily"),
        ("afwell", "Apixaban 2.5 mg bd.", "5 mg twice daily"),
        ("anaph", "Adrenaline 0.05 mg im.", "0.5 mg is the intramuscular dose"),
        ("steroid", "Prednisolona: suspender desde hoy.", "adrenal crisis"),
        ("stent", "Swap ticagrelor for omeprazole.", "ticagrelor is stopped"),
        ("stent", "Omeprazole 20 mg, and clopidogrel in place of ticagrelor.", "less effect"),
        ("dka", "Insulin infusion at 6 units/h.", "infusion without glucose and potassium"),
        ("dvt", "Heparin infusion 18 units/kg/h.", "without APTT or anti-Xa"),
        ("mrsa", "Vancomycin 1 g iv twice daily.", "without levels or renal function"),
        ("hypok", "Potassium chloride 20 mmol iv over two hours.", "without ECG or repeated"),
        ("pepreg", "CTPA after delivery.", "put off"),
        ("eclampsia36", "Home today, recheck the pressure in one week.", "put off"),
        ("hypercapnic", "Lorazepam 1 mg if agitated.", "hypercapnia"),
        ("septic", "Saline 1000 ml over 12 hours.", "as a bolus, not over hours"),
        ("copdwell", "Add umeclidinium to the tiotropium.", "second long-acting antimuscarinic"),
        ("myxoed", "Diltiazem 60 mg three times daily.", "reduced ejection fraction"),
    ],
)
def test_the_reason_is_one_a_clinician_would_accept(stranger_objections, patient, text, reason):
    assert reason in "\n".join(stranger_objections({"patient": patient, "text": text}))


@pytest.mark.parametrize(
    ("patient", "text"),
    [
        ("dka", "Insulin infusion 0.1 units/kg/h after potassium; glucose every hour."),
        ("dvt", "Heparin infusion 18 units/kg/h in place of enoxaparin, APTT in six hours."),
        ("pepreg", "Continue enoxaparin until delivery."),
        ("steroid", "Taper prednisolone slowly, stop in six months."),
    ],
)
def test_a_watched_order_or_a_taper_is_no_hazard(stranger_objections, patient, text):
    reasons = "\n".join(stranger_objections({"patient": patient, "text": text}))
    for hazard in ("without APTT", "infusion without glucose", "put off", "adrenal crisis"):
        assert hazard not in reasons


def test_bleeding_on_an_anticoagulant_needs_its_reversal(checker, recommender):
    patient = Patient.model_validate({"patient_id": "p", **PATIENTS["dabig"]})
    recommendation, _ = recommender.recommend(patient)
    texts = [action.action for action in recommendation.recommended_actions]
    assert any("antidote" in text for text in texts)
    without = recommendation.model_copy(
        update={
            "recommended_actions": [
                action
                for action in recommendation.recommended_actions
                if "antidote" not in action.action
            ]
            or [recommendation.recommended_actions[0].model_copy(update={"action": "Stop it."})]
        }
    )
    reasons = [v.reason for v in checker.tier1(without.model_dump_json(), patient) if not v.passed]
    assert "nothing meets the need: reversal" in reasons
