"""Free words that neglect a danger: a control put off without the name of its drug, a plan that
sends away or explains away what the record tells, an abbreviation that is misread; beside them the
same words where they are right, and ordinary care that passes."""

import json

import pytest

from python_llm.recommendations.checks.abbreviations import misread
from python_llm.recommendations.checks.quiet import Quiet
from python_llm.recommendations.schema import Patient

VITALS = {"systolic_bp": 128, "heart_rate": 76, "respiratory_rate": 15, "spo2_percent": 98}
COLD = "Stent coronario hace dos meses."
# note, action, medications, a word of the reason
NEGLECTS = (
    (
        "Bipolar disorder.",
        "The next bloods can go another year.",
        ["lithium 800 mg"],
        "next control",
    ),
    (
        "Metotrexato iniciado hace dos semanas.",
        "Hemograma en seis meses.",
        ["metotrexato"],
        "first",
    ),
    (
        "Spironolactone added yesterday.",
        "No need to recheck bloods.",
        ["spironolactone"],
        "one to",
    ),
    (
        "Clarithromycin started today.",
        "INR as usual in eight weeks.",
        ["warfarin"],
        "INR was",
    ),
    ("Sore throat, fever.", "Lozenges; the blood test can wait.", ["clozapine"], "neutrophils"),
    ("Gentamicin, day 5.", "Levels are unnecessary.", ["gentamicin"], "all along"),
    (
        "Coarse tremor, vomiting.",
        "See the GP next week.",
        ["Priadel 800 mg"],
        "is toxicity",
    ),
    ("Temblor, diarrea.", "Continuar con la misma dosis de litio.", ["litio 400 mg"], "toxicity"),
    (COLD, "Retírele el ticagrelor una semana.", ["ticagrelor 90 mg"], "recent stent"),
    ("AF, past stroke.", "Quítele el apixabán.", ["apixaban 5 mg"], "past stroke"),
    ("Aneurysm of the aorta; sudden back pain today.", "It is colic: diclofenac.", [], "leaking"),
    ("Pain moved to the right, guarding.", "Laxative, review in a week.", [], "surgeons"),
    ("Rodilla caliente e hinchada, fiebre.", "Gota: colchicina.", [], "septic"),
    ("Plaster of the tibia, pain out of proportion.", "Look at it tomorrow.", [], "compartment"),
    ("Took 40 tablets of paracetamol 4 hours ago.", "Home, no bloods.", [], "level at four"),
    ("Drinker, last drink yesterday, shaking, sees spiders.", "Send him home.", [], "delirium"),
    ("Baby, spiral fracture, rolled off the sofa.", "Home with the parents.", [], "child"),
    ("Her partner strangled her.", "Call the partner to fetch her.", [], "foretells"),
    ("Quiere morir; guarda pastillas.", "Cita el mes que viene.", [], "suicide"),
    ("Blood in the stool for weeks.", "Treat as piles, review in six months.", [], "two weeks"),
    ("Bulto duro en la mama.", "Es mastopatía; control dentro de un año.", [], "two weeks"),
    ("Left mastectomy, arm swollen.", "Cannula in the left arm.", [], "lymphoedema"),
    ("Baclofen pump.", "Let the pump run dry.", [], "refill"),
    ("HIV, undetectable.", "Take a break from the tablets.", [], "interrupted"),
    ("Late period.", "Isotretinoin 40 mg; a pregnancy test is not needed.", [], "pregnancy first"),
    ("Never had an opioid.", "Oxycodone MR 40 mg twice daily.", [], "no first opioid"),
    ("Válvula mecánica; extracción dental.", "No precisa profilaxis.", [], "amoxicillin"),
    ("Pregnant.", "Diazepam 10 mg every night for two months.", [], "newborn"),
    ("Constipated, urinary retention.", "Solifenacin 10 mg.", [], "bladder"),
    ("First seizure two days ago.", "Back to his lorry on Monday.", [], "for a living"),
    ("Could not speak for ten minutes this morning.", "Clinic in six weeks.", [], "transient"),
    ("INR 4.2.", "LP straight away.", ["warfarin"], "haematoma"),
    ("Diabetes.", "Insulin glargine 10U at night.", [], "touches its number"),
)
HEEDS = (
    ("Bipolar disorder.", "Lithium level in three months.", ["lithium 800 mg"]),
    ("Warfarin for years.", "INR in eight weeks.", ["warfarin"]),
    ("Coarse tremor, vomiting.", "Stop lithium; lithium level today.", ["Priadel 800 mg"]),
    ("AF, past stroke.", "Quítele el apixabán 48 horas antes de la cirugía.", ["apixaban 5 mg"]),
    ("Aneurysm of the aorta; no pain.", "Scan in six months.", []),
    ("Pain moved to the right, guarding.", "Surgeons today; home only if they agree.", []),
    ("Rodilla caliente e hinchada, fiebre.", "Artrocentesis hoy.", []),
    ("Takes paracetamol 1 g, four times a day.", "Home today.", []),
    ("Lump in the breast.", "Refer within two weeks.", []),
    ("Left mastectomy, arm swollen.", "Cannula in the right arm, not the left arm.", []),
    ("HIV, undetectable.", "Do not stop the tablets.", []),
    ("Never had an opioid.", "Avoid oxycodone MR.", []),
    ("Mechanical valve; tooth extraction.", "Amoxicillin 2 g an hour before.", []),
    ("Constipated, urinary retention.", "Stop solifenacin.", []),
    ("First seizure two days ago.", "He must not drive his lorry.", []),
)
QUIET = (
    "Hypothyroidism on levothyroxine 75 micrograms, TSH 2.1, well.",
    "Gout, no attack for a year on allopurinol 300 mg, urate 300 µmol/L.",
    "Comes for a health check. Father had bowel cancer at 70.",
    "Hipertensión arterial controlada con enalapril 10 mg.",
    "Atrial fibrillation, on apixaban 5 mg twice daily, weight 70 kg, no bleeding.",
)
NOT_QUIET = (
    "Hypothyroidism on levothyroxine 75 micrograms, TSH 45.",
    "Hypertension on ramipril, left leg like jelly.",
    "Gota, dedo negro.",
    "No better. Asthma.",
    "Epilepsy, zorplexin 5 mg.",
)


