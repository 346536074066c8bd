"""Words of safe follow-up that were read as a danger: the name of an assay, a vaccine that is none
of the live ones, a pH that is not of blood, precautions, an expiry date."""

import pytest

from python_llm.recommendations.schema import Patient


def findings(knowledge, note, **facts):
    patient = Patient(patient_id="p", age=50, sex="female", notes=[note], **facts)
    return knowledge.findings(patient)


@pytest.mark.parametrize(
    ("note", "is_raised"),
    [
        ("Chest pain. High-sensitivity troponin of 4 ng/L.", False),
        ("Dolor torácico. Troponina T de alta sensibilidad de 4 ng/L.", False),
        ("Chest pain. High troponin.", True),
        ("Chest pain. High-sensitivity troponin raised.", True),
        ("Dolor torácico. Troponina alta.", True),
    ],
)
def test_the_name_of_an_assay_is_no_result(knowledge, note, is_raised):
    assert ("elevated_troponin" in findings(knowledge, note)) == is_raised


@pytest.mark.parametrize(
    ("text", "is_wrong"),
    [
        ("Flu jab this week.", False),
        ("Vacuna de la tosferina en la semana 28.", False),
        ("MMR vaccine this week.", True),
        ("Vacuna triple vírica hoy.", True),
        ("Nasal influenza vaccine.", True),
    ],
)
def test_only_live_vaccines_are_kept_from_pregnancy(knowledge, text, is_wrong):
    problems = knowledge.book.problems([text], {"pregnancy"}, is_whole=True)
    assert any(problem.seriousness == "absolute" for problem in problems) == is_wrong


@pytest.mark.parametrize(
    ("note", "is_acid"),
    [
        ("Nasogastric tube in, aspirate pH 6.8.", False),
        ("Aspirado de la sonda con pH 6,9.", False),
        ("Arterial gas: pH 6.9.", True),
    ],
)
def test_only_the_ph_of_blood_is_an_acidosis(knowledge, note, is_acid):
    assert ("severe_acidemia" in findings(knowledge, note)) == is_acid


@pytest.mark.parametrize(
    "text",
    [
        "She must not drive until the clinic.",
        "Avoid contact sports for a month.",
        "No debe bucear ni volar.",
        "Midwife in two weeks.",
        "Discharge him home today.",
        "Reducir la sal y caminar.",
    ],
)
def test_precautions_are_aftercare(checker, text):
    assert checker.care.is_plain(text, (), is_stable=True)


def test_home_alone_is_no_order_of_the_field(checker):
    assert checker.out_of_scope("Home.") is not None
    assert not checker.care.is_plain("Reducir la fractura.", (), is_stable=True)


def test_a_look_at_the_expiry_date_gives_no_drug(knowledge):
    assert "epinephrine" not in knowledge.book.affirmed("See that the adrenaline pen is in date.")
    assert "epinephrine" in knowledge.book.affirmed("Give adrenaline 0.5 mg now.")


@pytest.mark.parametrize(
    "note", ["Well now.", "No breathlessness now.", "Walks 3 km.", "In remission.", "Bien ahora."]
)
def test_notes_that_say_it_is_over_are_settled(knowledge, note):
    assert knowledge.lexicon.pattern("settled").search(note.rstrip(".").lower())


@pytest.mark.parametrize(
    ("note", "is_now"),
    [
        ("Reacción anafiláctica a la cefuroxima hace cinco años.", False),
        ("Reacción anafiláctica a la cefuroxima hace cinco minutos.", True),
    ],
)
def test_years_ago_reach_back_over_the_cause(knowledge, note, is_now):
    assert ("anaphylaxis_now" in findings(knowledge, note)) == is_now


def test_immunotherapy_gives_no_allergen(knowledge):
    assert "venom" not in knowledge.book.affirmed("Allergy clinic for bee venom immunotherapy.")
