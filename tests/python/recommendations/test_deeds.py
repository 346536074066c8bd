"""Deeds that harm in a situation (rows `deed` of order_limits), and the same words where they are
right."""

import pytest

from python_llm.recommendations.checks.deeds import Told
from python_llm.recommendations.knowledge import FOLDER
from python_llm.recommendations.schema import Patient
from python_llm.seeds import read


@pytest.mark.parametrize(
    ("note", "text", "reason"),
    [
        ("She breathes through her neck since a laryngectomy.", "Put on a face mask.", "stoma"),
        ("Laringectomía hace años.", "Mascarilla facial con reservorio.", "stoma"),
        ("Headache since the stove was lit.", "Oxygen is not needed.", "carboxy"),
        ("Cefalea junto al brasero.", "Alta con paracetamol.", "carbon monoxide"),
        ("Stridor, will not lie back.", "Lay her flat for the scan.", "lies back"),
        ("Babea y no quiere tumbarse.", "Explorar la garganta.", "may close it"),
        ("His ICD gave five shocks today.", "Book him into the next clinic.", "electrical storm"),
        ("El DAI dio cuatro descargas hoy.", "Cita en consulta.", "electrical storm"),
        ("Morphine PCA after surgery.", "Take off the oximeter at night.", "oximeter"),
        ("Bomba de PCA.", "Retirar el pulsioxímetro.", "oximeter"),
        ("Hypoglycaemia on gliclazide.", "Discharge after a sandwich.", "sulfonylurea"),
        ("Hipoglucemia por glimepirida.", "Alta en una hora.", "sulfonylurea"),
        ("Woken with naloxone.", "Let her go home.", "wears off"),
        ("Drowsy, buprenorphine patch.", "Leave the patch on; leave it where it is.", "comes off"),
        ("Tiritona con los hematíes.", "Bajar el ritmo de la bolsa.", "is stopped"),
        ("VF on the monitor.", "Synchronised cardioversion.", "not synchronised"),
        ("Fibrilación ventricular.", "Descarga de 70 julios.", "120 J"),
        ("Asystole.", "Defibrillate at 200 J.", "not shocked"),
        ("Tube passed; aspirate pH 7.", "Start feeding at 20 ml/h.", "pH 5.5"),
        ("ABPI 0.38, cold toes.", "Four-layer bandages twice weekly.", "index of 0.5"),
        ("Bitten by a viper.", "Cut the bite and suck out the venom.", "snake bite"),
        ("Candida in two bottles from the port.", "Call it contamination.", "contaminants"),
        ("Cavity, acid-fast bacilli in sputum.", "Bed in the open bay.", "isolated by air"),
        ("Suicidal since March.", "Give 180 tablets to take home.", "week's supply"),
        ("A convulsion on Monday.", "He may drive on Friday.", "at the wheel"),
        ("Crisis convulsiva ayer.", "Puede conducir el lunes.", "at the wheel"),
        ("Her defibrillator gave one shock.", "She can drive home.", "at the wheel"),
        ("Una descarga del DAI ayer.", "Puede conducir el lunes.", "at the wheel"),
        ("Bullas en ambos vértices.", "Apto para bucear.", "pressure changes"),
        ("Blacked out while swimming.", "It was a simple faint.", "exertion"),
        ("Lump in the breast for a month.", "Reassure; it is stress.", "cancer"),
        ("Chest pain.", "One normal troponin rules out infarction.", "one troponin"),
        ("Button battery in the gullet.", "Watch the stools.", "battery"),
        (
            "Central line no longer needed.",
            "Remove the central line, sitting in the chair.",
            "air is",
        ),
        ("Pregnant, Rh negative, fell downstairs.", "Omit anti-D.", "72 hours"),
        ("Ten hours old, jaundiced to the thighs.", "Put the cot in the sunlight.", "haemolysis"),
        ("Herpes simplex keratitis.", "Dexamethasone drops six times a day.", "perforate"),
        ("Shoulder dystocia.", "Apply fundal pressure.", "plexus"),
        ("In pain.", "Crush the extended-release oxycodone.", "at once"),
        ("Two years on it.", "Stop baclofen today.", "withdrawal"),
        ("Vomiting, type 1 diabetes.", "No insulin until she eats.", "ketoacidosis"),
        ("Bipolar.", "Lithium 400 mg at night; no blood tests needed.", "all along"),
        ("A steel splinter lies in the vitreous.", "MRI of both orbits tonight.", "magnet"),
        ("Platelets running for an hour: rigors, wheeze.", "Finish the unit slowly.", "stopped"),
        ("Hematíes en curso, escalofríos y orina oscura.", "Continuar la transfusión.", "stopped"),
        ("Five days off clozapine on a trip.", "Resume clozapine, 300 mg at night.", "12.5 mg"),
        ("Nine loose stools a day on tablets.", "Continue capecitabine, full dose.", "stops it"),
        ("Queratitis herpética.", "Colirio de dexametasona cada 6 horas.", "melt"),
        ("Tender snuffbox after a fall.", "The film rules out a fracture.", "one scaphoid"),
        ("Hernia under general anaesthesia today.", "A meal an hour before is fine.", "six hours"),
        ("A grey veil over the right eye, flashes.", "Optician in three weeks.", "retina"),
    ],
)
def test_a_deed_that_harms_here_is_named(reasons, note, text, reason):
    assert reason in reasons(note, text)


