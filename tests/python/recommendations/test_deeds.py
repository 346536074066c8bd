"""Deeds that harm in a situation (rows `deed` of order_limits), and the same words where they are
right."""

import pytest

from python_llm.recommendations.checks.deeds import Told
from python_llm.recommendations.knowledge import FOLDER
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
