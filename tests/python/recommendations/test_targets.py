"""Targets, amounts and speeds that are dangerous in a disease: each is held back where it hurts, in
both languages, and the sane order beside it is not."""

import json

import pytest

from python_llm.recommendations.checks.targets import Targets
from python_llm.recommendations.schema import Patient

COPD = Patient(
    patient_id="copd", age=71, sex="male", vitals={"spo2": 90}, notes=["COPD, more breathless."]
)
EPOC = Patient(
    patient_id="epoc",
    age=71,
    sex="male",
    vitals={"spo2": 84},
    notes=["EPOC con insuficiencia respiratoria hipercápnica."],
    labs=[{"name": "ph", "value": 7.29}, {"name": "paco2", "value": 68, "unit": "mmHg"}],
)


@pytest.fixture(scope="module")
def targets(knowledge):
    return Targets(knowledge)


@pytest.fixture(scope="module")
def of(targets, knowledge):
    def problems(note, text, sodium=(), **facts):
        patient = Patient(patient_id="p", age=60, sex="female", notes=[note], **facts)
        return list(targets.problems(text, knowledge.findings(patient), sodium))

    return problems


@pytest.mark.parametrize(
    "text",
    [
        "Oxygen to a saturation of 94-98 %.",
        "Oxygen to a target of 98 %, SpO2 98 %.",
        "Oxygen 15 l/min by reservoir mask.",
        "Oxígeno para saturación de 96-98 %.",
        "Mascarilla con reservorio a 15 litros.",
    ],
)
@pytest.mark.parametrize("patient", [COPD, EPOC], ids=lambda patient: patient.patient_id)
def test_too_much_oxygen_in_copd_is_unsafe(objections, patient, text):
    assert "risk of hypercapnia" in "\n".join(objections(patient, text))


@pytest.mark.parametrize(
    "name",
    [
        "chronic obstructive pulmonary disease",
        "COPD",
        "COAD",
        "EPOC",
        "enfermedad pulmonar obstructiva crónica",
        "hypercapnic respiratory failure",
        "type 2 respiratory failure",
        "retenedor de CO2",
    ],
)
def test_copd_by_any_of_its_names_is_at_risk(knowledge, name):
    patient = Patient(patient_id="p", age=70, sex="male", notes=[f"{name}, breathless."])
    assert "hypercapnia_risk" in knowledge.findings(patient)


@pytest.mark.parametrize(
    "note",
    [
        "COPD. Cardiac arrest, resuscitation in progress.",
        "COPD with known hypercapnia. In anaphylaxis after a sting.",
        "COPD, carbon monoxide poisoning.",
        "COPD. Septic shock.",
        "COPD, peri-arrest.",
        "EPOC, politraumatismo.",
    ],
)
def test_who_is_resuscitated_gets_oxygen_first(knowledge, note):
    patient = Patient(patient_id="p", age=70, sex="male", notes=[note], vitals={"spo2": 80})
    assert "hypercapnia_risk" not in knowledge.findings(patient)


def test_oxygen_in_resuscitation_is_not_held_back(checker, recommended):
    notes = ["COPD with known hypercapnia, peri-arrest."]
    patient = Patient(patient_id="p", age=70, sex="male", notes=notes, vitals={"spo2": 70})
    action = {"action": "Give oxygen 15 l/min by reservoir mask now.", "evidence_refs": ["E1"]}
    document = {**recommended("pe_01"), "patient_id": "p", "recommended_actions": [action]}
    told = [v.told for v in checker.tier1(json.dumps(document), patient) if not v.passed]
    assert not any("oxygen" in line for line in told)


def test_a_normal_gas_ends_the_lower_target(knowledge):
    labs = [{"name": "paco2", "value": 40, "unit": "mmHg"}]
    patient = Patient(patient_id="p", age=70, sex="male", notes=["COPD, PE."], labs=labs)
    assert "hypercapnia_risk" not in knowledge.findings(patient)


