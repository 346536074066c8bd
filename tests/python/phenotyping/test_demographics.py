"""Age and sex of the patient from a note, and a patient as a phenopacket."""

import json

import pytest

from python_llm.errors import UserError
from python_llm.phenotyping import phenopacket
from python_llm.phenotyping.demographics import stage_of_patient, told_of_patient
from python_llm.phenotyping.demographics import tests_done as done
from python_llm.phenotyping.page import NO_AGE, age_text, format_work_up
from python_llm.phenotyping.spoken import PATIENT, of_whom_it_is_told

MONTH = 1 / 12


@pytest.mark.parametrize(
    ("note", "language", "age", "sex"),
    [
        ("A 24-year-old man with tall stature.", "en", 24, "male"),
        ("This 3 month old girl has hypotonia.", "en", 3 * MONTH, "female"),
        ("45 yo F with chest pain.", "en", 45, "female"),
        ("Patient aged 61 years. She has tremor; her gait is slow.", "en", 61, "female"),
        ("48 y lorry driver with chest tightness.", "en", 48, None),
        ("3 y history of headaches.", "en", None, None),
        ("He's 17, an apprentice. Tired.", "en", 17, "male"),
        ("She is 14 weeks pregnant.", "en", None, "female"),
        ("Name: Ruth, 58. Cough.", "en", 58, None),
        ("A lady over eighty who fell.", "en", 80, "female"),
        ("Baby of six days, feeds well.", "en", 6 / 365.25, None),
        ("5 months, cries after feeds.", "en", 5 * MONTH, None),
        ("5 months, weight loss and cough.", "en", None, None),
        ("Dña. Rosa, de 81 años. Se cansa.", "es", 81, "female"),
        ("5 meses, llanto por las noches.", "es", 5 * MONTH, None),
        ("5 meses, tos y pérdida de peso.", "es", None, None),
        ("Está de siete meses y sangra.", "es", None, None),
        ("Gran's 92 and can't be woken since lunch.", "en", 92, "female"),
        ("Nan is talking rubbish since lunch. 41-year-old man, tired.", "en", 41, "male"),
        ("10 y smoker, stopped.", "en", None, None),
        ("Re: female, 51 years. Headaches.", "en", 51, "female"),
        ("Woman of 30. Tired.", "en", 30, "female"),
        ("Man of 63, retired builder.", "en", 63, "male"),
        ("Boy of 12 kg with vomiting.", "en", None, "male"),
        ("Follow-up clinic, 6 y boy.", "en", 6, "male"),
        ("Seizures began at 4 years of age. He is now 7 years old.", "en", 7, "male"),
        ("His mother is a 40-year-old woman. The boy is 9 years old.", "en", 9, "male"),
        ("Woman 52 worried. Father died at 60.", "en", 52, "female"),
        ("Girl 12 kg with cough.", "en", None, "female"),
        ("Dictated: This gentleman, 74, comes with a headache.", "en", 74, "male"),
        ("My husband is 71. He shuffles.", "en", 71, "male"),
        ("My father is 54 and shakes. I'm 30 and clumsy.", "en", 30, None),
        ("Jonah, 11, has had headaches.", "en", 11, None),
        ("Nora is 4. She has a rash.", "en", 4, "female"),
        ("Pain is 8. He is sweating.", "en", None, "male"),
        ("Potassium is 6. She is well.", "en", None, "female"),
        ("My sister died aged 29. My son is 12 and faints.", "en", 12, "male"),
        ("Dear team, thank you for seeing Mrs Bright (47).", "en", 47, "female"),
        ("My boy is 2 and a half. He limps.", "en", 2.5, "male"),
        ("Hi, I'm calling about my wife, 66, who is confused.", "en", 66, "female"),
        ("HPC: 52F, cleaner. Headaches.", "en", 52, "female"),
        ("Seen by Dr. 29M cook, cough.", "en", 29, "male"),
        ("Changed by nurse 16F foley. Tired.", "en", None, "female"),
        ("Baby girl, D6. Feeds well.", "en", 6 / 365.25, "female"),
        ("Neonata de 9 días. Mama bien.", "es", 9 / 365.25, "female"),
        ("Niña 2 a 5 m. Tos.", "es", 2 + 5 * MONTH, "female"),
        ("Lactante con tos desde hace 3 a 4 m.", "es", None, None),
        ("Hola, mi hija Vera tiene 7 años. Tose.", "es", 7, "female"),
        ("Mother of a 5-month-old girl. Has coughed for two days.", "en", 5 * MONTH, "female"),
        ("Mother of a 3-year-old boy. Heavy periods and tired.", "en", None, "female"),
        ("Mother of a boy of 6 weeks. I feel low and cry.", "en", None, None),
        ("Call from the father of a boy, 3 years. Hot since noon.", "en", 3, "male"),
        ("Padre de un lactante de 5 meses (mujer). Tose.", "es", 5 * MONTH, "female"),
        ("Madre de una niña de 2 meses. Reglas abundantes y cansancio.", "es", None, "female"),
        ("Mujer de 34 años, madre de un bebé de 8 meses. Tos.", "es", 34, "female"),
        ("Daughter calling about her father, 82. Drowsy.", "en", 82, "male"),
        ("Mother rang about her son, 9. Rash since noon.", "en", 9, "male"),
        ("Her son calls every day. 74-year-old woman with a cough.", "en", 74, "female"),
        ("Llama el marido por su mujer, 41 años. No duerme.", "es", 41, "female"),
        ("El hijo llama por su madre, de 79 años. Tos.", "es", 79, "female"),
        ("Llama la vecina. Varón de 80 años que tose.", "es", 80, "male"),
        ("I am 38 (man). Cough.", "en", 38, "male"),
        ("Tengo 45 años (mujer). Tos.", "es", 45, "female"),
        ("School nurse referral: girl, 9 y 6 m. Falls.", "en", 9.5, "female"),
        ("GP letter: boy, 7, with a limp.", "en", 7, "male"),
        ("Exposure: boy, 4 y, with measles. Cough.", "en", None, "male"),
        ("42-year-old, had a hysterectomy in 2019. Cough.", "en", 42, "female"),
        ("44-year-old. Wife had a hysterectomy. Cough.", "en", 44, None),
        ("30-year-old with periods of apnea.", "en", 30, None),
        ("Paciente de 40 años. Reglas abundantes.", "es", 40, "female"),
        ("35-year-old cook. Her mother had a stroke.", "en", 35, "female"),
        ("35-year-old cook. Wife is well, her mother had a stroke.", "en", 35, None),
        ("Llamo por mi abuelo, que tiene 88 años. Se cae.", "es", 88, "male"),
        ("Mi hijo tiene dos años y medio y ronca.", "es", 2.5, "male"),
        ("Tengo 35 años y estoy agotada. Mi hija tiene 2 años.", "es", 35, None),
        ("Newborn with cleft palate.", "en", 0, None),
        ("As a newborn she had surgery. She is now 12.", "en", 12, "female"),
        ("De recién nacido, operado. Ahora tiene 12 años.", "es", 12, None),
        ("De recién nacido fue operado del corazón.", "es", None, None),
        ("Valoración de recién nacido con hipotonía.", "es", 0, None),
        ("Tremor for 3 years.", "en", None, None),
        ("His symptoms began at the age of 12.", "en", None, "male"),
        ("Niña de 3 años con tos crónica.", "es", 3, "female"),
        ("Varón de 45 años con dolor torácico.", "es", 45, "male"),
        ("18m F. Cough.", "en", 1.5, "female"),
        ("2y4m F. Cough.", "en", 2 + 4 * MONTH, "female"),
        ("3 y 4 m girl. Cough.", "en", 3 + 4 * MONTH, "female"),
        ("3y F. Cough.", "en", 3, "female"),
        ("Niña de 2 años y 4 meses con tos.", "es", 2 + 4 * MONTH, "female"),
        ("Niña de 2a 4m con tos.", "es", 2 + 4 * MONTH, "female"),
        ("Niña con tos de 2 a 4 meses de evolución.", "es", None, "female"),
        ("Varón de 23 años con seis semanas de diarrea.", "es", 23, "male"),
        ("Mujer con 6 semanas de tos.", "es", None, "female"),
        ("Lactante con 8 meses de edad.", "es", 8 * MONTH, None),
        ("Lactante mujer de 5 meses.", "es", 5 * MONTH, "female"),
        ("Mujer de 28 años con un bazo grande.", "es", 28, "female"),
        ("Her grandmother is 90 years old. Woman of 30.", "en", 30, "female"),
        ("Paciente de sexo femenino, 32 años de edad.", "es", 32, "female"),
        ("Recién nacido con hipotonía.", "es", 0, None),
        ("La madre, de 30 años, es sana. Niño de 2 años.", "es", 2, "male"),
        ("Crisis desde los 4 años de edad.", "es", None, None),
        ("Ataxia de 3 años de evolución.", "es", None, None),
        # behind a heading, a title or a label, and not what was done at an age
        ("TRIAGE 09:14\n61F via ambulance. Appendicectomy aged 12.", "en", 61, "female"),
        ("Grommets aged 4. Sweaty.", "en", None, None),
        ("Ms T., 42, is well.", "en", 42, "female"),
        ("Mrs N, 68 y, breathless.", "en", 68, "female"),
        ("Mr B, 53. Referred by his doctor.", "en", 53, "male"),
        ("Ward round, 71F\nDay 3.", "en", 71, "female"),
        ("We saw the child, aged 7, with his parents.", "en", 7, None),
        ("Patient: male, 27 years\nTired.", "en", 27, "male"),
        ("Remito a Dª A. P., de 51 años, por temblor.", "es", 51, "female"),
        ("15 años. Dolor en el testículo derecho.", "es", 15, "male"),
        # days and hours of life
        ("5-hour-old boy, grunting.", "en", 5 / 8766, "male"),
        ("Day of life 3, feeds poorly.", "en", 3 / 365.25, None),
        ("Grunting at 40 hours of life; now 4 days of life.", "en", 4 / 365.25, None),
        ("On day 2 of life she had apnea. She is now 4 years old.", "en", 4, "female"),
        ("Diagnosed at 4, now 13. A boy.", "en", 13, "male"),
        # as wards and people write them
        ("F, 41yrs, tired.", "en", 41, "female"),
        ("Patient aged forty-one, male.", "en", 41, "male"),
        ("29F v anxious.", "en", 29, "female"),
        ("50ish lady with flushes.", "en", 50, "female"),
        ("Woman, 47, breast cancer.", "en", 47, "female"),
        ("M, 3 days of cough.", "en", None, "male"),
        ("Chico 16 a, acné.", "es", 16, "male"),
        ("Mujer de 30 a con cefalea.", "es", 30, "female"),
        ("Mujer de treinta y dos años.", "es", 32, "female"),
        ("Sra. de 77 años, caídas.", "es", 77, "female"),
        ("Niña de dos años con fiebre.", "es", 2, "female"),
        # a value of now is no age
        ("K 4.1 last week, now 7.4. Woman of 60.", "en", 60, "female"),
        ("Hb 6.5 last year, now 13. Woman of 40.", "en", 40, "female"),
        ("Diagnosed at 40, creatinine 3, now 4. A man.", "en", None, "male"),
        ("He is well, born at term, bilirubin now 15.", "en", None, "male"),
        ("Full-term boy, mottled.", "en", 0, "male"),
        ("Born as a full-term boy, he walked late.", "en", None, "male"),
        ("Newborn screening was normal.", "en", None, None),
        ("Postpartum day 2, newborn well. BP 150/95.", "en", None, None),
        ("RN varón de 20 horas con quejido.", "es", 20 / 8766, "male"),
        ("Ictericia a los 2 días de vida; hoy, 6 días de vida.", "es", 6 / 365.25, None),
        ("Gestante a término, RN sano.", "es", None, "female"),
        ("G4P2A1, 31 sem. Cefalea.", "es", None, "female"),
        ("Gestante de 31 semanas, primigesta de 24 años.", "es", 24, "female"),
        ("Gestante de 31 semanas. Cefalea.", "es", None, "female"),
        ("Lactante de 8 meses traído por su padre.", "es", 8 * MONTH, "male"),
        ("Viene con cefalea. Su hermana de 8 años, traída por su padre.", "es", None, None),
        ("Paciente de 40 años, acude acompañada.", "es", 40, "female"),
        ("7-year-old brought by his mother.", "en", 7, "male"),
        ("37 yo pregnant, G3P2, 29 weeks.", "en", 37, "female"),
        # short forms of wards
        ("Mujer 62 a. Tos.", "es", 62, "female"),
        ("Hombre, 48a, fumador de 20 paq.", "es", 48, "male"),
        ("Niña 7 años, otalgia.", "es", 7, "female"),
        ("Lactante 5 m. Tos.", "es", 5 * MONTH, None),
        ("Lactante varón 20 d, febril.", "es", 20 / 365.25, "male"),
        ("RN 9 días, ictericia.", "es", 9 / 365.25, None),
        ("V 80a, DM2.", "es", 80, "male"),
        ("M 31 a. Migraña.", "es", 31, "female"),
        ("66a. Tos.", "es", 66, None),
        ("Mujer con asma de 12 a de evolución.", "es", None, "female"),
        ("Dolor de 4 a de evolución.", "es", None, None),
        ("Paciente 3 años de evolución con temblor.", "es", None, None),
        ("4/52 F, vomiting.", "en", 28 / 365.25, "female"),
        ("7/12 boy, croup.", "en", 7 * MONTH, "male"),
        ("Baby, 3/52, off feeds.", "en", 21 / 365.25, None),
        ("5wk M, jaundiced.", "en", 35 / 365.25, "male"),
        ("D4 neonate, jaundiced.", "en", 4 / 365.25, None),
        ("3/52 cough in a man.", "en", None, "male"),
        ("D10 post chemo, 49F.", "en", 49, "female"),
        # in a letter, in years and months, by work
        ("Dear Dr, re Mrs H, 39, teacher.", "en", 39, "female"),
        ("Community clinic. 4 y 2 m old boy, clumsy.", "en", 4 + 2 / 12, "male"),
        ("A 3 yr 4 mth old girl.", "en", 3 + 4 / 12, "female"),
        ("Neurología. Estudiante de 19 años.", "es", 19, None),
        # in words of years and months, behind a place, and of who speaks
        ("I saw Tom, who is three years and five months old.", "en", 3 + 5 / 12, None),
        ("Niño de tres años y cinco meses.", "es", 3 + 5 / 12, "male"),
        ("Patient: male, 63, retired baker.", "en", 63, "male"),
        ("ED 31M. PC wheeze.", "en", 31, "male"),
        ("AMU bed 4 66F, off legs.", "en", 66, "female"),
        ("Soy Rafael, tengo 66 años y me duele. Mi mujer insiste.", "es", 66, "male"),
        ("Tengo 66 años. Mi mujer insiste.", "es", 66, None),
        ("Soy diabética, me duele un pie.", "es", None, "female"),
        ("Soy la vecina. Varón de 80 años, me dice que se cayó.", "es", 80, "male"),
        ("Profesora de 50 años con tos.", "es", 50, "female"),
        ("Primigesta, 31 años, EG 33+4. TA 120/70.", "es", 31.0, "female"),
        ("Gestante, 33 semanas. Dolor.", "es", None, "female"),
        ("Seen with her mother: 15-year-old girl. Tall for her age.", "en", 15.0, "female"),
        ("My wife is whom I am writing about, she's 44. Headache.", "en", 44.0, "female"),
        ("Newborn girl, 8 days. Jaundice.", "en", 0.0219, "female"),
        ("Newborn, 2 days of fever.", "en", 0.0, None),
        ("Type 1 clinic, 27F. Dx aged 8.", "en", 27, "female"),
        ("COPD annual check, M 68. ITU 2021, intubated 9 days.", "en", 68, "male"),
        ("Clinic letter, 6 weeks on. K 4.1.", "en", None, None),
        ("Pte fem 61 a, cirrosis.", "es", 61, "female"),
        ("Revisión posparto, 28 a (Quito).", "es", 28, None),
        ("Esguince de rodilla, 17 a, ayer.", "es", 17, None),
        ("Shock séptico. Ventilación mecánica 6 días.", "es", None, None),
        ("Dolor lumbar, 3 años de evolución.", "es", None, None),
    ],
)
def test_age_and_sex_are_read_of_the_patient(note, language, age, sex):
    told = told_of_patient(note, language)
    assert told.age_years == (None if age is None else pytest.approx(age, abs=1e-3))
    assert told.sex == sex


