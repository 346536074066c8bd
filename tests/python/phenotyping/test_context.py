"""What the words around a name, a value or a sign make of it."""

import pytest

from python_llm.phenotyping.readings import rows_of

CHEST_PAIN, PALSY, STRIDOR = "HP:0100749", "HP:0100021", "HP:0010307"
AMELIA, VERTIGO, WEAKNESS = "HP:0009827", "HP:0002321", "HP:0001324"
ENDOCARDITIS, AGRANULOCYTOSIS, PHOTOSENSITIVE = "HP:0100584", "HP:0012234", "HP:0000992"
FACIAL, FEVER = "HP:0012799", "HP:0001945"
INFARCTION, STROKE, SEIZURE = "HP:0001658", "HP:0001297", "HP:0001250"
DIABETES = "HP:0000819"
SYNCOPE, PRESYNCOPE = "HP:0001279", "HP:0031972"
THENAR, COPPER_RING, GOWERS = "HP:0003393", "HP:0200032", "HP:0003391"


def read(readers, note, language):
    return rows_of("case", note, readers[language].read(note))


def statuses(readers, language, note, name):
    """What a note says of a term, a sign or a measure, in order."""
    rows = read(readers, note, language)
    return [
        row["status"] for row in rows if name in (row["hpo_id"], row["finding"].partition("#")[0])
    ]


