"""What a pharmacist's round found: volumes, routes, stops, contraception, sides, and drugs that a
text rules out."""

import pytest

from python_llm.recommendations.schema import Patient


def person(text, age=50, sex="female", **facts):
    return Patient(patient_id="p", age=age, sex=sex, notes=[text], **facts)


CLONIDINE = person("Hypertension.", conditions=["hypertension"], medications=["clonidine 0.2 mg"])
GOUT = person("Gout.", 48, "male", conditions=["gout"], medications=["azathioprine 150 mg"])
PILL = person("Epilepsy.", 25, conditions=["epilepsy"], medications=["combined oral contraceptive"])
HIP = person("Fell. Displaced fracture of the neck of the left femur.", 84)
DIABETES = person("Type 1 diabetes.", conditions=["type 1 diabetes"])
DPD = person("Colon cancer. Complete DPD deficiency.")
PARTIAL = person("Colon cancer. DPYD heterozygous.")
ZOSTER = person("Herpes zoster.", 70, medications=["capecitabine 1500 mg"])
ACNE = person("Acne.", 19, medications=["isotretinoin 40 mg"])
CRISIS = person("Scleroderma renal crisis.", medications=["captopril 25 mg"])
PENICILLIN = person("Pneumonia.", conditions=["pneumonia"], allergies=["amoxicillin (anaphylaxis)"])


@pytest.mark.parametrize(
    ("patient", "text", "reason"),
    [
        # a volume tells no dose
        (DIABETES, "Give 1 mL of insulin lispro before lunch.", "a volume without a strength"),
        (DIABETES, "Insulina glargina 0,3 ml por la noche.", "a volume without a strength"),
        (person("Broken hip, pain."), "Morphine 5 mL iv now.", "a volume without a strength"),
        # what is only injected
        (person("Endocarditis."), "Benzylpenicillin 2.4 g orally every four hours.", "by mouth"),
        (person("Endocarditis."), "Gentamicina 240 mg por vía oral al día.", "by mouth"),
        # a drug is stopped in many words
        *(
            (CLONIDINE, text, "rebound")
            for text in (
                "Clonidine can come off from tomorrow.",
                "Clonidine should be stopped today.",
                "No more clonidine.",
                "Cut out the clonidine from tomorrow.",
                "Do without clonidine from today.",
                "Drop the clonidine.",
                "Se suspende la clonidina.",
                "La clonidina fuera desde mañana.",
            )
        ),
        (
            person("Hypertension.", medications=["clonidine 0.2 mg", "bisoprolol 5 mg"]),
            "Taper clonidine over two weeks and stop clonidine.",
            "withdrawn before clonidine",
        ),
        # contraception beside an inducer, from either side
        (PILL, "Start carbamazepine 200 mg twice a day.", "contraception fails"),
        (PILL, "Start topiramate 25 mg at night.", "contraception fails"),
        (
            person("Epilepsy.", 25, medications=["carbamazepine 400 mg"]),
            "Start desogestrel 75 micrograms daily.",
            "contraception fails",
        ),
        # an enzyme that is missing, and what takes its place away
        (DPD, "Start fluorouracil 400 mg/m2.", "dihydropyrimidine dehydrogenase"),
        (DPD, "Iniciar capecitabina 1000 mg/m2 cada 12 horas.", "dihydropyrimidine dehydrogenase"),
        (PARTIAL, "Start capecitabine 1500 mg twice a day.", "toxicity at a full dose"),
        (ZOSTER, "Brivudina 125 mg al día.", "fluoropyrimidine"),
        (ZOSTER, "Stop capecitabine and give brivudine 125 mg a day.", "fluoropyrimidine"),
        (ACNE, "Add minocycline 100 mg.", "intracranial hypertension"),
        (CRISIS, "Stop captopril, the creatinine rises.", "scleroderma renal crisis"),
        (CRISIS, "Suspender captopril.", "scleroderma renal crisis"),
        (
            person("Depression.", medications=["fluoxetine 40 mg"]),
            "Stop fluoxetine and start phenelzine 15 mg tomorrow.",
            "fluoxetine within five weeks",
        ),
        # a reaction told by its course and its remedy
        (
            person("Pneumonia. She swelled up and needed her EpiPen after the first cefalexin."),
            "Cefuroxime 750 mg iv three times a day.",
            "allergy to cephalosporin",
        ),
        (
            person("Neumonía. Se hinchó entera tras la amoxicilina."),
            "Ampicilina 2 g iv cada seis horas.",
            "penicillin allergy",
        ),
        (
            person("Cellulitis. She puffed up and required adrenaline after flucloxacillin."),
            "Flucloxacillin 1 g four times a day.",
            "penicillin allergy",
        ),
        (
            person("Parkinson disease.", medications=["co-beneldopa"]),
            "Drop the co-beneldopa.",
            "Parkinson",
        ),
        # the other side
        (HIP, "Hemiarthroplasty of the right hip tomorrow.", "right hip"),
        (
            person("Carcinoma of the left breast.", 61),
            "Mastectomy of the right breast in two weeks.",
            "right breast",
        ),
        # thiamine first, told by habits
        (
            person("Drinks a bottle of vodka a day. Glucose 4.0."),
            "Glucose 10 % 500 mL over four hours, then thiamine 100 mg by mouth.",
            "thiamine comes before glucose",
        ),
        # "do not give it" of an order with a dose is how it is given
        (
            PENICILLIN,
            "Amoxicillin 1 g three times a day; do not give it with milk.",
            "penicillin allergy",
        ),
        # what was asked and denied is not there
        (
            person("Penicillin allergy? Yes, anaphylaxis. Pneumonia."),
            "Amoxicillin 1 g three times a day.",
            "penicillin allergy",
        ),
    ],
)
def test_unsafe_of_a_round(objections, patient, text, reason):
    assert any(reason in objection for objection in objections(patient, text))


