"""What a dictated note spells out."""

import pytest

from python_llm.parsing.folding import fold_in_place
from python_llm.phenotyping.demographics import told_of_patient
from python_llm.phenotyping.measures import measures_of, ordered_measure
from python_llm.phenotyping.spoken import signs_of


@pytest.mark.parametrize(
    ("sentence", "values"),
    [
        (
            "Pulse one hundred and twenty six, blood pressure eighty-four over fifty, "
            "saturations ninety-one per cent.",
            {"heart_rate": 126, "systolic_pressure": 84, "diastolic_pressure": 50,
             "saturation": 91},
        ),
        (
            "BP one eighty over one ten, heart rate one oh five.",
            {"systolic_pressure": 180, "diastolic_pressure": 110, "heart_rate": 105},
        ),
        ("Lactate five. GCS nine. Potassium seven point two.",
         {"lactate": 5, "glasgow": 9, "potassium": 7.2}),
        ("pH seven point zero eight, glucose twenty-one millimoles.",
         {"ph": 7.08, "glucose": 378.336}),
        (
            "Tensión ochenta y cuatro sobre cincuenta, pulso ciento veintiséis, saturación ochenta "
            "y nueve por ciento, temperatura treinta y nueve con dos.",
            {"systolic_pressure": 84, "diastolic_pressure": 50, "heart_rate": 126, "saturation": 89,
             "temperature": 39.2},
        ),
        ("Glucosa cuatrocientos ochenta, sodio ciento dieciocho.", {"glucose": 480, "sodium": 118}),
        ("In two thousand and nineteen her CK was two thousand four hundred.",
         {"creatine_kinase": 2400}),
        ("Thirty-four weeks pregnant, pressure one sixty over one hundred and ten.",
         {"gestation_weeks": 34, "systolic_pressure": 160, "diastolic_pressure": 110}),
        ("My blood pressure machine said 81 over 46.",
         {"systolic_pressure": 81, "diastolic_pressure": 46}),
        ("El tensiómetro me dio 81 sobre 46.",
         {"systolic_pressure": 81, "diastolic_pressure": 46}),
        ("Troponin T 34 ng/L.", {"troponin": 34}),
        ("Troponina T 88 ng/L.", {"troponin": 88}),
        ("hs-TnT 41, T 37.2.", {"troponin": 41, "temperature": 37.2}),
        ("Home cuff read 178 over 116.", {"systolic_pressure": 178, "diastolic_pressure": 116}),
        ("Rotator cuff 4/5 power, 90/60.", {}),
        ("BP 84 over 50.", {"systolic_pressure": 84, "diastolic_pressure": 50}),
        ("Tired. 84/50, pulse 126.",
         {"systolic_pressure": 84, "diastolic_pressure": 50, "heart_rate": 126}),
        ("Fever for thirty-eight hours.", {}),
        ("Fever for thirty eight days, and the pulse of two of her sons.", {}),
        ("My oxygen was 87.", {"saturation": 87}),
        ("On oxygen 60 litres.", {}),
        ("Dipstick always shows blood +++, protein 2+.", {"urine_blood": 3, "urine_protein": 2}),
        ("Blood group A+.", {}),
        ("Arm span 192 cm, height 178 cm.", {"span_ratio": 1.0787}),
        ("Talla 184 cm, envergadura 198 cm.", {"span_ratio": 1.0761}),
        ("Anoche tuvo treinta y nueve con cuatro de fiebre.", {"temperature": 39.4}),
        ("She is 35 weeks into her first pregnancy.", {"gestation_weeks": 35}),
        ("Estoy de 36 semanas.", {"gestation_weeks": 36}),
        ("She is 34 weeks old.", {}),
        ("Lleva 12 semanas de tos.", {}),
        ("Paracetamolemia a las 10 h: 148 mcg/ml.", {"paracetamol_level": 148}),
        ("TA 8 4 y FC 120", {"systolic_pressure": 80, "diastolic_pressure": 40, "heart_rate": 120}),
        ("Tensión 12 y 7.", {"systolic_pressure": 120, "diastolic_pressure": 70}),
        ("Me han dado 16 11 de tensión.", {"systolic_pressure": 160, "diastolic_pressure": 110}),
        ("TA 7 días", {}),
        ("El pulsioxímetro de casa marca 86.", {"saturation": 86}),
        ("ANA positivos a título 1/320, patrón moteado.", {"antinuclear_titer": 320}),
        ("Ana, 45 años, factor reumatoide 85 UI/ml, anti-CCP 250.",
         {"rheumatoid_factor": 85, "citrulline_antibody": 250}),
        ("FR 18 irpm, RF normal.", {"respiratory_rate": 18}),
        ("FVC 61% predicted, DLCO 40%.", {"vital_capacity": 61, "diffusing_capacity": 40}),
        ("FVC 2.4 l.", {}),
    ],
)  # fmt: skip
def test_values_in_words_and_signs(sentence, values):
    read = {measure.name: measure.value for measure in measures_of(fold_in_place(sentence))}
    assert read == pytest.approx(values)