@pytest.mark.parametrize(
    ("language", "note", "name", "expected"),
    [
        # a relative behind a comma has a disease of his own, and the patient the rest
        ("en", "Fainted at football, his cousin has epilepsy.", "HP:0001279", ["present"]),
        ("en", "Fainted at football, his cousin has epilepsy.", SEIZURE, ["relative"]),
        ("en", "Vertigo, his mother has it too.", VERTIGO, ["relative"]),
        ("es", "Chica con vértigo, su tía tiene epilepsia.", VERTIGO, ["present"]),
        # what never was there before is there now
        ("es", "Un vértigo que no había tenido nunca.", VERTIGO, ["present"]),
        ("en", "Vertigo like I've never had before.", VERTIGO, ["present"]),
        ("es", "No ha tenido nunca vértigo.", VERTIGO, ["denied"]),
        # "sin" denies what is named bare; a colour tells what is there
        ("es", "Sin tos, ojos rojos, fiebre alta.", FEVER, ["present"]),
        ("es", "Sin tos, ojos rojos ni fiebre.", FEVER, ["denied"]),
        ("es", "Sin tos, vértigo, fiebre.", FEVER, ["denied"]),
        # what does not stop is there, and a verb begins another clause
        ("es", "No para de vomitar, tiene fiebre.", FEVER, ["present"]),
        ("es", "No come, respira mal y tiene fiebre.", FEVER, ["present"]),
        ("es", "No tiene tos, vértigo ni fiebre.", FEVER, ["denied"]),
        ("en", "He can't stop coughing and has vertigo.", VERTIGO, ["present"]),
        # the fever of old attacks is none of today
        ("en", "Since childhood attacks of pain, with fever in each attack.", FEVER, ["past"]),
        ("es", "Desde niña crisis de dolor, con fiebre en las crisis.", FEVER, ["past"]),
        ("es", "Desde niña crisis de dolor. Hoy fiebre durante las crisis.", FEVER, ["present"]),
        ("en", "Attacks of fever since yesterday.", FEVER, ["present"]),
        ("es", "No se queja de fiebre.", FEVER, ["denied"]),
        # near to a faint and awake is no syncope; what is weak is neither
        ("en", "I feel rather faint after lunch.", SYNCOPE, []),
        ("en", "I feel rather faint after lunch.", PRESYNCOPE, ["present"]),
        ("en", "He all but collapsed, pale and faint.", SYNCOPE, []),
        ("en", "She fainted twice at work.", SYNCOPE, ["present"]),
        # once in childhood and never since
        ("en", "Fainted once at school aged 11, never again.", SYNCOPE, ["past"]),
        ("en", "Fainted once at 9 am, not hurt.", SYNCOPE, ["present"]),
        ("en", "Fainted once at 11 today, none since.", SYNCOPE, ["present"]),
        ("es", "Se desmayó una vez a los 9 años, ninguna desde entonces.", SYNCOPE, ["past"]),
        ("es", "Se ha desmayado una vez hoy, no se ha hecho daño.", SYNCOPE, ["present"]),
        # what is only planned is no test done
        ("en", "Plan: CT and echocardiogram.", "tests_done", []),
        ("en", "CT showed a mass.", "tests_done", ["present"]),
        ("es", "Pte de Rx de tórax.", "tests_done", []),
        ("en", "Pelvic ultrasound booked for next week to look for fibroids.", "tests_done", []),
        ("en", "Renal ultrasound is being arranged.", "tests_done", []),
        ("en", "Pelvic ultrasound next week.", "tests_done", []),
        ("en", "MRI last week.", "tests_done", ["present"]),
        ("es", "EEG mañana.", "tests_done", []),
        ("es", "EEG esta mañana con puntas.", "tests_done", ["present"]),
        ("es", "Se hará espirometría para descartar EPOC.", "tests_done", []),
        ("en", "MRI to exclude a stroke was normal.", "tests_done", ["present"]),
        ("es", "Si fiebre 3 días: ecografía.", "tests_done", []),
        ("es", "Rx de tórax ayer con derrame.", "tests_done", ["present"]),
        ("en", "Felt faint, then fainted.", SYNCOPE, ["present"]),
        ("en", "A faint at the bus stop.", SYNCOPE, ["present"]),
        ("en", "Nearly fainted on the stairs.", SYNCOPE, []),
        ("en", "A faint pink rash and a faint murmur.", SYNCOPE, []),
        ("en", "She does not feel faint.", PRESYNCOPE, ["denied"]),
        ("en", "Her mother feels faint in church.", PRESYNCOPE, ["relative"]),
        ("es", "Se siente algo desmayada al salir de la cama.", PRESYNCOPE, ["present"]),
        ("es", "Casi se desmaya en el autobús.", SYNCOPE, []),
        ("es", "Se ha desmayado en el autobús.", SYNCOPE, ["present"]),
        ("es", "No se ha desmayado nunca.", SYNCOPE, ["denied"]),
        # signs of thumb, cornea and legs
        ("en", "Wasting of the thenar eminence.", THENAR, ["present"]),
        ("en", "No thenar wasting.", THENAR, ["denied"]),
        ("es", "Atrofia de la eminencia tenar derecha.", THENAR, ["present"]),
        ("en", "K-F rings at the slit lamp.", COPPER_RING, ["present"]),
        ("es", "Sin anillos de Kayser-Fleischer.", COPPER_RING, ["denied"]),
        ("en", "Climbs up his legs to stand.", GOWERS, ["present"]),
        ("es", "Maniobra de Gowers positiva.", GOWERS, ["present"]),
        ("es", "Gowers negativo.", GOWERS, ["denied"]),
        # a child that is wanted is no relative
        ("es", "Toma enalapril y quiere tener un hijo.", "picture:ace_inhibitor", ["present"]),
        ("es", "Su hijo toma enalapril.", "picture:ace_inhibitor", ["relative"]),
        # why something is suspected is certain
        ("en", "Lupus suspected: vertigo and fever.", VERTIGO, ["present"]),
        ("en", "Diagnosis suspected: endocarditis.", ENDOCARDITIS, ["in_doubt"]),
        # letters with two meanings are read by their neighbours
        ("en", "Abrupt CP while gardening, through to the back.", CHEST_PAIN, ["present"]),
        ("en", "3/7 of R sided CP, worse on coughing.", CHEST_PAIN, ["present"]),
        ("en", "Woke with severe CP.", CHEST_PAIN, ["present"]),
        ("en", "No SOB. No CP.", CHEST_PAIN, ["denied"]),
        ("en", "A girl with severe CP, GMFCS IV, spastic.", PALSY, ["present"]),
        ("en", "Tumour of the left CP angle.", PALSY, []),
        ("en", "Tumour of the left CP angle.", CHEST_PAIN, []),
        # a lost function that begins a sign denies nothing behind it
        ("es", "No puede tragar saliva, ruido al coger aire.", STRIDOR, ["present"]),
        ("es", "No fiebre, no ruido al coger aire.", STRIDOR, ["denied"]),
        ("es", "No puede tragar ni su saliva, ruido al inspirar.", STRIDOR, ["present"]),
        ("es", "Lengua y labios hinchados desde hoy.", "sign:closing_throat", ["present"]),
        ("es", "Edema de labio inf. y lengua.", "sign:closing_throat", ["present"]),
        ("es", "No consigue tragar su saliva.", "sign:deep_throat", ["present"]),
        # denials behind a list of letters
        ("en", "ACS, MI and PE excluded.", INFARCTION, ["denied"]),
        ("en", "MI ruled out by serial troponins.", INFARCTION, ["denied"]),
        ("en", "MI not excluded.", INFARCTION, ["in_doubt"]),
        # a call that was taken back, or what it was for is ruled out
        ("en", "Stroke alert stood down in resus.", STROKE, ["denied"]),
        ("es", "Llega con código ictus, anulado por neurología.", STROKE, ["denied"]),
        ("en", "Came as a stroke call. Imaging clean. Stroke ruled out.", STROKE, ["denied"] * 2),
        ("en", "Stroke this morning. Second stroke ruled out.", STROKE, ["present", "denied"]),
        ("en", "Stroke call for a facial droop, then cancelled.", FACIAL, ["present"]),
        ("en", "Stroke call for a facial droop, then cancelled.", STROKE, ["denied"]),
        ("en", "Stroke today; theatre slot cancelled.", STROKE, ["present"]),
        ("en", "Seen by the stroke team.", STROKE, []),
        # what a leaflet or a consent lists
        ("en", "The leaflet says it can cause seizures and coma.", SEIZURE, ["conditional"]),
        ("es", "Leyó que puede producir convulsiones y coma.", SEIZURE, ["conditional"]),
        ("es", "Ficha técnica: convulsiones, coma.", SEIZURE, ["conditional"]),
        ("en", "The leaflet lists coma and seizures as side effects.", SEIZURE, ["conditional"]),
        ("es", "Plan de emergencia: si convulsiones, acudir.", SEIZURE, ["conditional"]),
        ("en", "Consent: stroke, seizures, death 1-2%.", SEIZURE, ["conditional"]),
        ("es", "Leyó en un foro que eran convulsiones.", SEIZURE, ["conditional"]),
        # whose the denial is: of the antibodies, of the complication
        ("es", "Diabetes desde los 6 años, anticuerpos anti-GAD negativos.", DIABETES, ["present"]),
        ("en", "Diabetes since 9, antibodies negative.", DIABETES, ["present"]),
        ("es", "Sin retinopatía diabética.", DIABETES, []),
        ("en", "No diabetic retinopathy.", DIABETES, []),
        ("en", "No diabetes.", DIABETES, ["denied"]),
        # a sample that was spoilt in a way that explains the value
        ("en", "K 6.8, lab comments that the sample was hemolyzed.", "potassium", ["in_doubt"]),
        ("en", "K 6.8. Specimen left overnight.", "potassium", ["in_doubt"]),
        ("en", "Potassium 6.8, not haemolysed.", "potassium", ["present"]),
        ("en", "Glucose 2.0, tube unspun until noon.", "glucose", ["in_doubt"]),
        ("en", "Glucose 2.0, haemolysed.", "glucose", ["present"]),
        ("en", "Potassium 7.0, fistula clotted.", "potassium", ["present"]),
        ("en", "K 6.7. Repeat at the practice today 4.6.", "potassium", ["past", "present"]),
        ("es", "Plaquetas 14.000, agregados plaquetarios.", "platelets", ["in_doubt"]),
        # a second value of another sample or another way to measure it
        ("en", "K 7.1, clotted; fresh sample 4.4.", "potassium", ["past", "present"]),
        ("es", "Glucosa 35 mg/dl, capilar 88.", "glucose", ["past", "present"]),
        ("en", "Glucose 2.1, to be repeated at 14:00.", "glucose", ["present"]),
        # names that are ordinary words elsewhere
        ("en", "Fit for discharge. Keeps fit.", SEIZURE, []),
        ("en", "Had a fit at school.", SEIZURE, ["present"]),
        ("en", "Between the attacks she is entirely fit.", SEIZURE, []),
        ("en", "Re: Amelia Hart. Amelia was born early.", AMELIA, []),
        ("en", "Amelia of the right arm.", AMELIA, ["present"]),
        ("en", "The world is spinning when she lies down.", VERTIGO, ["present"]),
        ("es", "Moratones en las espinillas y rodillas.", "picture:acne", []),
        ("es", "Espinillas en la frente.", "picture:acne", ["present"]),
        ("es", "EEG con punta-onda y fotosensibilidad.", PHOTOSENSITIVE, []),
        # what is to be kept away is not there
        ("en", "Amoxicillin before dental work to avoid endocarditis.", ENDOCARDITIS, ["planned"]),
        ("es", "Anticoagulado para evitar un ictus.", STROKE, ["planned"]),
        # over, by a year and a word
        ("es", "Agranulocitosis en 2011, resuelta.", AGRANULOCYTOSIS, ["past"]),
        ("en", "Power 5/5 in the arms, 4-/5 in the legs.", WEAKNESS, ["present"]),
        ("en", "Power 5/5 throughout.", WEAKNESS, ["denied"]),
        ("es", "Rigidez en las piernas al correr.", "HP:0003552", ["present"]),
        (
            "en",
            "Both Achilles tendons are thickened; LDL 6.9 mmol/L.",
            "ldl_cholesterol",
            ["present"],
        ),
        ("en", "AChR antibodies 12 nmol/L.", "receptor_antibody", ["present"]),
        ("es", "C8 3,1 µmol/l en el cribado.", "octanoylcarnitine", ["present"]),
        ("en", "Alkaline phosphatase 14 U/L (30-130).", "alkaline_phosphatase", ["present"]),
        ("es", "Fosfatasa alcalina de 14 U/L.", "alkaline_phosphatase", ["present"]),
        ("en", "Mg 0.52, K 2.9.", "magnesium", ["present"]),
        ("en", "Paracetamol 500 mg, codeine 30 mg 1.5 tablets.", "magnesium", []),
        ("es", "Fósforo 2,1 mg/dL, PTH 142 pg/mL.", "phosphate", ["present"]),
        ("es", "Fósforo 2,1 mg/dL, PTH 142 pg/mL.", "parathyroid_hormone", ["present"]),
        ("es", "Mujer hipertensa de 50 años.", "HP:0000822", ["present"]),
        ("en", "Dark red non-blanching spots on the buttocks.", "HP:0001014", ["present"]),
        ("en", "Several small red vascular spots in the stomach.", "HP:0000967", []),
        ("es", "Dientes translúcidos de color gris pardo.", "HP:0000703", ["present"]),
        ("es", "Articulaciones muy móviles.", "HP:0001382", ["present"]),
        ("es", "TC: quistes pulmonares basales.", "HP:0032445", ["present"]),
        ("en", "Falls asleep in class and wakes unable to move.", "HP:0025233", ["present"]),
        ("es", "Arreflexia, vibración abolida en tobillos.", "HP:0006944", ["present"]),
        ("en", "Ruddy face, spleen tip 3 cm.", "HP:0001744", ["present"]),
        ("en", "Spleen tip not felt.", "HP:0001744", ["denied"]),
        ("es", "Dolor en el costado al respirar.", "HP:0030157", []),
        ("en", "Lost two baby teeth with the roots at age 3.", "HP:0006323", ["present"]),
    ],
)
def test_words_around_it_decide(readers, language, note, name, expected):
    assert statuses(readers, language, note, name) == expected


