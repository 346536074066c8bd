"""What must not be done in a situation that the record names, or tells by its signs in one sentence
or in several, in both languages; and the same words where they are right."""

from functools import partial

import pytest

from python_llm.recommendations.checks.deeds import Told
from python_llm.recommendations.schema import Patient

GREW = "Blood cultures grew Staphylococcus aureus."
CRECE = "Hemocultivos positivos para Staphylococcus aureus."
BACILLI = "Cough for weeks; the sputum has acid-fast bacilli."
BROKEN = "Fractured pelvis. He cannot pass urine."
SPELLS = "Headaches that come with drenching sweats. A 5 cm nodule of the right adrenal."
CRISIS = "Palpitaciones y cefalea en episodios. Nódulo suprarrenal de 5 cm."
TEMPORAL = "Fever since Monday. Aphasia, one fit. MRI: bright left temporal lobe."
LCR = "Fiebre y conducta extraña. LCR con 80 linfocitos."
RIGID = "On olanzapine. Mute, lead-pipe rigidity, temperature of 39.9, CK 12,000."
TUBO = "Recibe risperidona. Suda, rigidez en tubo de plomo. Fiebre de 40 °C."
LEAK = "Epirubicin by a hand vein. Burning and swelling at the cannula."
ESCOZOR = "Epirrubicina en curso. Escozor y zona hinchada junto a la vía."
THIN = "BMI of 11.8, only water and tea for ten days."
DELGADA = "IMC de 12,1; lleva once días sin comer."
TENSE = "Cirrhosis with tense ascites."
TENSA = "Cirrosis con ascitis a tensión."
GAS = "Retinal operation last week; gas bubble in the right eye."
INSIPIDUS = "Pituitary surgery in 2010; arginine vasopressin deficiency."


@pytest.fixture
def reasons(reasons):
    return partial(reasons, sex="male")


@pytest.mark.parametrize(
    ("note", "text", "reason"),
    [
        (GREW, "Discontinue cefazolin tomorrow.", "two weeks at least"),
        (GREW, "Home without further antibiotics.", "two weeks at least"),
        (GREW, "Oral flucloxacillin for three more days.", "two weeks at least"),
        (GREW, "No need for an echo.", "asks for an echocardiogram"),
        (GREW, "Repeat blood cultures are unnecessary.", "asks for an echocardiogram"),
        (CRECE, "Suspender la cloxacilina mañana.", "two weeks at least"),
        (CRECE, "Cancelar el ecocardiograma.", "asks for an echocardiogram"),
        (CRECE, "Cefazolina durante cinco días.", "two weeks at least"),
        ("Infectious endocarditis, day 4.", "Stop ceftriaxone today.", "for weeks"),
        ("Espondilodiscitis en la RM.", "Alta sin antibiótico.", "for weeks"),
        ("Wants to pass urine.", "Push the catheter in with more force.", "false passage"),
        ("Retención aguda.", "Si la sonda no pasa, introducirla con fuerza.", "false passage"),
        (BROKEN, "Insert a Foley catheter.", "urethrogram before"),
        ("Fractura pélvica, globo vesical.", "Colocar una sonda vesical.", "urethrogram before"),
        (BACILLI, "The free bed beside other patients, in a bay.", "isolated by air"),
        (BACILLI, "Stop isolation once he swallows the first tablets.", "isolated by air"),
        ("Caverna en el vértice.", "No hace falta aislarlo.", "isolated by air"),
        ("Measles.", "Isolation is not needed once she has had vitamin A.", "isolated by air"),
        ("Varicela.", "Habitación de cuatro camas.", "isolated by air"),
        ("Vesicles in crops on the trunk.", "Double room.", "isolated by air"),
        ("Arborising ulcer of the cornea.", "Prednisolone drops hourly.", "melt"),
        ("Úlcera herpética.", "Gotas de prednisolona.", "melt"),
        (INSIPIDUS, "Do not give desmopressin tonight.", "dries out"),
        ("Diabetes insípida central.", "No dar desmopresina en ayunas.", "dries out"),
        (SPELLS, "Fine needle aspiration of the adrenal nodule.", "metanephrines"),
        (CRISIS, "Biopsia de la suprarrenal guiada por TC.", "metanephrines"),
        (TEMPORAL, "Hold aciclovir for now.", "within hours"),
        (LCR, "No iniciar aciclovir todavía.", "within hours"),
        ("Encefalitis.", "Aciclovir solo si la PCR es positiva.", "within hours"),
        (RIGID, "Give another dose of haloperidol.", "neuroleptic malignant"),
        (TUBO, "Continuar la risperidona.", "neuroleptic malignant"),
        (TENSE, "Drain 9 litres of ascites today.", "8 g for each"),
        (TENSE, "Large-volume paracentesis; albumin is unnecessary.", "8 g for each"),
        (TENSA, "Paracentesis de 10 litros.", "8 g for each"),
        (TENSA, "No hace falta albúmina.", "8 g for each"),
        (LEAK, "Finish the infusion more slowly.", "drawn back"),
        (LEAK, "Hot packs to the hand.", "dexrazoxane"),
        (ESCOZOR, "Terminar la perfusión más despacio.", "drawn back"),
        (ESCOZOR, "Calor local cuatro veces al día.", "dexrazoxane"),
        ("Vincristine leaked beside the vein.", "Ice packs.", "dry warmth"),
        (THIN, "Start the feed at 30 kcal/kg today.", "5 to 10 kcal"),
        (THIN, "From today 2400 kcal.", "5 to 10 kcal"),
        (THIN, "Thiamine can wait.", "begins with thiamine"),
        (DELGADA, "Empezar hoy con 32 kcal/kg.", "5 to 10 kcal"),
        (DELGADA, "No hace falta tiamina.", "begins with thiamine"),
        (GAS, "Entonox for the wrist.", "goes blind"),
        ("Vitrectomía con SF6 el lunes.", "Óxido nitroso al 50 %.", "goes blind"),
        ("Drank potassium hydroxide.", "Wash out the stomach.", "second burn"),
        (
            "De una botella sin etiqueta bebió salfumán.",
            "Dar carbón activado.",
            "second burn",
        ),
    ],
)
def test_a_danger_told_by_its_signs_is_named(reasons, note, text, reason):
    assert reason in reasons(note, text)