def test_oxygen_without_a_target_is_told_as_that(objections, checker, recommended, golden):
    document = {"recommended_actions": [{"action": "Give oxygen now.", "evidence_refs": []}]}
    made = {**recommended("pe_01"), **document, "patient_id": EPOC.patient_id}
    told = [verdict.told for verdict in checker.tier1(json.dumps(made), EPOC)]
    assert any("without this patient's target of 88 to 92" in line for line in told)
    assert not any("no action gives it" in line and "oxygen" in line for line in told)


@pytest.mark.parametrize(
    ("note", "text", "reason"),
    [
        ("Ischaemic stroke this morning.", "Lower the pressure to 120/70.", "too low"),
        ("Ictus isquémico.", "Urapidilo iv hasta una TA de 120/70.", "too low"),
        ("Intracerebral haemorrhage.", "Lower the systolic pressure below 90 mmHg.", "too low"),
        ("Hemorragia intracerebral.", "Mantener la TAS en 180 mmHg.", "too high"),
        ("Severe head injury.", "Accept a systolic pressure of 80 mmHg.", "too low"),
        ("Traumatismo craneoencefálico grave.", "Hipotensión permisiva con TAS de 80.", "too low"),
        ("Severe head injury, ventilated.", "Ventilate to a PaCO2 of 25 mmHg.", "too low"),
        ("34 weeks pregnant, severe preeclampsia.", "Lower the BP to 110/60.", "too low"),
        ("Septic shock.", "Norepinephrine to a mean arterial pressure of 45.", "too low"),
        ("Acute asthma.", "Oxygen to a saturation of 85 %.", "too low"),
        ("Diabetic ketoacidosis.", "Bring glucose from 680 to 110 mg/dL.", "too low"),
        ("Cetoacidosis diabética.", "Bajar la glucemia a 5 mmol/l.", "too low"),
        ("Pneumonia.", "Keep glucose at 54 mg/dL.", "too low"),
        ("Iron deficiency.", "Transfuse until the haemoglobin reaches 13 g/dL.", "too high"),
        ("Iron deficiency.", "Transfundir hasta una hemoglobina de 130 g/l.", "too high"),
        ("PE.", "Heparin infusion to an APTT ratio of 5.", "too high"),
        ("ARDS, ventilated.", "Set a tidal volume of 10 ml/kg.", "too high"),
        ("ARDS, ventilated.", "Accept a plateau pressure of 45.", "too high"),
        ("SDRA.", "Aceptar una presión meseta de 50 cmH2O.", "too high"),
        ("Septic shock.", "Norepinephrine to a MAP of 90.", "too high"),
        ("Atrial fibrillation.", "Warfarin to an INR of 5.", "too high"),
        ("Fibrilación auricular.", "Acenocumarol para un INR de 5.", "too high"),
    ],
)
def test_a_target_that_hurts_is_told(of, note, text, reason):
    assert reason in "\n".join(of(note, text))


@pytest.mark.parametrize(
    ("note", "text"),
    [
        ("Ischaemic stroke.", "Labetalol to below 185/110 before alteplase."),
        ("Intracerebral haemorrhage.", "Lower the systolic pressure to 140 mmHg."),
        ("Hemorragia intracerebral.", "Bajar la TAS a 130-150 mmHg."),
        ("Severe head injury.", "Keep the systolic pressure above 110 mmHg."),
        ("34 weeks pregnant, severe preeclampsia.", "Lower the BP to 135/85."),
        ("Septic shock.", "Norepinephrine to a mean arterial pressure of 65."),
        ("Diabetic ketoacidosis.", "Keep glucose at 180 mg/dL."),
        ("Pneumonia.", "Keep glucose between 6 and 10 mmol/L."),
        ("Iron deficiency.", "Transfuse to a haemoglobin of 80 g/l."),
        ("PE.", "Heparin infusion to an APTT ratio of 1.5 to 2.5."),
        ("ARDS, ventilated.", "Set a tidal volume of 6 ml/kg."),
        ("Pneumonia.", "Stop bisoprolol when the systolic is below 85."),
    ],
)
def test_a_sane_target_is_not_told(of, note, text):
    assert of(note, text) == []


