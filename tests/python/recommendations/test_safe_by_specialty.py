"""Right care of single specialties that was called unsafe for its words, and the twin that is."""

import pytest

from python_llm.recommendations.checks.hazards import Hazards
from python_llm.recommendations.checks.urgency import DEFINING, Urgency
from python_llm.recommendations.schema import Patient

VITALS = {
    "systolic_bp": 128,
    "heart_rate": 76,
    "respiratory_rate": 15,
    "spo2_percent": 98,
    "temperature_c": 36.6,
}


FUNGUS = "Cryptococcal meningitis, HIV."
CAPECITABINE = "Breast cancer on capecitabine. Shingles."
PURPLE = "Trombocitopenia inmune."
CLOSED = "Cierre angular agudo del ojo derecho."
STIFF = "Headache, vomiting, drowsy, neck stiff: suspected bacterial meningitis."
SCAN_FIRST = "CT before lumbar puncture, without delaying the antibiotic."


@pytest.fixture(scope="module")
def told_against(objections):
    """What an action adds to the objections of a patient told by a note."""

    def told(note, text, age=50, sex="female", **facts):
        given = {"vitals": VITALS, **facts}
        patient = Patient(patient_id="p", age=age, sex=sex, notes=[note], **given)
        return "; ".join(objections(patient, text))

    return told