@pytest.mark.parametrize(
    ("language", "note", "difference"),
    [
        ("en", "BP L arm 188/100, R arm 150/90.", [38.0]),
        ("en", "BP 170/95 in the left arm and 128/80 in the right.", [42.0]),
        ("es", "TA brazo dcho 182/96, brazo izdo 140/80.", [42.0]),
        ("es", "TA MSI 120/70, MSD 124/72.", [4.0]),
        ("en", "BP R arm 170/95, repeated R arm 128/80.", []),
    ],
)
def test_pressures_of_the_arms_are_compared(readers, language, note, difference):
    rows = read(readers, note, language)
    assert [row["value"] for row in rows if row["finding"] == "arm_difference"] == difference
    assert [row for row in rows if row["finding"] == "systolic_pressure"]


@pytest.mark.parametrize(
    ("language", "note", "onset"),
    [
        ("en", "Born at 38 weeks, floppy from the start.", None),
        ("en", "Floppy at 38 weeks of age.", 38 * 7 / 365.25),
        ("es", "Crisis convulsivas, 6 episodios al año.", None),
        ("es", "Crisis convulsivas al año.", 1.0),
    ],
)
def test_how_often_and_how_early_born_is_no_onset(readers, language, note, onset):
    (row,) = [row for row in read(readers, note, language) if row["kind"] == "finding"]
    assert row["onset_years"] == (None if onset is None else pytest.approx(onset, abs=0.01))


@pytest.mark.parametrize(
    ("measure", "value", "note"),
    [
        ("cholesterol", 402, "Total cholesterol 10.4."),
        ("ldl_cholesterol", 275, "LDL 7.1 mmol/L."),
        ("ldl_cholesterol", 130, "LDL 130 mg/dL."),
        ("filtration_rate", 44, "eGFR 44 mL/min/1.73."),
    ],
)
def test_lipids_and_filtration_are_values(readers, measure, value, note):
    (row,) = [row for row in read(readers, note, "en") if row["finding"] == measure]
    assert row["value"] == pytest.approx(value, abs=1)
