"""Thousands and decimals, the side of a procedure, clauses that call something else needless, and
words that look like an emergency, a dose or a delay and are none."""

import pytest

from python_llm.recommendations.schema import Patient
from python_llm.recommendations.wording.amounts import of_order, of_record
from python_llm.recommendations.wording.phrases import words

SPANISH = "Paciente con fiebre desde hace dos días y dolor de la pierna."
ENGLISH = "She has had a fever for two days and is now in pain."


def person(text, age=60, sex="male", **facts):
    return Patient(patient_id="p", age=age, sex=sex, notes=[text], **facts)


@pytest.mark.parametrize(
    ("text", "beside", "read"),
    [
        ("Vancomicina 1.250 mg iv.", SPANISH, "Vancomicina 1250 mg iv."),
        ("Enoxaparina 8.000 UI al día.", SPANISH, "Enoxaparina 8000 UI al día."),
        ("Heparina entre 5.000 y 10.000 UI.", SPANISH, "Heparina entre 5000 y 10000 UI."),
        ("Penicilina 2.400.000 UI.", ENGLISH, "Penicilina 2400000 UI."),
        ("Digoxina 0.125 mg.", SPANISH, "Digoxina 0.125 mg."),
        ("Piperacillin 3.375 g.", ENGLISH, "Piperacillin 3.375 g."),
        ("Vancomycin 1,250 mg for the fever.", ENGLISH, "Vancomycin 1250 mg for the fever."),
        ("Suero 12 000 ml.", SPANISH, "Suero 12000 ml."),
        ("Give 2 500 mg tablets.", ENGLISH, "Give 2 500 mg tablets."),
    ],
)
def test_thousands_are_read_by_the_language(text, beside, read):
    assert of_order(text, beside) == (read, ())


@pytest.mark.parametrize(
    ("text", "beside"),
    [
        ("Give vancomycin 1.250 mg for the fever.", ENGLISH),
        ("Give heparin 5.000 units now.", ENGLISH),
        ("Vancomicina 1,250 mg de inicio.", SPANISH),
        ("Amoxicilina 1.000 g de inicio.", SPANISH),
    ],
)
def test_what_may_be_both_is_held(text, beside):
    assert of_order(text, beside)[1]


def test_records_are_read_alike():
    assert of_record(["valproato 1.500 mg", "pesa 3.250 g"], SPANISH) == [
        "valproato 1500 mg",
        "pesa 3250 g",
    ]
    assert of_record(["creatinina de 1.025 mg/dl"], SPANISH) == ["creatinina de 1.025 mg/dl"]
    assert person(SPANISH, medications=["valproato 1.500 mg"]).medications == ["valproato 1500 mg"]


def test_nought_before_a_comma_is_a_decimal():
    assert words("digoxina 0,125 mg")[1] == "0.125"
    assert words("5,000 units")[:3] == ["5", ",", "000"]


@pytest.mark.parametrize(
    ("note", "text", "reason"),
    [
        (
            "Embolia pulmonar en la TC, pesa 70 kg.",
            "Heparina 50.000 UI en bolo ahora por la embolia.",
            "50000",
        ),
        ("Pneumonia, she is stable.", "Give ceftriaxone 2.000 mg into the vein.", "may be"),
        ("Epilepsia con crisis de hoy.", "Levetiracetam 12.000 mg por la vena.", "12000 mg"),
    ],
)
def test_a_dose_in_thousands_is_judged(objections, note, text, reason):
    assert reason in "\n".join(objections(person(note), text))


@pytest.mark.parametrize(
    ("note", "text"),
    [
        ("Neumonía, estable.", "Ceftriaxona 2.000 mg intravenosa ahora por la neumonía."),
        ("Fibrilación auricular.", "Digoxina 0,125 mg al día por la fibrilación auricular."),
    ],
)
def test_a_dose_in_use_stays_in_use(objections, note, text):
    assert "dose" not in "\n".join(objections(person(note), text))