@pytest.mark.parametrize(
    ("note", "age"),
    [
        ("Seen at home. Baby feeds well.", 0.5),
        ("Vista en urgencias. Lactante febril.", 0.5),
        ("Toddler with croup.", 2),
        ("Traída por sus padres. Niña con otitis.", 8),
        ("Woman with a cough. Child at school.", None),
        ("Baby aspirin was started.", None),
        ("36 weeks with my second, headache since noon. Baby is moving.", None),
        ("Dolor de cabeza. Bebé se mueve menos. De 35 semanas.", None),
        ("Pale and grunting. Baby is moving all limbs.", 0.5),
        ("Pale and grunting. Baby is not moving.", 0.5),
        ("Cough for a week.", None),
    ],
)
def test_a_child_without_an_age_is_no_adult(note, age):
    assert stage_of_patient(note) == age


def test_tests_that_are_planned_are_not_done():
    words = ["echocardiogra", "ecg", "resonancia cerebral"]
    assert done("Echocardiography was normal. He sleeps.", words) == "Echocardiography was normal."
    assert done("An echocardiogram will be ordered.", words) is None
    assert done("Echocardiogram pending.", words) is None
    for open_test in ("No ECG yet.", "He has never had an ECG.", "ECG awaited.", "Aún sin ECG."):
        assert done(open_test, words) is None
    booked = (
        *("ECG booked for the 9th.", "ECG arranged to look for long QT.", "ECG next week."),
        *("Echocardiogram in May.", "On the list for an ECG in March.", "ECG to follow."),
        *("ECG pedido para febrero.", "ECG mañana.", "Citado para ECG.", "Se hará ECG."),
    )
    assert [text for text in booked if done(text, words)] == []
    reported = (
        "ECG in May 2019.",
        "ECG in March: QTc 490 ms.",
        "ECG booked last month was normal.",
    )
    assert [text for text in reported if not done(text, words)] == []
    assert done("His father had an abnormal ECG.", words) is None
    assert done("Resonancia cerebral: normal.", words) == "Resonancia cerebral: normal."
    assert done("Se solicita resonancia cerebral.", words) is None
    assert done("Echocardiography was normal.", []) is None
    # what stands beside a relative, a range or another plan is still a result
    reported = "ECG QTc 490 ms (reference below 450); mother a carrier; plan: gene panel."
    assert done(reported, words) == "ECG QTc 490 ms (reference below 450)"
    # referred with a result, or for a test
    assert done("Referred with an ECG that shows a long QT.", words)
    assert not done("Referred for an ECG.", words)
    assert done("Consider an ECG.", words) is None
    positive = "Anticuerpos antitransglutaminasa positivos."
    assert done(positive, ["transglutaminas"]) == positive
    assert done("ECG?", words) is None
    assert done("An ECG has not been checked.", words) is None
    assert done("No se le ha hecho resonancia.", words) is None


