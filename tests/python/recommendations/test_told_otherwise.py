"""Diseases told by a value, a place or a sign instead of their name, and what may not wait for
them."""

import json

import pytest

from python_llm.recommendations.checks.quotations import Quotations
from python_llm.recommendations.checks.tiers import read
from python_llm.recommendations.record.levels import Levels
from python_llm.recommendations.schema import Patient
from python_llm.recommendations.wording.phrases import Cues


def person(text, age=50, sex="female", **facts):
    return Patient(patient_id="p", age=age, sex=sex, notes=[text], **facts)


DROWSY_LIVER = person("Cirrhosis, Child-Pugh C, with asterixis since yesterday.")
PUPILS = person(
    "Pinpoint pupils, five breaths a minute.", vitals={"respiratory_rate": 5, "spo2": 80}
)
SQUEEZED = person(
    "Pericardial effusion with collapse of the right atrium.", vitals={"systolic_bp": 80}
)
PULSELESS = person("No pulse, ventricular fibrillation on the monitor.")
STIFF = person("Fever of 39.4 and a stiff neck since this morning.")
OPEN_VEIN = person("Duplex: clot in the left common femoral and popliteal veins.")
CLOT = person("Duplex: thrombus of the left femoral vein. Weight 74 kg.", labs=[])
BLOCKED = person("Complete heart block, BP 84/50.", vitals={"heart_rate": 30})
INFARCT = person("Dolor torácico. Elevación del ST en V2 a V4.")
FAINT = person("Unresponsive on gliclazide.", labs=[{"name": "glucose", "value": 30}])


@pytest.mark.parametrize(
    ("note", "value"),
    [
        ("Lithium 2.8 mmol/L this morning.", ("lithium_level", 2.8)),
        ("On lithium 400 mg, level 2.1.", ("lithium_level", 2.1)),
        ("Litemia 2,6 mEq/l.", ("lithium_level", 2.6)),
        ("Digoxin level of 3.9 ng/mL.", ("digoxin_level", 3.9)),
        ("Digoxina 5 nmol/L.", ("digoxin_level", 3.905)),
        ("Teofilinemia 33 mg/l.", ("theophylline_level", 33.0)),
        ("Vancomycin trough 33 mg/L.", ("vancomycin_trough", 33.0)),
        ("Neutrophils 0.4 x 10^9/L.", ("neutrophils", 0.4)),
        ("ANC 700 cells per microlitre.", ("neutrophils", 0.7)),
        ("Neutrófilos 1.200/mm3.", ("neutrophils", 1.2)),
        ("Neutrophils rose from 0.3 to 1.9.", ("neutrophils", 1.9)),
    ],
)
def test_a_level_in_a_note_is_read(knowledge, note, value):
    cues = Cues(knowledge.tables["assertion_cues"], "finding")
    (lab, told), *others = Levels(knowledge.tables["lab_tests"]).noted([note], cues)
    assert (lab, round(told, 3)) == value
    assert others == []


@pytest.mark.parametrize(
    "note",
    [
        "Lithium 800 mg daily.",
        "Digoxin 0.25 mg for 3 years.",
        "Phenytoin 100 mg three times a day.",
        "Theophylline for 20 years.",
        "Neutrophils 85%.",
        "Neutrophils 80 percent.",
        "Antibiotics until neutrophils above 0.5.",
        "Digoxin level 4.1 ng/mL last year.",
        "Check the lithium level in 3 months.",
    ],
)
def test_a_dose_or_a_share_is_not_a_level(knowledge, note):
    cues = Cues(knowledge.tables["assertion_cues"], "finding")
    assert list(Levels(knowledge.tables["lab_tests"]).noted([note], cues)) == []