REFUSES = "Jehovah's Witness, refuses red cells. Haemoglobin 70."
# one order of each kind of rule, which is unsafe
ORDERS = [
    (person(REFUSES), "Transfuse one unit of red cells today"),
    (person("Smear positive tuberculosis, cavity on the film."), "Move him to the shared bay"),
    (
        person("Pneumonia.", allergies=["penicillin: anaphylaxis"]),
        "Give amoxicillin 1 g three times a day",
    ),
    (person("Atrial fibrillation."), "Give apixaban 50 mg twice a day"),
    (person("Right pneumothorax of 4 cm."), "Insert a left chest drain now"),
    (person("Sodium 112, seizures.", conditions=["hyponatraemia"]), "Raise the sodium by 20 today"),
    (person("Group O positive. Haemoglobin 64."), "Transfuse group A red cells now"),
    (
        person("Mechanical mitral valve.", conditions=["mechanical mitral valve"]),
        "Start apixaban 5 mg twice a day",
    ),
]
ASIDES = [
    "; consent is not needed",
    "; isolation and monitoring are not needed",
    ", because an X-ray is no longer needed",
    "; a second opinion is unnecessary once he has had a dose",
    ", as consent is then not required",
    "; no hace falta consentimiento",
    ", ya que el aislamiento no es necesario",
    ". No ECG is needed",
    "; se puede prescindir del control",
]


@pytest.mark.parametrize("aside", ASIDES)
@pytest.mark.parametrize(("patient", "order"), ORDERS)
def test_an_aside_makes_no_order_better(objections, patient, order, aside):
    # what an aside names may be of the field
    bare = {r for r in objections(patient, f"{order}.") if "names nothing" not in r}
    assert bare
    assert bare <= set(objections(patient, f"{order}{aside}."))


@pytest.mark.parametrize(
    ("text", "rest"),
    [
        ("Admit to the bay, gowns and masks are not needed.", "Admit to the bay"),
        ("Isolation is not needed.", ""),
        ("Stop apixaban; it is no longer needed.", None),
        ("Stop clopidogrel, as dual therapy is no longer needed.", None),
        ("Give oxygen as needed.", None),
        ("Suspender apixabán porque ya no es necesario.", None),
    ],
)
def test_an_aside_has_a_subject_of_its_own(checker, text, rest):
    left = checker._asides.left_by(text).strip(" ;,.")
    assert left == (text.strip(".") if rest is None else rest)


STONE = "Stone in the left ureter with left hydronephrosis, the right kidney is normal."
PIEDRA = "Cálculo en el uréter izquierdo con hidronefrosis izquierda, riñón derecho normal."


@pytest.mark.parametrize(
    ("note", "text"),
    [
        (STONE, "Right nephrostomy tonight."),
        (STONE, "Place a right ureteric stent, as the kidney is blocked."),
        (PIEDRA, "Nefrostomía derecha urgente."),
        (PIEDRA, "Catéter doble J derecho esta noche."),
        ("The left knee is hot and swollen.", "Right knee aspiration today."),
        ("Gangrena del pie izquierdo.", "Amputación infracondílea derecha."),
        ("Catarata del ojo derecho.", "Cirugía de catarata del ojo izquierdo."),
        ("Left haemothorax.", "Right thoracotomy in theatre."),
        ("Fracture of the left hip.", "Right fascia iliaca block."),
        ("Left subdural haematoma.", "Right craniotomy now."),
        ("Left pneumothorax.", "Pigtail catheter into the right chest."),
    ],
)
def test_a_procedure_on_the_other_side(objections, note, text):
    assert "the record tells the" in "\n".join(objections(person(note), text))


@pytest.mark.parametrize(
    ("note", "text"),
    [
        (STONE, "Left nephrostomy tonight."),
        (PIEDRA, "Nefrostomía izquierda o catéter doble J izquierdo urgente."),
        ("The left knee is hot and swollen.", "Left knee aspiration today."),
        ("Gangrene of the left foot.", "Left below-knee amputation."),
        ("Pneumonia of the right lung.", "Left subclavian line for noradrenaline."),
        ("Thrombosis of the left leg.", "Ultrasound of both legs, also the right leg."),
    ],
)
def test_a_procedure_on_the_right_side(objections, note, text):
    assert "the record tells the" not in "\n".join(objections(person(note), text))