@pytest.mark.parametrize(
    ("note", "written"),
    [
        (
            "I saw this man comma who had cataracts full stop He is well full stop",
            "I saw this man, who had cataracts. He is well.",
        ),
        ("Tos coma fiebre punto y seguido No disnea", "Tos, fiebre. No disnea"),
        ("Entró en coma punto final", "Entró en coma."),
        ("Niño de siete meses coma con tos punto", "Niño de siete meses, con tos."),
        ("Tos coma mocos coma otitis", "Tos, mocos, otitis"),
        ("Glasgow 3, coma. Coma desde ayer.", "Glasgow 3, coma. Coma desde ayer."),
        ("Coma mixedematoso sin coma previo", "Coma mixedematoso sin coma previo"),
        ("Un punto doloroso. Tos punto y seguido", "Un punto doloroso. Tos."),
        ("Potasio siete coma dos punto y aparte", "Potasio siete coma dos."),
        ("The colon was normal full stop", "The colon was normal."),
        ("She was in a coma.", "She was in a coma."),
        ("A comma is a sign.", "A comma is a sign."),
    ],
)
def test_dictated_signs_stand_for_themselves(note, written):
    read = signs_of(note, fold_in_place(note))
    assert len(read) == len(note)
    assert " ".join(read.split()) == written


def test_a_comma_is_no_coma(readers):
    note = "I reviewed this lorry driver comma who is well full stop No headache full stop"
    assert "HP:0001259" not in {row.hpo_id for row in readers["en"].read(note)}


@pytest.mark.parametrize(
    ("language", "note", "age"),
    [
        ("en", "This sixty-nine-year-old baker was sent in by her daughter.", 69),
        ("en", "New patient. Boy aged 9. Red urine.", 9),
        ("en", "Seen in clinic. Tonsillectomy aged 9. Well.", None),
        ("en", "I'm 34 and had my second baby.", 34),
        ("en", "A baby of 5 weeks with a cold.", 0.0958),
        ("es", "Tengo 48 años y le escribo por cansancio.", 48),
        ("es", "Tengo 3 años con tos.", None),
        ("es", "Mi niño tiene cuatro años. Tose.", 4),
        ("en", "Baby girl, 4 months, still yellow.", 0.3333),
    ],
)
def test_ages_of_letters_and_of_patients_themselves(language, note, age):
    assert told_of_patient(note, language).age_years == age


@pytest.mark.parametrize(
    ("words", "measure"),
    [
        ("serum urate", "urate"),
        ("erythrocyte sedimentation rate", "sedimentation_rate"),
        ("thyroid-stimulating hormone (tsh)", "tsh"),
        ("tsh receptor antibodies", None),
        ("calcium in urine", None),
        ("pulse", None),
    ],
)
def test_an_order_names_a_measure(words, measure):
    assert ordered_measure(words) == measure
