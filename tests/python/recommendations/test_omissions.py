"""What defines the treatment of a condition may not be left out without a word of why."""

import json

import pytest

from python_llm.recommendations.schema import Patient

CALL = "Call the emergency team and intensive care now."


@pytest.fixture(scope="module")
def lacks(checker, recommender, golden):
    recommendation, _ = recommender.recommend(golden["pe_01"].patient)
    made = json.loads(recommendation.model_dump_json())

    def omitted(note, *actions, **facts):
        patient = Patient(patient_id="p", age=60, sex="female", notes=[note], **facts)
        document = {
            **made,
            "patient_id": "p",
            "recommended_actions": [
                {"action": action, "evidence_refs": ["E1"]} for action in actions
            ],
            "when_to_escalate": [{"trigger": CALL, "action": CALL, "urgency": "immediate"}],
        }
        verdicts = checker.tier1(json.dumps(document), patient)
        return [v.told for v in verdicts if "gives it or says why not" in v.reason]

    return omitted


@pytest.mark.parametrize(
    ("note", "left_out", "given", "name"),
    [
        ("Femoral DVT.", "Compression stocking.", "Apixaban 10 mg twice daily.", "anticoag"),
        ("TVP femoral.", "Medias de compresión.", "Enoxaparina 60 mg sc.", "anticoag"),
        ("Acute PE, stable.", "Echocardiogram.", "Rivaroxaban 15 mg twice daily.", "anticoag"),
        ("Atrial fibrillation, stroke in 2020.", "Bisoprolol 5 mg.", "Edoxaban 60 mg.", "anticoag"),
        ("NSTEMI.", "Atorvastatin 80 mg.", "Aspirin 300 mg.", "antiplatelet"),
        ("Sepsis.", "Fluids and lactate.", "Ceftriaxone 2 g iv now.", "antibiotic"),
        ("Pneumonia.", "Chest X-ray in six weeks.", "Amoxicillin 1 g.", "antibiotic"),
        ("Endocarditis infecciosa.", "Ecocardiograma.", "Ampicilina 2 g iv.", "antibiotic"),
        ("Tension pneumothorax.", "Chest X-ray.", "Needle decompression now.", "decompression"),
        ("Neumotórax a tensión.", "Radiografía.", "Descompresión con aguja ya.", "decompression"),
        ("Empyema.", "Ceftriaxone 2 g iv.", "Chest drain, ceftriaxone 2 g iv.", "drainage"),
        ("Cardiac tamponade.", "Echocardiogram.", "Pericardiocentesis now.", "pericardium"),
        ("Acute severe asthma.", "Oxygen.", "Salbutamol 5 mg nebulised.", "bronchodilator"),
        ("Crisis asmática grave.", "Oxígeno.", "Prednisona 50 mg.", "corticosteroid"),
        ("Acute pulmonary oedema.", "Echocardiogram.", "Furosemide 40 mg iv.", "diuretic"),
        ("Diabetic ketoacidosis.", "Fluids.", "Insulin 0.1 units/kg/h.", "insulin"),
        ("Wernicke encephalopathy.", "CT of the head.", "Thiamine 500 mg iv.", "thiamine"),
        ("Opioid overdose.", "Oxygen.", "Naloxone 0.4 mg iv.", "naloxone"),
        ("Bacterial meningitis.", "Paracetamol 1 g.", "Ceftriaxone 2 g iv now.", "antibiotic"),
        ("Acute limb ischaemia.", "Warm the leg.", "Heparin 5000 units iv.", "anticoag"),
        ("Estado epiléptico.", "Monitorización.", "Lorazepam 4 mg iv ya.", "seizure"),
        ("Adrenal crisis.", "Fluids.", "Hydrocortisone 100 mg iv.", "hydrocortisone"),
        ("34 weeks, severe preeclampsia.", "CTG.", "Labetalol 20 mg iv.", "antihypertensive"),
    ],
)
def test_a_treatment_that_is_left_out_is_unsafe(lacks, note, left_out, given, name):
    assert any(name in told for told in lacks(note, left_out))
    assert not any(name in told for told in lacks(note, given))


@pytest.mark.parametrize(
    ("note", "name"),
    [("Ventricular tachycardia, shock.", "cardioversion"), ("Complete heart block.", "pacing")],
)
def test_an_unstable_rhythm_needs_electricity_or_a_drug(lacks, note, name):
    facts = {"vitals": {"systolic_bp": 72, "heart_rate": 30 if name == "pacing" else 190}}
    assert any(name in told for told in lacks(note, "Monitoring.", **facts))
    assert (
        lacks(note, "Transcutaneous pacing now." if name == "pacing" else "DC shock now.", **facts)
        == []
    )


@pytest.mark.parametrize(
    ("note", "action"),
    [
        ("Femoral DVT.", "No anticoagulant because of the bleeding into the eye."),
        ("Femoral DVT. Active bleeding.", "Vena cava filter."),
        ("DVT in 2015, now pneumonia.", "Amoxicillin 1 g."),
        ("No DVT. Pneumonia.", "Amoxicillin 1 g."),
        ("Isolated distal DVT of the calf.", "Repeat the ultrasound in a week."),
        ("Influenza pneumonia.", "Oxygen."),
        ("TVP femoral.", "No anticoagular por la hemorragia cerebral."),
    ],
)
def test_a_word_of_why_is_enough_and_what_is_past_needs_nothing(lacks, note, action):
    assert lacks(note, action) == []


def test_a_low_glucose_needs_glucose(lacks):
    low = {"labs": [{"name": "glucose", "value": 30, "unit": "mg/dL"}]}
    assert any("needs glucose" in told for told in lacks("Unconscious.", "Monitoring.", **low))
    assert lacks("Unconscious.", "Glucose 20 % 100 ml iv now.", **low) == []


def test_two_diseases_that_need_the_same_are_told_once(lacks):
    told = lacks("Septic shock from pneumonia.", "Fluids now.")
    assert sum("needs antibiotic" in line for line in told) == 1


def test_anaphylaxis_needs_adrenaline_by_name(checker, recommended):
    patient = Patient(patient_id="p", age=30, sex="female", notes=["Acute anaphylaxis."])
    document = {**recommended("pe_01"), "patient_id": "p"}
    told = [verdict.told for verdict in checker.tier1(json.dumps(document), patient)]
    assert any("needs adrenaline at once" in line for line in told)


def test_who_already_takes_it_needs_no_second_order(lacks):
    assert lacks("Femoral DVT.", "Compression stocking.", medications=["apixaban 5 mg"]) == []


def test_hospital_acquired_pneumonia_gets_an_antibiotic(recommender, golden):
    recommendation, _ = recommender.recommend(golden["pneumonia_14"].patient)
    assert any("antibiotic" in item.action for item in recommendation.recommended_actions)
