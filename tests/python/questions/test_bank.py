"""The bank gives no key away to those who have not read the question."""

import pytest

from python_llm import seeds

BANK = [
    ([row[f"option_{c}"] for c in "abcde" if row[f"option_{c}"]], row["answer_letter"], row)
    for row in seeds.read("seeds/questions/question_bank.csv")
]


@pytest.mark.parametrize("extreme", [max, min])
def test_the_length_of_an_option_does_not_tell_the_key(extreme):
    """Who takes the longest (or the shortest) option, one of several by lot, is right as often as
    by chance: 25 % of the questions, five points more or less."""
    hits = 0.0
    for options, key, _ in BANK:
        lengths = [len(option) for option in options]
        wanted = extreme(lengths)
        hits += (lengths["ABCDE".index(key)] == wanted) / lengths.count(wanted)
    assert 0.20 <= hits / len(BANK) <= 0.30


def test_no_letter_is_the_key_of_most_questions():
    keys = [key for _, key, _ in BANK]
    assert {key for key in keys} >= set("ABCD")
    assert all(0.15 <= keys.count(letter) / len(keys) <= 0.35 for letter in "ABCD")


def test_a_key_is_an_option_and_options_differ():
    for options, key, row in BANK:
        assert "ABCDE".index(key) < len(options), row["question_number"]
        assert len({option.lower() for option in options}) == len(options), row["question_number"]