@pytest.mark.parametrize(
    ("note", "text"),
    [
        (GREW, "Continue cefazolin; do not stop it before 14 days."),
        (GREW, "Change cefazolin to daptomycin because of the rash."),
        (GREW, "Do not cancel the echocardiogram."),
        (GREW, "Echocardiogram this week; a film of the chest is not needed."),
        (TEMPORAL, "Aciclovir 10 mg/kg every 8 hours; hold ramipril."),
        (BACILLI, "Keep him apart from contact with other patients."),
        (GREW, "Repeat blood cultures until they are negative."),
        ("Skin swab: Staphylococcus aureus. Well.", "Stop flucloxacillin after five days."),
        ("No Staphylococcus aureus in blood cultures.", "Stop flucloxacillin today."),
        (f"{GREW} Six weeks of flucloxacillin completed.", "Stop flucloxacillin today."),
        ("Endocarditis in 2011.", "Stop ceftriaxone today."),
        ("Sin endocarditis. Neumonía.", "Suspender ceftriaxona hoy."),
        ("Wants to pass urine.", "Pass the catheter gently, never with force."),
        (BROKEN, "Suprapubic catheter by urology after a urethrogram."),
        ("Pelvic fracture years ago. Cannot pass urine.", "Insert a Foley catheter."),
        ("No pelvic fracture. Cannot pass urine.", "Insert a Foley catheter."),
        (BACILLI, "Out of isolation after two weeks of treatment with negative smears."),
        (BACILLI, "Admit to a single room; no shared bay."),
        ("Latent tuberculosis, cavity none.", "Isolation is not needed."),
        ("Measles as a child.", "Isolation is not needed."),
        ("Contact with measles, vaccinated.", "Isolation is not needed."),
        ("No dendritic ulcer. Uveitis.", "Prednisolone drops hourly."),
        ("Úlcera ramificada.", "Pomada de ganciclovir."),
        (INSIPIDUS, "Continue desmopressin without missing a dose."),
        ("Nephrogenic diabetes insipidus.", "No desmopressin."),
        ("Diabetes insípida, hiponatremia de 122.", "No dar desmopresina: hiponatremia."),
        (SPELLS, "No biopsy of the adrenal nodule."),
        (SPELLS, "Adrenalectomy after alpha blockade."),
        (f"{SPELLS} Plasma metanephrines normal.", "Biopsy of the adrenal nodule."),
        ("Nódulo suprarrenal. Sin cefalea ni sudoración.", "Biopsia de la suprarrenal."),
        (TEMPORAL, "Start aciclovir now, do not wait for the PCR."),
        (TEMPORAL, "Aciclovir 10 mg/kg every 8 hours while awaiting the PCR."),
        (f"{TEMPORAL} PCR negative twice.", "Withhold aciclovir."),
        ("Autoimmune encephalitis, NMDA antibodies.", "No need for aciclovir."),
        ("Fiebre y cefalea. LCR normal.", "No iniciar aciclovir."),
        (RIGID, "Stop olanzapine and every other antipsychotic."),
        ("On olanzapine, no rigidity, fever of a cold.", "Continue olanzapine."),
        ("Her uncle had lead-pipe rigidity and fever on it.", "Continue olanzapine."),
        (TENSE, "Drain 8 litres with albumin 20 %, 8 g per litre."),
        (TENSE, "Drain 3 litres of ascites; no albumin for so little: 3 litres."),
        (TENSE, "Drink 6 litres less."),
        ("No ascites. Sepsis.", "No albumin."),
        (LEAK, "Stop the infusion, draw back, cold packs and dexrazoxane."),
        ("Epirubicin through a port, no burning, no swelling.", "Continue the infusion."),
        ("Vincristine leaked beside the vein.", "Warm compresses."),
        (THIN, "Start at 10 kcal/kg today and increase over 7 days to 30 kcal/kg."),
        (THIN, "No feed without thiamine."),
        ("Eats well, BMI 23.", "From today 2400 kcal."),
        (GAS, "No nitrous oxide."),
        ("SF6 gas in 2015.", "Entonox for the wrist."),
        ("Has no gas bubble in the eye.", "Entonox for the wrist."),
        ("Drank potassium hydroxide.", "Do not induce vomiting; no charcoal."),
        ("No caustic; thirty tablets.", "Activated charcoal 50 g."),
    ],
)
def test_the_same_words_pass_without_the_danger(reasons, note, text):
    assert reasons(note, text) == ""


