"""Orders that read well and kill: too fast, of the wrong blood group, into the arm of the fistula,
or against a reaction or a disease that the record tells in other words."""

import pytest

from python_llm.recommendations.interchange import submitted
from python_llm.recommendations.schema import Patient


def person(text, age=40, sex="female", **facts):
    return Patient(patient_id="p", age=age, sex=sex, notes=[text], **facts)


@pytest.mark.parametrize(
    ("note", "text", "reason"),
    [
        (
            "Acute heart failure, swollen to the waist.",
            "Furosemide 200 mg iv over 5 minutes.",
            "4 mg/min",
        ),
        ("Potassium 2.6 on thiazides.", "Potassium chloride 60 mmol in two hours.", "20 mmol/h"),
        (
            "Potasio 2,7.",
            "Cloruro potásico 30 mEq en dos horas por vía periférica.",
            "10 mmol an hour",
        ),
        (
            "Seizing for ten minutes, weight 80 kg.",
            "Phenytoin 20 mg/kg iv over 15 minutes.",
            "50 mg/min",
        ),
        ("MRSA pneumonia, creatinine 0.8 mg/dL.", "Vancomycin 2 g iv in an hour.", "17 mg/min"),
        (
            "Bleeding after surgery, blood group: B positive.",
            "Give two units of type A blood.",
            "haemolysis",
        ),
        (
            "Grupo sanguíneo 0 negativo, sangra.",
            "Dos concentrados de hematíes del grupo B.",
            "haemolysis",
        ),
        (
            "Blood group A, bleeding.",
            "Give two units of group O plasma.",
            "plasma of an incompatible",
        ),
        ("She is blood group O negative. Bleeding.", "Two units of O positive red cells.", "RhD"),
        ("Bleeding, haemoglobin 6.", "Two units of group B red cells.", "no blood group"),
        (
            "She refuses blood products. Haemoglobin 5.9.",
            "Transfuse one unit of red cells.",
            "refusal",
        ),
        ("Fistula for dialysis in the right arm.", "Put an Abbocath in the right hand.", "fistula"),
        ("Fístula en brazo izquierdo.", "Extraer hemocultivos del brazo izquierdo.", "fistula"),
        ("Goes on the machine three times a week.", "Dabigatran 110 mg twice daily.", "dialysis"),
        ("Dializa martes, jueves y sábados.", "Resonancia con gadolinio.", "nephrogenic"),
        ("Con el ceftriaxona se le hinchó la lengua.", "Cefotaxima 1 g iv.", "allergy"),
        ("Her skin peeled off after vancomycin.", "Teicoplanin 400 mg iv daily.", "allergy"),
        ("Ramipril made her tongue swell.", "Lisinopril 5 mg daily.", "allergy"),
        ("Se quedó sin neutrófilos tras metamizol.", "Nolotil 2 g iv.", "allergy"),
        ("Malignant hyperthermia in the family.", "Induction with sevoflurane.", "malignant"),
        ("Favism as a child.", "Primaquine 30 mg daily.", "G6PD"),
        ("Acute intermittent porphyria.", "Phenobarbital 10 mg/kg.", "porphyria"),
        ("Edema de glotis con enalapril.", "Sacubitrilo-valsartán 24/26 mg.", "angioedema"),
        ("Addison's disease, fever of 39.", "Halve the hydrocortisone today.", "adrenal crisis"),
        ("Potassium was 4.3 in May; today 6.6.", "Start spironolactone 25 mg.", "potassium"),
        ("Will not accept blood. Haemoglobin 5.9.", "Transfuse one unit of red cells.", "refusal"),
        ("0 negativo. Sangra.", "Un concentrado de hematíes del grupo A.", "haemolysis"),
        ("Epidural for rib fractures.", "Bupivacaine 20 mg intravenously.", "cardiac arrest"),
        ("Midline shift on CT, drowsy.", "Lumbar puncture today.", "herniates"),
        ("Prótesis metálica mitral.", "Dabigatrán 150 mg cada 12 horas.", "valve"),
        ("Nursing her son. Atrial fibrillation.", "Amiodarone 200 mg daily.", "breast"),
        *(
            ("Potassium 2.6 on thiazides.", text, "20 mmol/h")
            for text in (
                "Give potassium chloride 40 mmol intravenously over 10 minutes, on a cardiac "
                "monitor, and repeat potassium afterwards.",
                "Over 10 minutes, give 40 mmol of potassium chloride.",
                "Potassium chloride 40 mmol, intravenously, over 30 minutes.",
                "Potassium chloride 40 mmol in 100 mL over 15 minutes.",
                "Give 40 mmol of potassium IV over 10 minutes.",
            )
        ),
        ("Swollen to the waist.", "Over 5 minutes give furosemide 200 mg iv.", "4 mg/min"),
        ("MRSA pneumonia.", "Infuse over one hour vancomycin 2 g in saline.", "17 mg/min"),
        ("No period for 11 weeks. Hypertension.", "Ramipril 5 mg daily.", "pregnancy"),
        ("She is 11 weeks gone. Hypertension.", "Ramipril 5 mg daily.", "pregnancy"),
        ("Fetal heartbeat seen on scan. Hypertension.", "Ramipril 5 mg daily.", "pregnancy"),
        ("Amenorrea de 11 semanas. Hipertensión.", "Ramipril 5 mg al día.", "pregnancy"),
        ("NSTEMI. Took a friend's little blue pill.", "Nitroglycerin 0.4 mg.", "phosphodiest"),
        ("NSTEMI. Takes a tablet for his erections.", "Nitroglycerin 0.4 mg.", "phosphodiest"),
        ("NSTEMI. Something for erectile dysfunction.", "Nitroglycerin 0.4 mg.", "phosphodiest"),
        ("Goes to the machine Mon/Wed/Fri.", "Dabigatran 110 mg twice daily.", "dialysis"),
        ("A blue and a brown puffer since childhood.", "Propranolol 40 mg.", "asthma"),
        (
            "Sífilis primaria.",
            "Penicilina G benzatina 2,4 millones de UI por vía intravenosa.",
            "cardiac arrest",
        ),
        ("Pneumonia.", "No oxygen needed as her saturation is 84.", "not understood"),
    ],
)
def test_a_trap_is_seen_for_its_reason(objections, note, text, reason):
    assert reason in "\n".join(objections(person(note), text))