@pytest.mark.parametrize(
    ("patient", "text", "reason"),
    [
        (person("Tremor. Lithium 2.8 mmol/L."), "Continue lithium 400 mg.", "toxic level"),
        (person("Vomits. Digoxin level 3.9 ng/mL."), "Digoxin 0.125 mg daily.", "toxic level"),
        (person("Nystagmus. Phenytoin level 38 mg/L."), "Phenytoin 300 mg daily.", "toxic level"),
        (
            person("MRSA. Valle de vancomicina 34 mg/l."),
            "Vancomycin 1 g iv every 12 hours, levels daily.",
            "trough above",
        ),
        (
            person("Schizophrenia. ANC 600.", medications=["clozapine"]),
            "Continue clozapine 200 mg.",
            "neutropenia",
        ),
        (DROWSY_LIVER, "Diazepam 5 mg at night.", "hepatic encephalopathy"),
        (DROWSY_LIVER, "Zopiclone 7.5 mg at night.", "hepatic encephalopathy"),
    ],
)
def test_what_is_told_otherwise_is_heeded(objections, patient, text, reason):
    assert any(reason in objection for objection in objections(patient, text))


@pytest.mark.parametrize(
    ("patient", "text"),
    [
        (person("Bipolar disorder. Lithium 0.7 mmol/L."), "Continue lithium 400 mg daily."),
        (person("Atrial fibrillation. Digoxin level 0.8 ng/mL."), "Digoxin 0.125 mg daily."),
        (
            person("Schizophrenia. Neutrophils 62%.", medications=["clozapine"]),
            "Continue clozapine 200 mg.",
        ),
        (person("Cirrhosis, oriented, no asterixis. Panic attacks."), "Lorazepam 1 mg tonight."),
        (PUPILS, "Naloxone 0.4 mg iv now; watch her for renewed sedation."),
    ],
)
def test_what_is_right_for_it_passes(objections, patient, text):
    assert not [reason for reason in objections(patient, text) if "in spite" in reason]


@pytest.fixture
def put_off(checker, recommended):
    """The measures of minutes that a patient waits for if these are all the actions."""

    def waits(patient, *actions):
        document = recommended("pe_01")
        document["patient_id"] = patient.patient_id
        document["recommended_actions"] = [{"action": a, "evidence_refs": ["E1"]} for a in actions]
        document["when_to_escalate"] = []
        return [
            verdict.item
            for verdict in checker.tier1(json.dumps(document), patient)
            if verdict.check == "timeliness"
            and not verdict.passed
            and verdict.item[:9] == "treatment"
        ]

    return waits


@pytest.mark.parametrize(
    ("patient", "actions"),
    [
        (PUPILS, ["Naloxone 0.4 mg iv once the toxicology confirms opioids."]),
        (PUPILS, ["Wait for the urine screen before naloxone 0.4 mg iv.", "Oxygen now."]),
        (SQUEEZED, ["Pericardiocentesis tomorrow morning.", "Fluids now."]),
        (SQUEEZED, ["Pericardiocentesis after the CT scan."]),
        (FAINT, ["50 ml of 50 percent dextrose iv after the laboratory confirms it."]),
        (SQUEEZED, ["Obtain a CT now, and pericardiocentesis on Monday."]),
        (PULSELESS, ["Take a blood gas first, then defibrillate."]),
        (PULSELESS, ["Await the cardiologist before the first shock."]),
        (STIFF, ["Ceftriaxone 2 g iv after the lumbar puncture."]),
        (STIFF, ["Ceftriaxona 2 g iv tras el TAC craneal."]),
        (STIFF, ["Ceftriaxone 2 g iv once the culture is positive."]),
        (person("Neumotórax a tensión."), ["Drenaje torácico tras la radiografía."]),
    ],
)
def test_a_measure_of_minutes_does_not_wait(put_off, patient, actions):
    assert len(put_off(patient, *actions)) == 1