@pytest.mark.parametrize(
    ("note", "text"),
    [
        ("Blood drips from his urethra after the crash.", "Insert a Foley catheter."),
        ("Butterfly bruise of the perineum.", "Pass a 16 Ch catheter into the urethra."),
        ("Próstata ascendida al tacto.", "Colocar sonda vesical."),
        ("Sangre en la punta del pene.", "Sondaje uretral."),
    ],
)
def test_a_urethra_torn_by_its_signs(objections, note, text):
    patient = Patient(patient_id="p", age=30, sex="male", notes=[note])
    assert any("injured urethra" in objection for objection in objections(patient, text))


@pytest.mark.parametrize(
    ("note", "text"),
    [
        ("No blood at the meatus, prostate normal.", "Insert a Foley catheter."),
        ("Butterfly rash of the cheeks.", "Insert a Foley catheter."),
        ("Próstata ascendida al tacto.", "No colocar sonda vesical; uretrografía."),
    ],
)
def test_a_whole_urethra_has_its_catheter(objections, note, text):
    patient = Patient(patient_id="p", age=30, sex="male", notes=[note])
    assert not any("injured urethra" in objection for objection in objections(patient, text))


@pytest.mark.parametrize("condition", ["cranial diabetes insipidus", "déficit de vasopresina"])
@pytest.mark.parametrize(
    "text",
    [
        "Omit desmopressin until lunch.",
        "Hold desmopressin.",
        "Pause desmopressin for the operation.",
        "Leave out desmopressin tonight.",
        "Desmopressin should be withheld.",
        "Omitir la desmopresina esta noche.",
        "Suspender la desmopresina.",
        "Se omite la desmopresina.",
    ],
)
def test_desmopressin_is_not_left_out(objections, condition, text):
    patient = Patient(
        patient_id="p", age=40, sex="female", conditions=[condition], medications=["desmopressin"]
    )
    assert any("dries out" in objection for objection in objections(patient, text))


@pytest.mark.parametrize(
    "text",
    [
        "Continue desmopressin.",
        "Do not omit desmopressin.",
        "Switch desmopressin tablets to the nasal spray.",
        "No suspender la desmopresina.",
    ],
)
def test_desmopressin_that_goes_on_passes(objections, text):
    patient = Patient(
        patient_id="p",
        age=40,
        sex="female",
        conditions=["cranial diabetes insipidus"],
        medications=["desmopressin"],
    )
    assert not any("dries out" in objection for objection in objections(patient, text))


