"""The strict reading of a chosen letter."""

import string

import pytest
from hypothesis import given
from hypothesis import strategies as st

from python_llm.questions.choice import parse_choice


@pytest.mark.parametrize(
    ("text", "letters", "letter"),
    [
        ("B) Because it fits.", "ABCD", "B"),
        ("B", "ABCD", "B"),
        ("**B**", "ABCD", "B"),
        ("(B)", "ABCD", "B"),
        ("**B)** Consistent with the rash", "ABCD", "B"),
        ("b) because", "ABCD", "B"),
        ("B - fits", "ABCD", "B"),
        ("**Answer:** B", "ABCD", "B"),
        ("The answer is B.", "ABCD", "B"),
        ("The answer is A because it fits", "ABCD", "A"),
        ("The best answer is option D", "ABCD", "D"),
        ("The answer is B, not C", "ABCD", "B"),
        ("Option B", "ABCD", "B"),
        ('{"answer": "B"}', "ABCD", "B"),
        ("La respuesta correcta es la C.", "ABCD", "C"),
        ("Elijo la C porque encaja", "ABCD", "C"),
        ("Opción B", "ABCD", "B"),
        ("E) yes", "ABCDE", "E"),
        ("<think>A) maybe</think>B) fits", "ABCD", "B"),
        ("B) Consistent with it; option C is less likely.", "ABCD", "B"),
        ("B) Positive; hepatitis B is not expected", "ABCD", "B"),
        ("D) Vitamin D is not low", "ABCD", "D"),
    ],
)
def test_one_stated_letter_is_a_choice(text, letters, letter):
    assert parse_choice(text, letters).letter == letter


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (None, "no_letter"),
        ("", "no_letter"),
        ("Clopidogrel", "no_letter"),
        ("Because of the fever", "no_letter"),
        ("A patient with fever needs fluids", "no_letter"),
        ("Answer: A beta blocker", "no_letter"),
        ("E. coli is the cause", "no_letter"),
        ("None of the above", "no_letter"),
        ("Neither A nor B", "no_letter"),
        ("A or B", "two_letters"),
        ("A/B", "two_letters"),
        ("A y B", "two_letters"),
        ("A) and B)", "two_letters"),
        ("A) no\nB) no\nC) yes", "two_letters"),
        ("B) This fits, but the correct answer is C.", "contradiction"),
        ("A) is wrong; the correct answer is C", "contradiction"),
        ("B) B is incorrect", "contradiction"),
        ("C) Wait, no, B", "contradiction"),
        ("E) yes", "no_such_option"),
    ],
)
def test_anything_else_is_none_and_says_why(text, reason):
    choice = parse_choice(text, "ABCD")
    assert (choice.status, choice.letter, choice.reason) == ("parse_error", None, reason)


@given(st.text(alphabet=string.ascii_lowercase + " ,;", min_size=2))
def test_words_without_a_marked_letter_choose_nothing(text):
    choice = parse_choice(f"word {text} word", "ABCDE")
    assert choice.letter is None


@given(st.text())
def test_no_text_breaks_the_parser(text):
    choice = parse_choice(text, "ABCD")
    assert (choice.status == "ok") == (choice.letter is not None)
    assert choice.letter is None or choice.letter in "ABCD"


def test_what_a_model_thinks_aloud_is_no_answer():
    for tag in ("think", "THINK", "Reasoning"):
        choice = parse_choice(f"<{tag}>The answer is A.</{tag}>\nB", "ABCD")
        assert (choice.status, choice.letter) == ("ok", "B")