@pytest.mark.parametrize(
    "text", ["P4Y", "P6M", "P1Y6M", "P0D", "P12D", "P3M2D", "P63Y", "P17Y11M", "P29D"]
)
def test_ages_of_phenopackets_survive_the_way_there_and_back(text):
    assert phenopacket.duration_of(phenopacket.years_of(text)) == text


def test_a_written_phenopacket_is_read_as_it_was():
    rows = [
        {"hpo_id": "HP:1", "hpo_name": "one", "is_excluded": False, "onset_years": 0.5},
        {"hpo_id": "HP:2", "hpo_name": "two", "is_excluded": True, "onset_years": None},
        {"hpo_id": "HP:3", "hpo_name": "three", "is_excluded": False, "onset_years": None},
    ]
    packet = phenopacket.write(rows, age_years=4.25, sex="female", release="2025-01-16")
    text = json.dumps(packet)
    assert phenopacket.is_phenopacket(text)
    assert phenopacket.read(text) == {
        "findings": ["HP:1", "HP:3"],
        "excluded": ["HP:2"],
        "onsets": {"HP:1": 0.5},
        "age_years": 4.25,
        "sex": "female",
    }


def test_phenopackets_of_version_1_and_ranges_are_read():
    packet = {
        "subject": {"sex": 2, "ageAtCollection": {"ageRange": {"start": {"age": "P2Y"}}}},
        "phenotypic_features": [
            {"type": {"id": "HP:1"}, "negated": True},
            {"type": {"id": "HP:2"}, "ageOfOnset": {"age": "P1Y"}, "onset": {"age": "P1M"}},
        ],
    }
    read = phenopacket.read(json.dumps(packet))
    assert (read["excluded"], read["findings"], read["sex"]) == (["HP:1"], ["HP:2"], "male")
    assert read["onsets"] == {"HP:2": pytest.approx(MONTH)}
    assert read["age_years"] == 2
    with pytest.raises(UserError, match="entry 1: its type has no id"):
        phenopacket.read('{"phenotypicFeatures": [{"type": {}}]}')