@pytest.mark.parametrize(
    ("age", "note", "text", "is_harmful"),
    [
        (5, "Bronchiolitis.", "Maintenance with dextrose 5 % at 60 ml/h.", True),
        (5, "Vomita.", "Mantenimiento con suero glucosado al 5 % sin sodio.", True),
        (5, "Vomits.", "Maintenance with 0.9 % saline and dextrose 5 %.", False),
        (50, "Vomits.", "Maintenance with dextrose 5 % at 60 ml/h.", False),
        (50, "Hiponatremia.", "Perfusión de glucosado al 5 % a 80 ml/h.", True),
        (50, "SIADH.", "Infusion of half normal saline.", True),
        (50, "No hyponatraemia.", "Infusion of half normal saline.", False),
    ],
)
def test_fluid_without_sodium(reasons, age, note, text, is_harmful):
    assert ("sodium" in reasons(note, text, age=age)) == is_harmful


def test_signs_may_stand_in_several_sentences():
    told = Told.read("a & ^b & ^c & !d")
    assert told.holds([frozenset("a"), frozenset("b"), frozenset("c")])
    assert not told.holds([frozenset("a"), frozenset("b")])
    assert not told.holds([frozenset("abc"), frozenset("d")])


def test_phaeochromocytoma_is_read_in_both_spellings(reasons):
    text = "Core biopsy of the mass."
    assert "catecholamines" in reasons("Seen today.", text, conditions=["phaeochromocytoma"])
    assert "catecholamines" in reasons("Seen today.", text, conditions=["pheochromocytoma"])


@pytest.mark.parametrize(
    ("note", "text", "reason"),
    [
        ("Radial arterial line with a red tap.", "Give ceftriaxone via the arterial line.", "hand"),
        ("Línea arterial.", "Administrar diazepam por la línea arterial.", "hand"),
        ("Malignant hyperthermia in an aunt.", "Maintain with desflurane.", "no volatile agent"),
        ("Rigidez y fiebre en una anestesia en 2015.", "Suxametonio.", "no volatile agent"),
        ("Acute intermittent porphyria.", "Phenytoin for the fit.", "haem arginate"),
        ("Porfobilinógeno muy elevado.", "Ayuno hasta mañana.", "haem arginate"),
        ("Cat bite over a knuckle.", "Close the wound with glue.", "stays open"),
        ("Mordedura humana en el nudillo.", "Sin antibiótico.", "stays open"),
        ("Cat bite over a tendon.", "Leave it open; antibiotics are not needed.", "stays open"),
        ("Fell off a ladder. Midline tenderness over C5.", "Collar off.", "held still"),
        ("Vuelco. Dolor a la palpación de C6.", "Quitar el collarín.", "held still"),
        ("Ectopic pregnancy with cardiac activity.", "Methotrexate once.", "operated"),
        ("Ectópico con líquido libre.", "Metotrexato en una dosis.", "operated"),
    ],
)
def test_another_danger_is_named(reasons, note, text, reason):
    assert reason in reasons(note, text)


@pytest.mark.parametrize(
    ("note", "text"),
    [
        ("Radial arterial line.", "Flush the line: saline through the arterial line."),
        ("Línea arterial.", "Gasometría por la línea arterial."),
        ("No malignant hyperthermia in the family.", "Maintain with desflurane."),
        ("Hipertermia maligna.", "Propofol y rocuronio, sin suxametonio."),
        ("No acute porphyria.", "Phenytoin for the fit."),
        ("Porfiria aguda intermitente.", "Evitar fenitoína y ayuno."),
        ("Cat bite over a knuckle.", "Wash it and leave it open."),
        ("Corte limpio en la mano con un cristal.", "Puntos de sutura."),
        ("Fell off a ladder, no midline tenderness.", "Collar off."),
        ("Vuelco. Dolor a la palpación de C6. TC normal.", "Quitar el collarín."),
        ("Ectopic pregnancy without a fetal heartbeat.", "Methotrexate once."),
    ],
)
def test_the_other_danger_is_absent(reasons, note, text):
    assert reasons(note, text) == ""