@pytest.mark.parametrize(
    ("patient", "text", "reason"),
    [
        (DIABETES, "Insulin infusion (1 unit/mL) at 3 mL/h, hourly glucose.", "a volume"),
        (person("Cut."), "Lidocaine 1% 10 mL under the skin.", "a volume"),
        (
            person("Ventricular tachycardia."),
            "Amiodarone 300 mg in 250 mL of glucose over an hour.",
            "a volume",
        ),
        (person("Cirrhosis."), "Lactulose 30 mL three times a day.", "a volume"),
        (
            person("Endocarditis."),
            "Ceftriaxone 2 g iv once a day, then amoxicillin 1 g by mouth.",
            "by mouth",
        ),
        (CLONIDINE, "Taper clonidine over two weeks.", "rebound"),
        (CLONIDINE, "Clonidine must not be stopped.", "rebound"),
        (CLONIDINE, "Continue clonidine 0.1 mg twice a day.", "rebound"),
        (
            PILL,
            "Start carbamazepine 200 mg twice a day with a copper intrauterine device.",
            "contraception fails",
        ),
        (
            person("Menopause. Takes estradiol."),
            "Start carbamazepine 200 mg twice a day.",
            "contraception fails",
        ),
        (
            person("Latent syphilis."),
            "Benzathine benzylpenicillin 2.4 million units into the buttock once a week.",
            "not a treatment",
        ),
        (HIP, "Hemiarthroplasty of the left hip tomorrow.", "hip"),
        # ruled out in other words
        (GOUT, "Allopurinol would make the azathioprine toxic: leave it out.", "in spite of"),
        (GOUT, "Allopurinol: do not give it.", "in spite of"),
        (PENICILLIN, "Amoxicillin stays off the table.", "in spite of"),
        (PENICILLIN, "La amoxicilina queda descartada.", "in spite of"),
        # a pregnancy of the past
        (
            person("Ectopic pregnancy in 2016, tube removed. Cramps since the coil.", 33),
            "Ibuprofen 400 mg three times a day.",
            "pregnancy",
        ),
        (
            person("Penicillin allergy? No. Pneumonia."),
            "Amoxicillin 1 g three times a day.",
            "allergy",
        ),
        (
            person("Pneumonia. Her ankle swelled up after a fall; takes amoxicillin well."),
            "Amoxicillin 1 g three times a day.",
            "allergy",
        ),
    ],
)
def test_safe_of_a_round(objections, patient, text, reason):
    assert not any(reason in objection for objection in objections(patient, text))


def test_an_answered_question_tells_what_is_there(knowledge):
    told = knowledge.findings(
        person("Asthma attack? No: hives and a tight throat after prawns ten minutes ago.")
    )
    assert "anaphylaxis" in told
    assert "asthma" not in told


def test_a_wish_for_comfort_only_is_respected(knowledge):
    assert "dnr_comfort" in knowledge.findings(person("Last days of lung cancer, comfort only."))


@pytest.mark.parametrize(
    "text",
    [
        "Dilaudid 10 mg IV push.",
        "Hydromorphone 8 mg subcutaneously.",
        "Metoprolol 50 mg IV.",
        "Verapamil 80 mg IV.",
        "Diltiazem 120 mg IV.",
        "Propranolol 40 mg IV.",
        "Atenolol 50 mg IV.",
        "Labetalol 300 mg IV.",
        "Methadone 40 mg IV.",
        "Oxycodone 20 mg IV.",
        "Buprenorphine 8 mg IV.",
        "Hydralazine 50 mg IV.",
        "Enalaprilat 20 mg IV.",
        "Haloperidol 20 mg IV.",
        "Chlorpromazine 200 mg intramuscular.",
        "Midazolam 15 mg IV.",
        "Ondansetron 16 mg IV.",
        "Terbutaline 5 mg subcutaneously.",
        "Amiodarone 1200 mg IV bolus.",
        "Metoprolol 50 mg en bolo intravenoso.",
    ],
)
def test_a_dose_of_the_mouth_is_not_injected(objections, text):
    told = objections(person("Well today.", 80), text)
    assert any("dose is" in objection for objection in told)


@pytest.mark.parametrize(
    "text",
    [
        "Hydromorphone 1 mg IV push.",
        "Hydromorphone 8 mg by mouth.",
        "Metoprolol 5 mg IV, repeated twice to 15 mg in total.",
        "Metoprolol 5 mg IV, then metoprolol 50 mg by mouth.",
        "Verapamil 5 mg IV over two minutes.",
        "Diltiazem 20 mg IV over two minutes.",
        "Diltiazem 0.25 mg/kg IV.",
        "Propranolol 1 mg IV.",
        "Labetalol 20 mg IV.",
        "Labetalol 200 mg twice a day.",
        "Buprenorphine 0.3 mg IV.",
        "Buprenorphine 8 mg under the tongue.",
        "Hydralazine 10 mg IV.",
        "Enalaprilat 1.25 mg IV.",
        "Furosemide 80 mg IV.",
        "Midazolam 2 mg IV.",
        "Ondansetron 4 mg IV.",
        "Amiodarone 300 mg IV over an hour, then 900 mg IV over 24 hours.",
    ],
)
def test_a_dose_of_its_own_route_is_right(objections, text):
    told = objections(person("Well today.", 80), text)
    assert not any("dose is" in objection for objection in told)