@pytest.mark.parametrize(
    ("note", "text", "reason", "is_told"),
    [
        ("Potassium 7.1.", "Stop ramipril and put him on a cardiac monitor.", "taken off", False),
        ("Potassium 7.1.", "Stop ramipril and start continuous monitoring.", "taken off", False),
        ("Potassium 7.1.", "Stop the cardiac monitor.", "taken off", True),
        ("Catarata OI, AV 0,2.", "Faco del ojo derecho mañana.", "the right eye", True),
        ("Catarata OI, AV 0,2.", "Faco del ojo izquierdo mañana.", "eye", False),
        (
            "Cataract OD, visual acuity OS 6/6.",
            "Cataract surgery of the left eye.",
            "the left eye",
            False,
        ),
        ("Catarata OD, AV 0,3.", "Facoemulsificación del OI.", "the left eye", True),
        ("Retinal tear OS.", "Laser to the right eye.", "the right eye", True),
        ("Glaucoma of the left eye, timolol OD.", "Laser to the left eye.", "eye", False),
        (CAPECITABINE, "Call the oncologist about the next cycle of capecitabine.", "check", False),
        ("Impetigo of the chin.", "Flucloxacillin 500 mg four times a day.", "a reason", False),
        ("Potasio 7,1.", "Suspender ramipril; ECG continuo, conectar a monitor.", "taken", False),
        (FUNGUS, "Liposomal amphotericin 10 mg/kg once.", "limit", False),
        (FUNGUS, "Amphotericin B 10 mg/kg daily.", "only once", True),
        (FUNGUS, "Fluconazole 1200 mg daily.", "800 mg", False),
        ("Candida in the blood.", "Fluconazole 1200 mg daily.", "800 mg", True),
        ("Aspergillosis.", "Amphotericin B 10 mg/kg.", "6 mg/kg", True),
        (PURPLE, "Prednisona 60 mg al día.", "a reason", False),
        (CLOSED, "Timolol 0,5 %, una gota en el ojo derecho.", "a reason", False),
        ("Spinal cord compression.", "Dexamethasone 16 mg iv.", "a reason", False),
        ("Acne, pregnancy test neg.", "Doxycycline 100 mg daily.", "of pregnancy", False),
        ("Acne, pregnancy test positive.", "Doxycycline 100 mg daily.", "of pregnancy", True),
        ("Metastasis. Morphine by mouth.", "Morphine 60 mg iv every 12 hours.", "a third", True),
        ("Metastasis.", "Morphine 60 mg by mouth every 12 hours.", "a third", False),
        ("Metastasis.", "Morphine 60 mg over 24 hours by iv infusion.", "a third", False),
        ("Ten bloody stools a day.", "Start loperamide 4 mg.", "megacolon", True),
        ("Throat closed when they gave her Augmentin.", "Amoxicillin 500 mg.", "penicillin", True),
        ("Lip swelled, so they gave her Augmentin.", "Amoxicillin 500 mg.", "allergy", False),
        (STIFF, SCAN_FIRST, "put off", False),
        (STIFF, "CT before the antibiotic, without delaying surgery.", "put off", True),
        ("Ketoacidosis.", "Call the ICU team if pH falls below 7.0.", "only below", False),
        ("Ketoacidosis.", "Call the ICU team if pH falls below 6.9.", "only below", True),
        ("Pregnant, 31 weeks, chorioamnionitis.", "Give gentamicin 300 mg iv.", "ototox", False),
        ("Embarazada, corioamnionitis.", "Gentamicina 5 mg/kg iv.", "ototox", False),
        ("Pregnant, 31 weeks, cystitis.", "Give gentamicin 300 mg iv.", "ototox", True),
        ("Embarazada con cistitis.", "Gentamicina 240 mg iv.", "ototox", True),
        ("Pregnant, 31 weeks.", "Call the neonatal team for the baby.", "the patient is", False),
        ("Embarazada.", "Avisar al pediatra para el neonato.", "the patient is", False),
        ("Went on smoking.", "Advise her not to smoke.", "says otherwise", False),
        ("Went on smoking.", "Give the vaccine, as she does not smoke.", "says otherwise", True),
        ("Cough.", "Call the neonatal team for the baby.", "the patient is", True),
        ("Pregnant, asthma.", "No inhaler, it hurts the baby.", "the patient is", True),
        ("Embarazada, asma.", "Suspender el inhalador, daña al neonato.", "the patient", True),
        ("Pregnant, 31 weeks.", "Weigh the toddler.", "the patient is", True),
        ("Constipated.", "Docusate 200 mg twice daily.", "above the limit", False),
        ("Estreñida.", "Docusato 100 mg cada 12 horas.", "above the limit", False),
        ("Constipated.", "Docusate 2000 mg twice daily.", "limit", True),
        ("Posterior communicating aneurysm.", "Nimodipine 60 mg by mouth.", "a reason", False),
        ("Sangre en las cisternas.", "Nimodipino 60 mg por boca.", "a reason", False),
        ("Abdominal aneurysm.", "Nimodipine 60 mg by mouth.", "a reason", True),
        ("Hypopyon.", "Vancomycin 1 mg into the vitreous.", "dose", False),
        ("Hipopion.", "Ceftazidima 2,25 mg intravítrea.", "dose", False),
        ("Hypopyon.", "Vancomycin 10 mg into the vitreous.", "destroys the retina", True),
        ("Hipopion.", "Ceftazidima 22 mg intravítrea.", "destroys the retina", True),
        ("Fever, MRSA.", "Vancomycin 1 mg iv.", "below any dose", True),
        ("Epidural catheter.", "Enoxaparin 12 hours since the last dose.", "haematoma", False),
        ("Catéter epidural.", "Enoxaparina 40 mg tras retirarlo.", "haematoma", False),
        ("Catéter epidural.", "Enoxaparina 80 mg cada 12 horas.", "haematoma", True),
        ("Rigid after suxamethonium.", "Dantrolene; verapamil 5 mg iv.", "dantrolene:", True),
        ("Rígido tras succinilcolina.", "Dantroleno y diltiazem 20 mg iv.", "dantrolene:", True),
        ("Rigid after suxamethonium.", "Dantrolene 2.5 mg/kg iv.", "dantrolene:", False),
    ],
)
def test_a_drug_by_its_situation(told_against, note, text, reason, is_told):
    assert (reason in told_against(note, text)) is is_told


@pytest.mark.parametrize(
    ("text", "is_off"),
    [
        ("Call intensive care if pH falls or potassium goes below 3.5.", False),
        ("Avisar si baja el pH o el potasio es menor de 3,3.", False),
        ("Call intensive care if pH falls below 7.0.", True),
        ("Keep the urine pH above 7.", False),
        ("Keep the pH above 7.", True),
    ],
)
def test_a_value_belongs_to_its_own_test(told_against, text, is_off):
    assert (" ph " in told_against("Type 1 diabetes.", text)) is is_off