@pytest.mark.parametrize(
    ("patient", "actions"),
    [
        (PUPILS, ["Naloxone 0.4 mg iv now, then a toxicology screen."]),
        (PUPILS, ["Naloxone 0.4 mg iv.", "Repeat naloxone after the blood gas."]),
        (PUPILS, ["Do not wait for toxicology: naloxone 0.4 mg iv."]),
        (SQUEEZED, ["Pericardiocentesis now, echocardiogram tomorrow."]),
        (SQUEEZED, ["Pericardiocentesis now.", "Pericardial window next week."]),
        (PULSELESS, ["Defibrillate now, then a blood gas."]),
        (STIFF, ["Take blood cultures, then ceftriaxone 2 g iv."]),
        (STIFF, ["Ceftriaxone 2 g iv after blood cultures."]),
        (STIFF, ["Ceftriaxone 2 g iv now, lumbar puncture after the CT."]),
        (person("Tension pneumothorax."), ["Needle decompression, then a chest X-ray."]),
    ],
)
def test_what_comes_after_the_measure_may_wait(put_off, patient, actions):
    assert put_off(patient, *actions) == []


@pytest.mark.parametrize(
    ("note", "finding"),
    [
        ("Thrombus of the right popliteal vein.", "acute_dvt"),
        ("Trombo en la vena femoral común izquierda.", "acute_dvt"),
        ("CT: left thalamic haemorrhage.", "intracranial_hemorrhage"),
        ("Hemorragia cerebelosa en el TAC.", "intracranial_hemorrhage"),
        ("Methadone overdose.", "opioid_poisoning"),
        ("Unresponsive with pinpoint pupils.", "opioid_poisoning"),
        ("Stent to the right coronary artery four weeks ago.", "recent_stent"),
        ("Hace dos semanas le pusieron un stent en la descendente anterior.", "recent_stent"),
        ("Estenosis bilateral de arterias renales.", "renal_artery_stenosis"),
        ("Fiebre y rigidez de nuca.", "meningitis_signs"),
        ("Anticuerpos anti-PF4 positivos.", "hit"),
        ("Pericardial effusion with collapse of the right atrium.", "tamponade"),
    ],
)
def test_a_disease_is_known_by_place_or_sign(knowledge, note, finding):
    assert finding in knowledge.findings(person(note))


@pytest.mark.parametrize(
    ("note", "finding"),
    [
        ("No thrombus of the femoral vein.", "acute_dvt"),
        ("Thrombosis of the femoral artery.", "acute_dvt"),
        ("Pinpoint pupils from pilocarpine drops, feels well.", "opioid_poisoning"),
        ("Stent in 2015, pain for two days.", "recent_stent"),
        ("Stent to the right coronary artery eight years ago.", "recent_stent"),
        ("Fever, no neck stiffness.", "meningitis_signs"),
        ("Stiff neck after driving, no fever.", "meningitis_signs"),
        ("No pulse deficit.", "cardiac_arrest"),
        ("Frontal headache, no haemorrhage.", "intracranial_hemorrhage"),
    ],
)
def test_what_only_sounds_like_it_is_not_it(knowledge, note, finding):
    assert finding not in knowledge.findings(person(note))


@pytest.fixture
def failures(checker, recommended):
    """The unsafe reasons of a recommendation with these actions and one escalation alone."""

    def of(patient, *actions, trigger="worse breathlessness", call="Call the team now."):
        document = recommended("pe_01")
        checked = "allergies; bleeding; platelets; renal and liver function; interactions; age"
        document |= {
            "patient_id": patient.patient_id,
            "recommended_actions": [{"action": a, "evidence_refs": ["E1"]} for a in actions],
            "when_to_escalate": [{"trigger": trigger, "action": call, "urgency": "immediate"}],
            "contraindications_checked": [
                {"medication": action, "checked_against": checked, "result": "none found"}
                for action in actions
            ],
        }
        verdicts = checker.tier1(json.dumps(document), patient)
        kept_out = ("citation_support", "citation_grounding", "latency")
        return [v.reason for v in verdicts if not v.passed and v.check not in kept_out]

    return of