@pytest.mark.parametrize(
    ("note", "text"),
    [
        ("She breathes through her neck since a laryngectomy.", "Oxygen mask over the stoma."),
        ("Partial laryngectomy in 2019.", "Put on a face mask."),
        ("VF in 2014. Today atrial fibrillation.", "Synchronised cardioversion."),
        ("VF on the monitor.", "Shock with 200 J, then 360 J."),
        ("A child in VF.", "Shock with 4 J/kg."),
        ("Asystole.", "Do not defibrillate."),
        ("Tube passed; aspirate pH 4.", "Start feeding at 20 ml/h."),
        ("Tube passed; aspirate pH 7.", "Start feeding once the position is confirmed."),
        ("Central line no longer needed.", "Remove the central line, flat on the back."),
        ("Pregnant, Rh negative, fell downstairs.", "Give anti-D."),
        ("ABPI 1.0.", "Four-layer bandages twice weekly."),
        ("Bitten by a viper.", "No tourniquet, no incision."),
        ("Coagulase-negative staphylococci in one bottle.", "Call it contamination."),
        ("Cavity, acid-fast bacilli in sputum.", "No shared bay; a single room."),
        ("Suicidal since March.", "Dispense weekly, 7 tablets."),
        ("Seizure free for eight years.", "She may drive."),
        ("A convulsion on Monday.", "She must not drive or swim alone."),
        ("Bullas en ambos vértices.", "No debe bucear."),
        ("Chest pain.", "A single troponin does not rule out infarction."),
        ("In pain.", "Do not crush the extended-release oxycodone."),
        ("A graft.", "Stop ibuprofen today; tacrolimus goes on."),
        ("Vomiting, type 1 diabetes.", "Go on with insulin; no driving today."),
        ("Two years on it.", "Taper baclofen gradually and stop it today in two months."),
        ("A steel splinter lies in the vitreous.", "CT of the orbits; an MRI is contraindicated."),
        ("Platelets running for an hour: rigors, wheeze.", "Stop the unit; keep the line."),
        ("Red cells last year, well since.", "Continue the transfusion at the same rate."),
        ("Five days off clozapine on a trip.", "Restart clozapine at 12.5 mg and titrate."),
        ("Nine loose stools a day on tablets.", "Stop capecitabine."),
        ("Queratitis herpética.", "Pomada de aciclovir cinco veces al día."),
        ("Hernia under general anaesthesia today.", "No solid food for six hours before."),
        ("A grey veil over the right eye, flashes.", "Eye casualty today."),
    ],
)
def test_the_same_words_are_right_elsewhere(reasons, note, text):
    assert reasons(note, text) == ""