@pytest.mark.parametrize(
    ("sodium", "text", "reason"),
    [
        (112, "Hypertonic saline until the sodium reaches 130.", "raised by 18"),
        (114, "Natremia de 132 mañana con salino.", "raised by 18"),
        (168, "Bring the sodium down to 140 within six hours.", "lowered by 28"),
        (170, "Normalizar el sodio en cuatro horas.", "lowered by 30"),
        (112, "Hypertonic saline until the sodium reaches 118.", ""),
        (168, "Bring the sodium down to 140 over three days.", ""),
        (168, "Bring the sodium down to 158 in 24 hours.", ""),
        (139, "Repeat sodium 140 tomorrow.", ""),
    ],
)
def test_sodium_moves_slowly(of, sodium, text, reason):
    told = "\n".join(of("Confused.", text, [sodium]))
    assert reason in told
    assert bool(told) == bool(reason)


@pytest.mark.parametrize(
    ("text", "is_told"),
    [
        ("Ultrafiltrate 4 litres within one hour.", True),
        ("Ultrafiltrar 5 litros en una hora.", True),
        ("Ultrafiltrate 3 litres over four hours.", False),
    ],
)
def test_dialysis_takes_fluid_slowly(of, text, is_told):
    assert bool(of("On haemodialysis, overloaded.", text)) == is_told


@pytest.mark.parametrize(
    ("note", "text", "is_told"),
    [
        ("Heart failure, iron deficiency.", "Transfuse four units of red cells.", True),
        ("Insuficiencia cardíaca.", "Transfundir 3 concentrados de hematíes.", True),
        ("Heart failure.", "One unit of red cells over three hours.", False),
        ("Haematemesis, active bleeding.", "Four units of red cells now.", False),
    ],
)
def test_blood_is_given_by_the_unit(of, note, text, is_told):
    assert bool(of(note, text)) == is_told


@pytest.mark.parametrize(
    ("note", "text", "reason"),
    [
        ("Drank paraquat.", "Oxygen by mask.", "adds to the injury"),
        ("Ingesta de paraquat.", "Oxígeno con mascarilla reservorio.", "adds to the injury"),
        ("Alcohol dependence.", "Glucose 50 % iv, thiamine tomorrow.", "thiamine comes before"),
        ("Alcoholismo.", "Glucosa al 50 % iv y después la tiamina.", "thiamine comes before"),
        ("Eclampsia.", "Magnesium sulfate 4 g iv in one minute.", "over five minutes"),
        ("Eclampsia.", "Sulfato de magnesio 4 g iv en un minuto.", "over five minutes"),
        ("Rapid atrial fibrillation.", "Amiodarone 300 mg iv bolus.", "over 20 minutes"),
        ("Drank paraquat.", "Oxygen only if saturation falls below 85 %.", ""),
        ("Alcohol dependence.", "Thiamine 500 mg iv before glucose 20 % iv.", ""),
        ("Eclampsia.", "Magnesium sulfate 4 g iv over ten minutes.", ""),
    ],
)
def test_a_way_of_giving_that_hurts_is_told(knowledge, note, text, reason):
    patient = Patient(patient_id="p", age=40, sex="female", notes=[note])
    problems = knowledge.book.problems([text], knowledge.findings(patient))
    told = "\n".join(p.against for p in problems if p.seriousness == "absolute")
    assert reason in told
    assert bool(told) == bool(reason)


def test_grave_and_lactate_are_no_diseases(knowledge):
    patient = Patient(patient_id="p", age=40, sex="female", notes=["Crisis grave. Lactate 5.1."])
    assert not {"thyroid_disease", "breastfeeding"} & knowledge.findings(patient)