@pytest.mark.parametrize(
    "note",
    [
        "Electric-shock pain of the right jaw on chewing.",
        "Lhermitte: feels like an electric shock on bending the neck.",
        "In a state of shock after the news of the death.",
        "Está en shock por la muerte de su padre.",
        "The left eye is red with pressure 58.",
        "Glaucoma, pressure 49 in the left eye.",
    ],
)
def test_no_shock_of_the_circulation(knowledge, note):
    assert not {"unstable", "hypotension"} & set(knowledge.findings(person(note)))


@pytest.mark.parametrize(
    "note",
    [
        "In shock after the fall, cold and grey.",
        "Opens her eyes to voice, pressure 72.",
        "Eye pressure of 50, blood pressure 76.",
        "En shock tras la hemorragia.",
    ],
)
def test_a_shock_of_the_circulation(knowledge, note):
    assert {"unstable", "hypotension"} & set(knowledge.findings(person(note)))


@pytest.mark.parametrize(
    "text",
    [
        "Do not clamp the chest drain.",
        "A nurse trained in chest drains goes with him.",
        "No retirar el drenaje torácico.",
    ],
)
def test_a_drain_left_alone_is_not_refused(objections, golden, text):
    patient = person("Left pneumothorax, chest drain in place.")
    assert "another part advises it" not in "\n".join(objections(patient, text))


def test_orders_may_begin_with_a_noun(checker):
    for text in (
        "Enfriamiento activo con mantas frías",
        "Enfriar al enfermo ahora",
        "Nefrostomía derecha urgente",
        "Fosfato oral 500 mg cada 8 horas",
    ):
        assert not checker._understood.complaint(text), text


def test_a_group_behind_its_tests_is_read(objections):
    patient = person("Hemoglobina 62. Grupo sanguíneo, comprobado dos veces: B positivo.")
    told = "\n".join(objections(patient, "Transfundir hematíes del grupo A positivo ahora."))
    assert "group A for a patient of group B" in told


@pytest.mark.parametrize(
    ("note", "is_wrong"),
    [
        ("The label on the bag has the surname of another patient.", True),
        ("En la etiqueta de la bolsa figura otro paciente.", True),
        ("The label on the bag has her own surname.", False),
    ],
)
def test_a_bag_with_the_name_of_another(objections, note, is_wrong):
    told = "\n".join(objections(person(f"Haemoglobin 61. {note}"), "Transfuse the bag now."))
    assert ("name of another" in told) is is_wrong


def test_what_a_dose_is_measured_by_is_none(objections):
    patient = person("Cirrhosis with ascites.", conditions=["cirrhosis", "ascites"])
    text = "Give human albumin 20 % 100 ml intravenously for every 3 litres of ascites drained."
    assert "dose" not in "\n".join(objections(patient, text))


def test_a_test_of_a_night_puts_nothing_off(checker):
    text = "Overnight 1 mg dexamethasone suppression test."
    assert not checker._hazards.delay(text)
    assert checker._hazards.delay("Give dexamethasone and ceftriaxone 2 g overnight.")


def test_weighed_later_is_not_ordered(checker):
    book = checker.knowledge.book
    assert not book.affirmed("Control en un mes para valorar alopurinol.")
    assert book.affirmed("Iniciar alopurinol 100 mg al día.")


@pytest.mark.parametrize(("dose", "is_wrong"), [("7.000 UI", False), ("70.000 UI", True)])
def test_enoxaparin_is_dosed_in_units_too(objections, dose, is_wrong):
    text = f"Enoxaparina {dose} cada 12 horas por la embolia de pulmón."
    told = "\n".join(objections(person("Embolia pulmonar en la TC. Pesa 70 kg."), text))
    assert ("the dose" in told) is is_wrong
