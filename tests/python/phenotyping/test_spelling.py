"""Misspelt names, and names that are only near each other."""

import pyarrow as pa
import pytest

from python_llm.phenotyping.spelling import is_opposite, match_spellings

NAMES = pa.table(
    {
        "name_normalised": ["seizure", "hypertelorism", "muscle weakness", "long toe"],
        "hpo_id": ["h1", "h2", "h3", "h4"],
    }
)
OPPOSITES = pa.table({"one": ["hyper", "long"], "other": ["hypo", "short"]})


def match(*written, cut_off=80):
    table = pa.table({"name_normalised": list(written)})
    rows = match_spellings(table, NAMES, OPPOSITES, cut_off=cut_off).to_pylist()
    return {row["name_normalised"]: row["hpo_id"] for row in rows}


def test_a_slip_is_forgiven_and_word_order_is_free():
    assert match("siezure", "weaknes muscle") == {"siezure": "h1", "weaknes muscle": "h3"}


def test_the_opposite_is_no_slip():
    assert match("hypotelorism", "short toe") == {}
    assert is_opposite("short toe", "long toe", [("long", "short")])
    assert not is_opposite("long tow", "long toe", [("long", "short")])


def test_nothing_near_is_nothing():
    assert match("diabetes", "pain") == {}
    assert match("siezure", cut_off=95) == {}


def test_similarity_is_a_share():
    [row] = match_spellings(
        pa.table({"name_normalised": ["sezure"]}), NAMES, OPPOSITES, cut_off=80
    ).to_pylist()
    # one letter of 6 + 7 is missing
    assert row["similarity"] == pytest.approx(1 - 1 / 13)