def person(note, medications=(), age=50, sex="female"):
    return Patient(
        patient_id="p", age=age, sex=sex, notes=[note], medications=medications, vitals=VITALS
    )


@pytest.fixture(scope="module")
def unsafe(checker):
    """The unsafe verdicts on an action, as one text."""

    def reasons(note, text, medications):
        patient = person(note, medications)
        document = {
            "recommendation_id": "r",
            "patient_id": "p",
            "recommended_actions": [{"action": text, "evidence_refs": ["E1"]}],
        }
        verdicts = checker.tier1(json.dumps(document), patient)
        return "; ".join(v.reason for v in verdicts if str(v.outcome) == "unsafe")

    return reasons


def test_free_words_that_neglect_are_unsafe(unsafe):
    missed = [
        (note, text) for note, text, drugs, why in NEGLECTS if why not in unsafe(note, text, drugs)
    ]
    assert missed == []


def test_the_same_words_with_care_are_not(unsafe):
    new = {why for *_, why in NEGLECTS}
    wrong = [
        (text, reasons)
        for note, text, drugs in HEEDS
        if any(why in (reasons := unsafe(note, text, drugs)) for why in new)
    ]
    assert wrong == []


def test_a_record_is_quiet_only_if_each_part_is(knowledge):
    quiet = Quiet(knowledge)
    assert [note for note in QUIET if not quiet.is_quiet([note])] == []
    assert [note for note in NOT_QUIET if quiet.is_quiet([note])] == []


def test_screening_is_plain_care_of_the_stable_alone(checker):
    texts = ("Mammogram through the screening programme.", "Citología cervical.", "Fotoprotección.")
    assert all(checker.care.is_plain(text, (), is_stable=True) for text in texts)
    assert not any(checker.care.is_plain(text, (), is_stable=False) for text in texts)
    assert not checker.care.is_plain("Colonoscopy.", (), is_stable=True)


def test_misread_abbreviations_are_told():
    for text in ("Warfarin 5.0 mg.", "Digoxin .125 mg.", "Insulin 10U.", "MSO4 10 mg.", "5 mg qod"):
        assert list(misread(text)), text
    for text in ("Warfarin 5 mg.", "0.125 mg", "10 units", "5.000 UI", "INR of 2.0", "97/103 mg"):
        assert not list(misread(text)), text