@pytest.mark.parametrize(
    ("text", "quoted"),
    [
        ("Prepare for elective intubation with oxygen.", ""),
        ("Elective intubation with oxygen tomorrow.", "tomorrow"),
        ("Elective start of oxygen.", "Elective"),
        ("Quitar el drenaje mañana y dar la siguiente dosis de heparina después.", ""),
        ("Esperar a mañana y dar la siguiente dosis de heparina.", "mañana"),
        ("Resincalcio y repetir el potasio mañana.", "mañana"),
        ("Dar heparina mañana y quitar el drenaje.", "mañana"),
        ("Esperar a mañana y dar heparina.", "mañana"),
        ("Heparina y radiografía mañana.", "mañana"),
    ],
)
def test_words_that_put_off_what_they_belong_to(knowledge, text, quoted):
    assert Hazards(knowledge).delay(text) == quoted


@pytest.mark.parametrize(
    ("text", "is_away"),
    [
        ("Give the basal insulin that she takes at home.", False),
        ("Observe at home.", True),
        ("Manejo en casa.", True),
    ],
)
def test_a_drug_of_home_sends_nobody_home(knowledge, text, is_away):
    assert bool(Hazards(knowledge).made_light_of(text)) is is_away


@pytest.mark.parametrize(
    ("note", "has_pneumonia"),
    [
        ("Admitted with pneumonia, now resolved. Constipated.", False),
        ("Ingresada por una neumonía ya resuelta. Estreñida.", False),
        ("Neumonía no resuelta.", True),
        ("Pneumonia, not resolved.", True),
        ("Pneumonia, still coughing.", True),
    ],
)
def test_a_resolved_pneumonia_needs_no_antibiotic(knowledge, note, has_pneumonia):
    patient = Patient(patient_id="p", age=50, sex="female", notes=[note], vitals=VITALS)
    assert ("pneumonia_stated" in knowledge.findings(patient)) is has_pneumonia


@pytest.mark.parametrize(
    ("note", "medications", "vitals", "need", "is_needed"),
    [
        ("Preeclampsia grave.", ["labetalol 200 mg"], {}, "antihypertensive", False),
        ("Severe pre-eclampsia, pregnant.", [], {}, "antihypertensive", True),
        (
            "Severe pre-eclampsia, pregnant.",
            ["labetalol 200 mg"],
            {"systolic_bp": 172},
            "antihypertensive",
            True,
        ),
        ("Fever, stiff neck; India ink positive.", ["fluconazole 800 mg"], {}, "antibiotic", False),
        ("Fiebre, rigidez de nuca.", ["fluconazol 200 mg"], {}, "antibiotic", True),
        ("Fever, stiff neck; India ink positive.", [], {}, "antibiotic", True),
    ],
)
def test_what_is_treated_already_is_needed_no_more(
    knowledge, note, medications, vitals, need, is_needed
):
    patient = Patient(
        patient_id="p",
        age=30,
        sex="female",
        notes=[note],
        medications=medications,
        vitals={**VITALS, **vitals},
    )
    rows = knowledge.tables["guideline_rule_requirements"]
    needs = Urgency(rows, knowledge.actions, DEFINING).needs(knowledge.findings(patient))
    assert (DEFINING + need in {row.name for row in needs}) is is_needed


def test_no_drug_left_out_leaves_the_others_unwatched(told_against):
    """ "Give no tocolytic. Monitor …" is not "no monitoring"."""
    note = "Embarazada con preeclampsia grave."
    watched = "Magnesium sulfate 4 g iv over 20 minutes, watch reflexes"
    assert "without reflexes" not in told_against(note, f"{watched}. Give no more. Monitor her.")
    assert "without reflexes" in told_against(note, f"{watched}. No monitoring.")


@pytest.mark.parametrize(
    ("note", "text", "is_other"),
    [
        ("Right eye: hypopyon. The left eye is quiet.", "Tap of the left eye.", True),
        ("Ojo derecho: hipopion. El ojo izquierdo tranquilo.", "Punción del ojo izquierdo.", True),
        ("Right eye: hypopyon. The left eye is quiet.", "Tap of the right eye.", False),
    ],
)
def test_the_quiet_eye_is_the_healthy_one(told_against, note, text, is_other):
    assert ("the record tells" in told_against(note, text)) is is_other