@pytest.mark.parametrize(
    ("note", "text"),
    [
        ("Acute heart failure, swollen to the waist.", "Furosemide 200 mg iv over 60 minutes."),
        ("Acute heart failure, BP 150/90.", "Furosemide 40 mg iv over two minutes."),
        ("Blood group: B positive, haemoglobin 6.", "Give two units of group O blood."),
        ("Haemoglobin 6, bleeding, group A negative.", "Two units of O negative red cells."),
        ("Fistula for dialysis in the right arm.", "Measure blood pressure on the left arm."),
        ("Anaphylaxis to a wasp now, BP 80/40, wheeze.", "Adrenaline 0.5 mg im."),
        ("Hives after shellfish, takes cetirizine.", "Cetirizine 10 mg daily."),
        (
            "Heart failure. Angioedema once, on bisoprolol.",
            "Continue bisoprolol 5 mg.",
        ),
        ("Pneumonia, cannot leave bed. Creatinine 0.8 mg/dL.", "Enoxaparin 40 mg sc once daily."),
    ],
)
def test_what_only_resembles_a_trap_is_not_held_back(objections, note, text):
    hindrances = ("too fast", "group", "fistula", "allergy", "nothing in the record")
    reasons = objections(person(note), text)
    assert [r for r in reasons if any(word in r for word in hindrances)] == []


