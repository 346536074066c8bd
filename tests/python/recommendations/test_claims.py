"""What an action says of the patient and the record tells otherwise, and aftercare in scope."""

import json

import pytest

from python_llm.recommendations import command
from python_llm.recommendations.checks.claims import Claims
from python_llm.recommendations.record.inputs import (
    has_quiet_signs,
    has_spurious_potassium,
    of_its_age,
    weight_of,
)
from python_llm.recommendations.schema import Patient

QUIET = {"systolic_bp": 124, "heart_rate": 72, "spo2": 98}


def person(note, age=60, **facts):
    return Patient(patient_id="p", age=age, sex="male", notes=[note], **facts)


@pytest.fixture(scope="module")
def claims(knowledge):
    return Claims(knowledge)


@pytest.mark.parametrize(
    ("note", "text", "claim", "record"),
    [
        ("BP 92/50, drowsy.", "Labetalol 20 mg IV for a BP of 178/100.", "bp of 178", "92"),
        ("Echo: LVEF 60 %.", "Refer for an ICD, as the EF is 25 %.", "ef is 25", "60"),
        ("GCS 15.", "Intubate because of a GCS of 6.", "gcs of 6", "15"),
        ("Saturation 98 % on air.", "Oxygen, as saturation is 84 %.", "saturation is 84", "98"),
        ("Pulse 72 regular.", "Atropine 0.5 mg for the bradycardia.", "bradycardia", "72"),
        ("Weighs 52 kg.", "Enoxaparin 95 mg as he weighs 95 kg.", "weighs 95", "52"),
        (
            "ECG: sinus rhythm 74, same as last year.",
            "Apixaban, because the ECG shows atrial fibrillation.",
            "atrial fibrillation",
            "sinus rhythm",
        ),
        (
            "Troponina a las 0 y 3 horas negativa.",
            "Enoxaparina, porque la troponina está elevada.",
            "troponina esta elevada",
            "negativa",
        ),
        ("Afebrile.", "Paracetamol 1 g for the fever.", "fever", "afebrile"),
        ("No pneumonia on the film.", "Ceftriaxone, as he has pneumonia.", "pneumonia", "no pneu"),
        ("No chest pain.", "Morphine for the chest pain.", "chest pain", "no chest pain"),
    ],
)
def test_a_false_reason_shows_both_texts(claims, note, text, claim, record):
    told = " ".join(claims.untrue(text, person(note)))
    assert claim in told.partition("record")[0]
    assert record in told.partition("record")[2]


@pytest.mark.parametrize(
    ("text", "is_claim"),
    [
        ("Come back at once with rigors, a spreading rash or fever.", False),
        ("Volver de inmediato con escalofríos, manchas o fiebre.", False),
        ("Call the registrar now for the fever.", True),
        ("Call the registrar now, as he has fever.", True),
    ],
)
def test_what_may_yet_come_is_no_claim(claims, text, is_claim):
    patient = person("No fever. Sin fiebre.")
    assert bool([*claims.untrue_in_escalation(text, patient)]) is is_claim


@pytest.mark.parametrize(
    ("note", "text"),
    [
        ("BP 92/50, drowsy.", "Keep the BP below 140/90."),
        ("BP 92/50, drowsy.", "Labetalol if BP rises above 180/100."),
        ("BP 172/90.", "Labetalol as the pressure is 178/100."),
        ("Saturation 88 %.", "Oxygen to a saturation of 94 to 98 %."),
        ("Sinus rhythm now, paroxysmal AF last week.", "Apixaban for atrial fibrillation."),
        ("Sinus rhythm.", "Monitor for atrial fibrillation."),
        ("No wheeze.", "Salbutamol 5 mg nebulised if he has wheeze."),
        ("Potassium 4.2.", "Recheck potassium, to avoid hyperkalaemia."),
        ("No chest pain now.", "Ring 999 if chest pain returns."),
    ],
)
def test_targets_and_conditions_are_no_false_reason(claims, note, text):
    assert not list(claims.untrue(text, person(note)))


def test_a_false_reason_fails_the_check(objections):
    told = objections(
        person("Sinus rhythm 74."), "Start apixaban 5 mg twice a day for atrial fibrillation."
    )
    assert "it says “atrial fibrillation”, the record “sinus rhythm”" in told


def test_his_usual_drug_is_one_that_the_record_has(objections):
    patient = person("Pneumonia.", medications=["levothyroxine 50 micrograms"])
    told = objections(patient, "Resume his usual warfarin tonight.")
    assert "it says “his usual warfarin”, the record does not" in told