def test_what_makes_it_safe_may_stand_in_another_action(reasons):
    note, text = "Hemoptysis, 40 pack years.", "Reassure him about the wait."
    assert "cancer" in reasons(note, text)
    assert reasons(note, text, others=["Refer him within two weeks."]) == ""


NODULE = "CT: 14 mm spiculated nodule in the right upper lobe."
WISHES = "Advance directive: she does not want to be intubated or taken to intensive care."
LETHAL = "Plans to end her life with the pills she has hoarded."
REFUSED = [
    (NODULE, "No follow-up for the lung nodule."),
    (NODULE, "Next CT of the chest in 18 months."),
    ("Nódulo espiculado de 12 mm en LSD.", "Alta: el nódulo no precisa control."),
    ("X-ray: nodule in the left lung. Weight loss.", "Repeat the chest film in a year."),
    ("Nódulo pulmonar de 15mm, sólido.", "Repetir la TC en un año."),
    (WISHES, "Intubate her now."),
    (WISHES, "Transfer her to the ICU."),
    ("DNI order on the chart.", "Rapid sequence induction and intubation now."),
    ("Se niega a ingresar en la UCI, capaz.", "Trasladar a UCI."),
    ("Paciente con ELA: rechaza intubación.", "Proceder a intubación orotraqueal."),
    ("DNACPR in place.", "If he arrests start CPR."),
    ("Rechaza la diálisis, capaz.", "Iniciar diálisis en contra de su voluntad."),
    (LETHAL, "Let her go home tonight; GP in four weeks."),
    ("Se va a matar el domingo; ha guardado pastillas.", "Alta a casa hoy, cita en un mes."),
    ("Thyroid test today: TSH 30.", "The TSH shows an overactive thyroid."),
    ("Análisis tiroideo: TSH 30.", "La TSH indica exceso de hormona."),
]
ALLOWED = [
    (NODULE, "Repeat the CT in three months and discuss at the MDT."),
    (NODULE, "Influenza vaccine every year."),
    ("4 mm nodule in the right upper lobe.", "No follow-up of the nodule is needed."),
    ("12 mm calcified nodule in the lung.", "The nodule needs no follow-up."),
    (WISHES, "Do not intubate; give oxygen and morphine."),
    (WISHES, "Start non-invasive ventilation on the ward."),
    ("Refuses a flu jab. Was intubated in 2019.", "Transfer to the ICU."),
    ("His wife does not want him intubated; he agrees to it.", "Intubate now."),
    ("Acute psychosis, detained.", "Lorazepam against his will."),
    (LETHAL, "Admit her to psychiatry tonight."),
    ("Denies any plan to kill himself; lives alone.", "Home today, GP in a week."),
    ("Thyroid test today: TSH 30.", "TSH 30 shows an underactive thyroid."),
]


def test_wishes_nodules_plans_and_thyroids(reasons):
    """What was refused is not done; what may be a cancer, or ends in a suicide, is not put off."""
    labs = [{"name": "TSH", "value": 30}]
    assert [row for row in REFUSED if not reasons(*row, labs=labs)] == []
    assert [row for row in ALLOWED if reasons(*row, labs=labs)] == []


def test_a_call_for_later_is_nothing_done_now(objections):
    """An escalation for a change to come leaves a plan of suicide sent home."""
    patient = Patient(patient_id="p", age=44, sex="male", notes=[LETHAL])
    assert any("suicide plan" in why for why in objections(patient, "Discharge her home tonight."))


def test_the_parts_stand_in_one_sentence():
    told = Told.read("a / b & c & !d")
    assert told.holds([frozenset("ac")])
    assert not told.holds([frozenset("a"), frozenset("c")])
    assert not told.holds([frozenset("bc"), frozenset("d")])


def test_each_row_has_words_a_reason_and_a_source():
    rows = [row for row in read(f"{FOLDER}/order_limits.csv") if row["kind"] == "deed"]
    assert len(rows) > 80
    for row in rows:
        assert all(row[field] for field in ("phrases", "against", "source")), row["subject"]
        assert row["applies_when"] or row["record_phrases"] or "&" in row["phrases"], row["subject"]