@pytest.mark.parametrize(
    ("note", "text"),
    [
        (
            "Potassium 2.6 on thiazides.",
            "Give 20 mmol of potassium IV over two hours on a cardiac monitor; repeat potassium.",
        ),
        (
            "Potassium 2.6 on thiazides.",
            "Watch the monitor over 10 minutes, then give potassium chloride 20 mmol intravenously "
            "over 2 hours on a cardiac monitor and repeat potassium.",
        ),
        ("Potassium 3.1.", "Give oral potassium chloride 40 mmol as potassium is 3.1 mmol/L."),
        ("Heart failure, BP 150/90.", "Furosemide 40 mg iv, then watch urine over 10 minutes."),
        ("Positive home test for COVID. Hypertension.", "Ramipril 5 mg daily."),
        ("Hypertension. The pain is gone after 11 weeks.", "Ramipril 5 mg daily."),
        ("NSTEMI. Takes nothing for his erections.", "Nitroglycerin 0.4 mg sublingual."),
        ("Hypertension. Washing machine on Mondays.", "Propranolol 40 mg twice daily."),
        ("Hypertension. Her brother has a blue puffer.", "Propranolol 40 mg twice daily."),
        (
            "Sífilis primaria.",
            "Penicilina G benzatina 2,4 millones de UI por vía intramuscular, dosis única.",
        ),
        ("Atrial fibrillation.", "No rate control needed at present as her rate is 78."),
        ("Bronquiolitis leve.", "Ofrecer líquidos a menudo."),
    ],
)
def test_the_safe_twin_of_a_trap_passes(objections, note, text):
    assert objections(person(note), text) == []


@pytest.mark.parametrize(
    ("text", "is_called"),
    [
        ("Call cardiology at once.", True),
        ("Refer to cardiology now.", True),
        ("Call the trauma team now.", True),
        ("Call cardiology once he has pain again.", False),
        ("Refer to cardiology in six weeks.", False),
    ],
)
def test_a_call_without_a_condition_escalates(checker, text, is_called):
    recommendation = {"actions": ["Aspirin 300 mg now."], "escalations": [text]}
    patient = {"id": "p", "age": 60, "sex": "male", "notes": ["STEMI for an hour."]}
    read = submitted({"recommendation": recommendation, "patient": patient})
    verdicts = checker.tier1(read.recommendation, Patient.model_validate_json(read.patient))
    told = [v.reason for v in verdicts if v.check == "safety_recall" and not v.passed]
    assert any("not escalated" in reason for reason in told) != is_called


def test_a_drain_answers_a_tension_pneumothorax(checker):
    def told(*actions):
        recommendation = {"actions": [*actions], "escalations": ["Call the trauma team now."]}
        note = "Fell off a ladder. Tension pneumothorax on the right. BP 78/40."
        patient = {"id": "p", "age": 30, "sex": "male", "notes": [note]}
        read = submitted({"recommendation": recommendation, "patient": patient})
        verdicts = checker.tier1(read.recommendation, Patient.model_validate_json(read.patient))
        return [v.reason for v in verdicts if v.check == "safety_recall" and not v.passed]

    assert told("Insert a chest drain on the right side now.") == []
    assert told("Chest X-ray now.") != []


@pytest.mark.parametrize(
    ("conditions", "is_told"),
    [(["Wilson disease"], True), (["osteoarthritis", "COPD", "diabetes"], False)],
)
def test_a_disease_without_any_rule_is_not_checked(objections, conditions, is_told):
    reasons = objections(person("Cystitis.", conditions=conditions), "Nitrofurantoin 50 mg.")
    assert any("condition 1" in reason for reason in reasons) == is_told


def test_a_later_value_replaces_the_one_before_it(objections):
    patient = person("INR was 4.6 last week; today 2.4.", medications=["warfarin"])
    assert "INR above 4" not in "\n".join(objections(patient, "Continue warfarin 3 mg daily."))
    patient = person("Hepatitis C positive, B negative. Haemoglobin 6.")
    assert "no blood group" in "\n".join(objections(patient, "One unit of group A red cells."))


def test_an_infusion_left_to_run_out_is_stopped(objections):
    patient = person("Pulmonary arterial hypertension.", medications=["epoprostenol"])
    assert "rebound" in "\n".join(objections(patient, "Let the epoprostenol run out tonight."))
    assert "rebound" not in "\n".join(
        objections(patient, "Never let the epoprostenol run out; continue epoprostenol.")
    )