@pytest.mark.parametrize(
    ("facts", "is_spurious"),
    [
        (("Potassium 6.9, the sample is grossly haemolysed. ECG normal.",), True),
        (("Potasio 6,8 en muestra hemolizada.",), True),
        (("Pseudohyperkalaemia again, potassium 7.0.",), True),
        (("Potassium 6.9, haemolysed sample; repeat potassium 7.0.",), False),
        (("Potassium 6.9, haemolysed sample. Peaked T waves.",), False),
        (("Potassium 6.9, not haemolysed.",), False),
    ],
)
def test_a_potassium_of_the_sample_is_none_of_the_patient(knowledge, facts, is_spurious):
    patient = person(*facts, labs=[{"name": "potassium", "value": 6.9, "unit": "mmol/L"}])
    assert has_spurious_potassium(patient, knowledge.lexicon) is is_spurious
    assert ("critical_potassium" in knowledge.findings(patient)) is not is_spurious
    assert any("otassium" in a.flag_name for a in knowledge.alarms(patient)) is not is_spurious


def test_a_haemolysed_sample_of_failing_kidneys_counts(knowledge):
    patient = person("Potassium 6.9, haemolysed sample.", conditions=["chronic kidney disease"])
    assert not has_spurious_potassium(patient, knowledge.lexicon)


@pytest.mark.parametrize(
    "text",
    [
        "GP in a week if it has not settled.",
        "Physiotherapy referral.",
        "Crutches until walking is comfortable.",
        "Ice and elevation for two days.",
        "Control por su médico de familia en 7 días.",
        "Beber abundante y reposo relativo.",
        "No sport until it has settled.",
    ],
)
def test_aftercare_is_in_scope_of_whoever_is_well(objections, text):
    note = "Sore rib since moving a wardrobe, ECG normal, worse on pressing."
    assert not objections(person(note, vitals=QUIET), text)


def test_aftercare_of_whoever_may_be_ill_is_held(objections):
    note, text = "Sore rib since moving a wardrobe, ECG normal.", "GP in a week."
    assert objections(person(note, vitals={**QUIET, "heart_rate": 124}), text)
    assert objections(person(note), text)


def test_another_field_is_no_aftercare(objections):
    note = "Sore rib since moving a wardrobe."
    assert objections(person(note, vitals=QUIET), "Chemotherapy in a week.")


def test_quiet_signs_are_those_of_the_age():
    assert has_quiet_signs(person("Well.", vitals=QUIET))
    assert not has_quiet_signs(person("Well.", vitals={**QUIET, "spo2": 91}))
    assert has_quiet_signs(person("Well.", age=2, vitals={"heart_rate": 140, "spo2": 98}))


@pytest.mark.parametrize(
    ("age", "note", "weight"),
    [
        (2, "Toddler, 12 kg, swallowed a cashew.", 12),
        (0, "Lactante de 9 meses y 8 kg con fiebre.", 8),
        (58, "No allergies. 70 kg. Chills.", 70),
        (58, "Has lost 12 kg since May.", None),
        (4, "Has lost 2 kg since May.", None),
    ],
)
def test_a_weight_without_a_verb(age, note, weight):
    assert weight_of(person(note, age)) == weight


@pytest.mark.parametrize(
    ("note", "is_below_three_months"),
    [
        ("Lactante de 9 meses con fiebre de 39.", False),
        ("Nine-week visit: 5 week old with a fever of 39.", True),
        ("Baby with a fever of 39.", True),
    ],
)
def test_an_infant_is_as_old_as_the_note_tells(knowledge, note, is_below_three_months):
    patient = person(note, 0)
    assert (of_its_age(patient).age > 0) == ("aby" not in note)
    flags = {alarm.flag_name for alarm in knowledge.alarms(patient)}
    assert ("Fever below three months of age" in flags) is is_below_three_months


@pytest.mark.parametrize(
    ("note", "text", "reason"),
    [
        ("He says amoxicillin as a boy closed up his throat.", "Cefadroxil 1 g.", "penicillin"),
        (
            "Con contraste para un TAC se le hinchó la lengua.",
            "Angio-TAC con contraste yodado.",
            "contrast",
        ),
        (
            "SVT 186. The crew pushed metoprolol 5 mg eight minutes ago.",
            "Verapamil 5 mg IV.",
            "beta-blocker",
        ),
        ("Empty packets of amitriptyline. Asleep.", "Flumazenil 0.5 mg IV.", "tricyclic"),
        ("Day 12 after a fire, 45 % burns.", "Suxamethonium 100 mg IV.", "burns"),
        ("Taquicardia irregular, onda delta y PR corto.", "Verapamilo 5 mg iv.", "pre-excitation"),
        (
            "Subdural haematoma. Takes dabigatran.",
            "Andexanet alfa 400 mg IV to reverse the anticoagulant.",
            "reverses apixaban and rivaroxaban alone",
        ),
        (
            "LVEF 15 %, pink froth, JVP to the ears.",
            "Hartmann's solution 2000 ml IV now.",
            "congested failing heart",
        ),
        (
            "Cannot be woken, glucose 28.",
            "A glass of orange juice by mouth.",
            "unconscious or cannot swallow",
        ),
    ],
)
def test_what_strangers_wrote_otherwise_is_refused(objections, note, text, reason):
    patient = person(note, conditions=["heart failure"] if "LVEF" in note else [])
    assert reason in "\n".join(objections(patient, text))