@pytest.mark.parametrize(
    ("patient", "actions", "facts"),
    [
        # each alone: beside the reference recommendation it would be a second anticoagulant
        (CLOT, ["Apixaban 10 mg twice daily for a week, then 5 mg twice daily."], {}),
        (CLOT, ["Rivaroxabán 15 mg cada 12 horas durante tres semanas."], {}),
        (
            BLOCKED,
            ["Transcutaneous pacing now.", "Atropine 0.5 mg iv now."],
            {"trigger": "complete heart block", "call": "Call the cardiologist now."},
        ),
        (
            INFARCT,
            ["Activar hemodinámica ya.", "Aspirina 300 mg masticada ahora."],
            {"trigger": "elevación del ST", "call": "Activar hemodinámica ya."},
        ),
        (FAINT, ["Give 20 g of glucose iv now.", "Stop gliclazide."], {}),
        (
            person("Ventricular tachycardia, BP 76/40."),
            ["Synchronised cardioversion with 150 J now under sedation."],
            {
                "trigger": "ventricular tachycardia with low pressure",
                "call": "Call intensive care now.",
            },
        ),
        (
            person("Edema agudo de pulmón, TA 170/90.", vitals={"systolic_bp": 170}),
            [
                "Furosemida 40 mg iv ahora, después 20 mg cada 12 horas.",
                "Nitroglicerina iv a 20 microgramos por minuto.",
            ],
            {},
        ),
        (
            person("Stent two weeks ago.", medications=["aspirin", "ticagrelor"]),
            ["Postpone the elective hernia repair until dual antiplatelet therapy is complete."],
            {},
        ),
    ],
)
def test_a_whole_safe_plan_passes(failures, patient, actions, facts):
    assert failures(patient, *actions, **facts) == []


@pytest.mark.parametrize(
    ("patient", "actions", "reason"),
    [
        (CLOT, ["Compression stocking."], "needs anticoagulation"),
        (BLOCKED, ["Telemetry."], "needs pacing"),
        (FAINT, ["Measure glucose every hour."], "needs glucose"),
        (PUPILS, ["Naloxone 0.4 mg iv now.", "Discharge home one hour after naloxone."], "put off"),
        (PUPILS, ["Naloxone 0.4 mg iv now.", "Discharge home after two hours."], "put off"),
        (PULSELESS, ["Chest compressions now."], "needs defibrillation"),
        (CLOT, ["Postpone the repair of the strangulated hernia."], "outside"),
    ],
)
def test_what_is_left_out_is_named(failures, patient, actions, reason):
    assert any(reason in failure for failure in failures(patient, *actions))


@pytest.mark.parametrize(
    ("action", "is_supported"),
    [
        ("Start a direct oral anticoagulant without delay.", True),
        ("Give alteplase 100 mg now.", False),
    ],
)
def test_a_leg_thrombosis_shares_a_passage(knowledge, action, is_supported):
    quotations = Quotations(knowledge)
    documents = [knowledge.documents["pe_2019#1"]]
    read_action = quotations.read(action)
    reason = quotations._not_indicated(read_action, documents, knowledge.findings(CLOT))
    assert (reason == "") is is_supported


def test_an_order_on_a_condition_treats_nothing(checker, recommended):
    given = "Start apixaban 10 mg twice daily, and stop it if bleeding develops."
    later = "Start apixaban 10 mg twice daily if a pulmonary embolism is found on CT."
    for text, is_left_out in ((given, False), (later, True)):
        document = recommended("pe_01")
        document["recommended_actions"] = [{"action": text, "evidence_refs": ["E1"]}]
        document["when_to_escalate"] = []
        verdicts = checker.undefined(
            read(json.dumps(document)),
            checker._defining.needs(checker.knowledge.findings(OPEN_VEIN)),
        )
        assert any(not verdict.passed for verdict in verdicts) is is_left_out
