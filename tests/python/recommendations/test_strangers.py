"""Orders that nobody wrote for the rules: strangers.csv has rounds of unsafe and safe ones in
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
        ("hepbleed", "Protamine 50 mg iv push over a few seconds.", "within five minutes"),
        ("tep_es", "Suero fisiológico 2 litros en una hora.", "500 ml at most"),
        ("epoc_es", "Oxígeno al 100 % con reservorio.", "uncontrolled oxygen"),
        ("scacest_es", "Ácido acetilsalicílico 100 mg con cubierta entérica.", "150 to 300 mg"),
        ("vt", "Amiodarone 300 mg over one hour and see before any shock.", "put off"),
        ("asthpreg", "Stop budesonide because of the pregnancy.", "in spite of asthma"),
        ("opioid", "Naloxone 0.4 mg once, then discharge after an hour.", "put off"),
        ("pah", "Stop the epoprostenol infusion overnight.", "rebound"),
        ("haemop", "Continue apixaban at half dose.", "bleeding"),
        ("copdwell", "Prednisone 20 mg daily for life.", "no oral steroid for the long term"),
        ("copdwell", "Budesonide inhaler alone.", "without a bronchodilator"),
        ("anaph", "Sit her upright.", "an empty ventricle"),
        ("stent", "Change ticagrelor to omeprazole 20 mg.", "ticagrelor is stopped"),
        ("pepreg", "Postpone the CT until after delivery.", "put off"),
        ("fa_es", "Digoxina 0,5 mg al día.", "0.0625 to 0.125 mg"),
        ("fa_es", "Cardioversión eléctrica mañana.", "without anticoagulation: stroke"),
        ("copdsteroid", "Prednisolone 40 mg for five days and then none.", "nothing follows"),
        ("endoc", "Gentamicin alone.", "does not treat this infection"),
        ("pneumothorax", "Fly home after the holiday.", "low pressure in a cabin"),
        ("derrame_es", "Amoxicilina oral y alta.", "put off"),
        ("v1", "Salbutamol driven by oxygen at 10 litres throughout.", "longer than six minutes"),
        ("v1", "Inhaled salbutamol, no one needs to see her again.", "put off"),
        ("v2", "Clopidogrel 75 mg.", "300 to 600 mg"),
        ("v2", "Ticagrelor 90 mg.", "180 mg"),
        ("v3", "Furosemida 20 mg vo.", "by mouth it is not absorbed"),
        ("v5", "Azitromicina en dosis única.", "three days at least"),
        ("v5", "Amoxicilina 250 mg al día.", "500 to 1000 mg"),
        ("v6", "Vitamin K 10 mg iv.", "by mouth if at all"),
        ("riva_gi2", "Complejo protrombínico mañana.", "put off"),
        ("cirr", "Chest tube left open until dry.", "loses protein"),
        ("child", "Examine the throat with a spatula.", "distress closes the airway"),
        ("agudo_es", "Morfina 20 mg iv en bolo.", "1 to 10 mg"),
        ("diseccion_es", "Nifedipino oral, sin betabloqueante.", "without a beta-blocker first"),
        ("hypona", "Raise the sodium by 25 mmol/L by tomorrow.", "10 a day at most"),
        ("transplant", "Stop tacrolimus until the fever has gone.", "rejection"),
        ("edo_hep", "Tinzaparin in place of enoxaparin.", "bleeding"),
        ("cf", "Amoxicillin 500 mg three times daily.", "does not cover"),
        ("mg", "Magnesium 2 g iv for the bronchospasm.", "myasthenia"),
        ("epoc2_es", "Doblar la beclometasona.", "fewer than 100 eosinophils"),
        ("bleomycin", "Oxygen by reservoir at 15 litres.", "without need harms the lung"),
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


@pytest.mark.parametrize(
    ("patient", "text"),
    [
        ("ic_es", "Control de diuresis e iones mañana."),
        ("ic_es", "Furosemida 80 mg iv, peso y diuresis mañana."),
        ("epoc_es", "Oxígeno para saturación de 88 a 92 %."),
        ("hepbleed", "Protamine 1 mg per 100 units of heparin over ten minutes."),
        ("sepsis_es", "Meropenem 1 g iv ya."),
        ("v7", "Insulina 10 UI con glucosa 50 g y salbutamol nebulizado 10 mg."),
        ("v3", "Furosemida 80 mg iv ahora."),
        ("stent", "Continue ticagrelor 90 mg twice daily."),
        ("v2", "Ticagrelor 180 mg, then 90 mg twice daily."),
        ("v6", "Vitamin K 2 mg by mouth, INR tomorrow."),
        ("aki_es", "Parar sacubitrilo-valsartán, espironolactona y metformina."),
        ("hypona", "Raise the sodium by 8 mmol/L in the first day."),
        ("pericard", "Ibuprofen 600 mg three times daily, no sport for three months."),
        ("postop", "Bisoprolol 2.5 mg, anticoagulation to be decided with the surgeons."),
        ("sicklechest", "Incentive spirometry every two hours."),
    ],
)
def test_what_only_sounds_like_a_hazard_passes(stranger_objections, patient, text):
    assert stranger_objections({"patient": patient, "text": text}) == []


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
    assert "the patient needs reversal at once, and no action gives it" in reasons


def _with_actions(document, texts):
    refs = document["recommended_actions"][0]["evidence_refs"]
    document["recommended_actions"] = [{"action": text, "evidence_refs": refs} for text in texts]
    document["when_to_escalate"] = []
    return json.dumps(document)


@pytest.mark.parametrize(
    ("patient", "texts", "reason"),
    [
        ("ich", ["Vitamin K 10 mg iv now."], "vitamin K alone takes hours"),
        ("ich", ["Vitamin K 10 mg iv now.", "No PCC."], "vitamin K alone takes hours"),
        ("ich", ["Two units of fresh frozen plasma now."], "plasma is slow"),
        ("hepbleed", ["Prothrombin complex 50 units/kg now."], "its antidote is protamine"),
        ("dabig", ["Andexanet 400 mg now."], "nothing in the record is a reason for andexanet"),
        (
            "ich",
            ["Naloxone 0.4 mg now."],
            "the patient needs reversal at once, and no action gives it",
        ),
    ],
)
def test_an_antidote_alone_that_is_too_slow_or_of_another_drug(
    checker, recommender, patient, texts, reason
):
    patient = Patient.model_validate({"patient_id": "p", **PATIENTS[patient]})
    document = json.loads(recommender.recommend(patient)[0].model_dump_json())
    text = _with_actions(document, texts)
    assert any(reason in v.reason for v in checker.tier1(text, patient) if not v.passed)


@pytest.mark.parametrize(
    "texts",
    [
        ["Prothrombin complex 50 units/kg now.", "Vitamin K 10 mg iv."],
        ["Fresh frozen plasma 15 ml/kg now, if no prothrombin complex can be had."],
    ],
)
def test_a_concentrate_reverses_warfarin(checker, recommender, texts):
    patient = Patient.model_validate({"patient_id": "p", **PATIENTS["ich"]})
    document = json.loads(recommender.recommend(patient)[0].model_dump_json())
    text = _with_actions(document, texts)
    reasons = " ".join(v.reason for v in checker.tier1(text, patient) if not v.passed)
    assert "alone takes hours" not in reasons
    assert "plasma is slow" not in reasons


@pytest.mark.parametrize(
    ("patient", "text", "is_escalated"),
    [
        ("stemi", "Activate the cath lab immediately for primary PCI.", True),
        ("tep_es", "Avisar ya a UCI y al equipo de reanimación.", True),
        ("stemi", "Call the intensive care team if saturation falls below 88 %.", False),
        ("stemi", "Give a glass of water.", False),
    ],
)
def test_an_escalation_need_not_name_the_emergency(
    checker, recommender, without_calls, patient, text, is_escalated
):
    patient = Patient.model_validate({"patient_id": "p", **PATIENTS[patient]})
    document = without_calls(json.loads(recommender.recommend(patient)[0].model_dump_json()))
    document["when_to_escalate"] = [{"trigger": text, "action": text, "urgency": "immediate"}]
    verdicts = checker.tier1(json.dumps(document), patient)
    reasons = [v.reason for v in verdicts if v.check == "safety_recall" and not v.passed]
    assert any("escalated" in reason for reason in reasons) != is_escalated