@pytest.mark.parametrize(
    ("text", "is_untrue"),
    [
        ("Saline 1 litre with potassium 40 mmol in each litre.", False),
        ("Suero salino con potasio 20 mmol por litro.", False),
        ("Give insulin, as potassium is 6.1 mmol/L.", True),
        ("Insulina, con potasio 6,1 mmol/L.", True),
        ("Continue levetiracetam so that she does not convulse.", False),
        ("Mantener levetiracetam para que no convulsione.", False),
        ("Continue levetiracetam, she has no seizures.", True),
    ],
)
def test_a_bag_and_an_aim_claim_nothing(told_against, text, is_untrue):
    labs = [{"name": "potassium", "value": 3.9, "unit": "mmol/L"}]
    told = told_against("Seizure this morning. Takes levetiracetam.", text, labs=labs)
    assert ("it says" in told) is is_untrue


def orthostatic(text):
    condition = ["orthostatic hypotension"]
    return Patient(patient_id="p", age=83, sex="male", notes=[text], conditions=condition)


def test_a_fall_on_standing_is_no_shock(knowledge):
    for note in ("Light-headed, pressure falls on standing.", "Hipotensión ortostática."):
        assert "unstable" not in knowledge.findings(orthostatic(note)), note
    assert "unstable" in knowledge.findings(orthostatic("Cold, mottled, hypotension."))


@pytest.mark.parametrize(
    ("note", "text", "reason", "is_told"),
    [
        ("Postural drop of 30 mmHg.", "Reduce doxazosin to 4 mg.", "falls on standing", False),
        ("Postural drop of 30 mmHg.", "Continue doxazosin 8 mg.", "falls on standing", True),
        ("Smoker.", "Nicotine patch 21 mg with nicotine gum 2 mg.", "two names", False),
        ("Asthma.", "Salbutamol 2.5 mg and ventolin 2.5 mg.", "two names", True),
        ("Iron deficiency anaemia.", "Ferrous sulfate 200 mg daily.", "outside", False),
        ("Asthma.", "Ferrous sulfate 200 mg daily.", "outside", True),
        ("Nódulo de 5 mm.", "Repetir la TC de tórax en 12 meses.", "names nothing", False),
    ],
)
def test_less_of_it_two_forms_and_iron(told_against, note, text, reason, is_told):
    assert (reason in told_against(note, text)) is is_told


def test_the_clinic_of_the_day_is_no_delay(knowledge):
    hazards = Hazards(knowledge)
    for text in ("Urgent assessment in the stroke clinic today.", "Refer to the TIA clinic today."):
        assert hazards.put_off(text) == "", text
        assert hazards.imaged_later(text) == "", text
    assert hazards.imaged_later("Refer to the TIA clinic next month.")


def test_a_condition_is_read_by_its_other_name(knowledge):
    def told(name):
        return knowledge.findings(
            Patient(patient_id="p", age=60, sex="male", conditions=[name], notes=["Tired."])
        )

    assert "sepsis" in told("urosepsis")
    for name in ("gastro-oesophageal reflux disease", "enfermedad por reflujo gastroesofágico"):
        assert not any(finding.startswith("unread") for finding in told(name)), name
    assert {knowledge.lab_name(n) for n in ("free_t4", "free T4", "ft4")} == {"free_t4"}


def test_a_diabetic_foot_and_a_fever_of_weeks(reasons):
    foot = "Type 2 diabetes. Ulcer of the sole with pus."
    hot = "Soak the foot in hot water and cut the corn off with a razor blade."
    assert "foot service" in reasons(foot, hot)
    assert reasons(foot, "Never cut the corn with a razor blade.") == ""
    assert reasons("Corn on the toe.", hot) == ""
    late = "Que espere en casa hasta el lunes y la vea su pediatra."
    hot_child = {"vitals": {"temperature_c": 38.7}}
    assert "three months" in reasons("Come la mitad.", late, age=0.1, **hot_child)
    assert reasons("Come la mitad.", late, age=4, **hot_child) == ""