@pytest.mark.parametrize("text", ["", "A note.", "{not json", '{"a": 1}', "[]"])
def test_a_note_is_no_phenopacket(text):
    assert not phenopacket.is_phenopacket(text)


@pytest.mark.parametrize(
    ("years", "text"),
    [
        (0.0007, "6 hours"),
        (0.01, "4 days"),
        (1 / 365.25, "1 day"),
        (0.0767, "4 weeks"),
        (0.5, "6 months"),
        (1.5, "18 months"),
        (2.5, "2 years and 6 months"),
        (3, "3 years"),
        (40.4, "40 years"),
    ],
)
def test_ages_are_printed_as_people_say_them(years, text):
    assert age_text(years) == text


@pytest.mark.parametrize(
    ("age", "onset", "text"),
    [
        (38.0, 38 - 4 / 365.25, "Fever (HP:0001945), for 4 days"),
        (38.0, 20.0, "Fever (HP:0001945), from 20 years"),
        (1.0, 0.5, "Fever (HP:0001945), from 6 months"),
        (None, 0.5, "Fever (HP:0001945), from 6 months"),
    ],
)
def test_what_began_days_ago_is_said_in_days(age, onset, text):
    finding = {
        "hpo_id": "HP:0001945",
        "hpo_name": "Fever",
        "is_excluded": False,
        "onset_years": onset,
        "progression": None,
    }
    patient = {"age_years": age, "sex": None, "pregnancy": None, "read_from_note": []}
    result = {
        "status": "worked_up",
        "patient": patient,
        "phenotypes": [finding],
        "data_completeness": 0.1,
        "uncertainty": {"ambiguous": [], "missing": []},
        "seconds": 0.1,
    } | {
        name: []
        for name in (
            "red_flags",
            "issues",
            "disease_profiles",
            "disease_candidates",
            "next_best_steps",
            "what_would_change",
        )
    }
    lines = format_work_up(result).splitlines()
    assert f"Present: {text}" in lines
    # of an unknown age the page says what was not looked for
    assert (NO_AGE in lines) is (age is None)


def test_what_is_told_of_alcohol_goes_with_the_tests():
    note = "ALT 120 twice. No bebe alcohol. Su padre bebe alcohol."
    assert done(note, ["ultrasound"]) == "ALT 120 twice. No bebe alcohol."
    assert done("No bebe alcohol.", ["ultrasound"]) is None


@pytest.mark.parametrize(
    ("note", "is_of_kin"),
    [
        ("My sister was stung by a wasp, her lips are swelling and she is wheezing.", True),
        ("My dad had a fit and he is still unconscious.", True),
        ("Mi tío no puede orinar desde ayer.", True),
        ("My mum has breast cancer, she is 50, and I want a test.", False),
        ("My father died of a heart attack at 50. I have a cough.", False),
        ("My husband is worried about my mood.", False),
        ("Mum is worried: he is still coughing.", False),
        ("My sister has lupus.", False),
    ],
)
def test_who_calls_for_a_relative_tells_of_a_patient(note, is_of_kin):
    assert (PATIENT in of_whom_it_is_told(note).split()) is is_of_kin