@pytest.mark.parametrize(
    ("text", "is_refused"),
    [
        ("Metoprolol 50 mg IV, as he cannot take it by mouth.", True),
        ("Metoprolol 50 mg IV instead of oral.", True),
        ("Metoprolol 5 mg IV, then 50 mg by mouth.", False),
        ("Digoxin 1 mg IV push.", True),
        ("Digoxin 0.5 mg IV.", False),
        ("Furosemide 200 mg IV.", True),
        ("Furosemide 40 mg IV.", False),
        ("Zuclopenthixol 200 mg by mouth.", True),
        ("Flupentixol 10 mg twice a day.", True),
        ("Paliperidone 60 mg once a day.", True),
        ("Paliperidone 150 mg depot, intramuscularly.", False),
        ("Start terazosin 10 mg at night.", True),
    ],
)
def test_a_dose_is_one_of_its_route(objections, text, is_refused):
    told = [reason for reason in objections(person("Well today."), text) if "dose" in reason]
    assert bool(told) is is_refused


def test_what_is_given_only_for_a_result_waits(objections):
    patient = person("Syncope, breathless.", vitals={"systolic_bp": 74, "heart_rate": 134})
    told = objections(patient, "Wait for the D-dimer in two hours before deciding on treatment.")
    assert any("put off" in reason for reason in told)


@pytest.mark.parametrize(
    ("note", "flag", "is_raised"),
    [
        ("It is an elephant sitting on my chest, clammy.", "coronary", True),
        ("He dropped his elephant toy on my chest. Bruised breastbone.", "coronary", False),
        ("Chest pain eased by sitting forward, rub, saddle-shaped ST elevation.", "coron", False),
        ("Chest pain, crushing. ST elevation V1 to V4.", "coronary", True),
        ("Un desgarro que empezó de golpe entre los omóplatos.", "Tearing", True),
        (
            "Period about seven weeks ago, home test positive. Low belly pain, pain at the tip of "
            "the shoulder, passed out in the shower.",
            "ectopic",
            True,
        ),
    ],
)
def test_emergencies_in_lay_words(knowledge, note, flag, is_raised):
    flags = " ".join(alarm.flag_name for alarm in knowledge.alarms(person(note, 31)))
    assert (flag in flags) is is_raised


def test_a_list_of_many_names_the_patient(tmp_path):
    file = tmp_path / "inbox.json"
    one = {"patient": {"id": "p-17", "age": 50, "sex": "male"}, "recommendation": "Give aspirin."}
    file.write_text(json.dumps([one, {**one, "patient": {"age": 50, "sex": "male"}}]))
    lines = command.format_many(command.check_all(file, None, None)).splitlines()
    assert any(line.endswith("inbox.json, 1, patient p-17") for line in lines)
    assert any(line.endswith("inbox.json, 2") for line in lines)


# the note, the INR of the laboratory, the order
RAISED = [
    ("AF. Missed one tablet.", 2.6, "Double the warfarin tonight."),
    ("AF.", 2.8, "Increase warfarin to 5 mg daily."),
    ("FA.", 3.4, "Subir el Sintrom un 10 %."),
    ("AF.", 2.7, "Warfarin 6 mg tonight instead of 4 mg."),
    ("FA. Olvidó la toma de ayer.", 2.5, "Tomar doble dosis de acenocumarol hoy."),
    ("Mechanical mitral valve.", 3.0, "Warfarin should be increased by 1 mg."),
    ("AF. INR target 1.5 to 2.0.", 2.0, "Take an extra dose of warfarin."),
    ("AF. INR today 3.6, target INR 2.5.", None, "Raise the weekly warfarin by 10 percent."),
]
NOT_RAISED = [
    ("AF.", 1.6, "Increase warfarin to 5 mg daily."),
    ("AF. Missed one.", 2.6, "Take the usual warfarin tonight; do not double the dose."),
    ("AF.", 2.6, "Continue warfarin 4 mg daily."),
    ("AF.", 2.5, "Continue warfarin and increase bisoprolol to 5 mg."),
    ("AF.", 3.3, "Continue warfarin 4 mg; increase the frequency of INR checks."),
    ("AF.", 2.6, "Increase warfarin by 10 % if the INR falls below 2."),
    ("FA.", 2.5, "Seguir con Sintrom, no doblar la dosis."),
    ("Mechanical mitral valve.", 2.3, "Increase warfarin to 5 mg."),
    ("AF. INR today 1.6, target INR 2.5.", None, "Raise the weekly warfarin by 10 percent."),
]


def test_no_coumarin_is_raised_within_its_target(knowledge):
    def told(note, inr, text):
        labs = [{"name": "INR", "value": inr}] if inr else []
        patient = person(note, medications=["warfarin 4 mg daily"], labs=labs)
        problems = knowledge.book.problems([text], knowledge.findings(patient))
        return [p for p in problems if "the dose is not raised" in p.against]

    assert [row for row in RAISED if not told(*row)] == []
    assert [row for row in NOT_RAISED if told(*row)] == []
