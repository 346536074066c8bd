"""A sentence is tried against the signs it can hold, and gives what all of them would give."""

import json
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from python_llm import seeds
from python_llm.phenotyping.signs import PatternBook, in_first_person, most_telling, needs_of

PATTERNS = [
    ("chest", r"\bchest pain\b"),
    ("chest", r"\b(?:crushing|tight\w*)\b[^.;]{0,20}\bchest\b"),
    ("colour", r"\bcolou?red?\b"),
    ("limb", r"\b(?:cold|pale)\b[^.]{0,20}(?=leg|arm)"),
    ("weak", r"(?:\d+ ?mmhg|bp)\b"),
    ("drop", r"(?:ab)+c?"),
    ("number", r"\d{3}"),
    ("maybe", r"(?:left|right)?\s*(?:\w+ )?"),
    ("not after", r"(?<!no )fever(?! chart)"),
    ("letter", r"[xyz]9"),
]
WORDS = [
    *("chest", "pain", "tightness", "crushing", "color", "coloured", "cold", "pale", "leg", "arm"),
    *("90", "120", "mmhg", "bp", "abab", "abc", "no", "fever", "chart", "y9", "right", "headaches"),
]


@pytest.mark.parametrize(
    ("pattern", "expected"),
    [
        (r"\bchest pain\b", {"chest"}),
        (r"\bcolou?r", {"colo"}),
        (r"(?:one|three)\s+legs", {"legs"}),
        (r"(?:upper|lower|\d) leg", {"leg"}),
        (r"(?:upper|lower)\d?", {"upper", "lower"}),
        (r"(?:pus)?\s*(?:blood){2}", {"blood"}),
        (r"[ab]+", set()),
        (r"(?:left)?", set()),
        (r"pus|\d", set()),
        (r"ph ?<", {"ph"}),
        (r"x(?=rays)", {"rays"}),
        (r"x(?!rays)", {"x"}),
    ],
)
def test_what_tells_most_of_a_pattern(pattern: str, expected: set[str]) -> None:
    assert most_telling(needs_of(pattern)) == expected


def test_a_pattern_needs_all_of_one_of_its_branches():
    assert needs_of(r"cold (?:left )?(?:leg|(?:upper|lower) arm)|\d{3} bp") == [
        (["cold", (["leg"], [(["upper"], ["lower"]), "arm"])], ["bp"])
    ]


def test_only_what_can_match_is_compiled():
    book = PatternBook([("cold", r"cold (?:leg|arm)|pale (?:toes|fingers)")])
    assert not [*book.matches_in("cold weather, pale light")]
    assert not book._compiled
    assert [match.group() for _, match in book.matches_in("a pale sky, cold arm")] == ["cold arm"]


@given(st.lists(st.sampled_from([*WORDS, ".", ";", "-", "'"]), max_size=12), st.booleans())
def test_same_matches_as_all_patterns(words: list[str], is_spaced: bool) -> None:
    sentence = (" " if is_spaced else "").join(words)
    every = [(name, match.span()) for name, one in PATTERNS for match in re.finditer(one, sentence)]
    packed = json.loads(json.dumps(PatternBook(PATTERNS).packed()))
    for book in (PatternBook(PATTERNS), PatternBook.unpacked(packed)):
        assert [(name, match.span()) for name, match in book.matches_in(sentence)] == every


@pytest.mark.parametrize(
    ("pattern", "text"),
    [
        (r"pain in (?:his|her) chest", "pain in my chest"),
        (r"\b(?:le falta|sin) el? ?aire", "me falta el aire"),
        (r"\b(?:mira|ve (?:luces))", "veo luces"),
        (r"\bno le (?:llega|entra) el aire", "no me llega el aire"),
        (r"\bno (?:puede|consigue) orinar", "no puedo orinar"),
        (r"\b(?:can't|won't) breathe", "cant breathe"),
    ],
)
def test_signs_are_read_in_the_first_person(pattern, text):
    assert re.search(in_first_person(pattern), text)


def test_a_pattern_is_completed_before_it_is_tried():
    book = PatternBook([("pulse", "pulse|hr")], completed=lambda name, names: rf"(?:{names}) \d+")
    assert [match.group() for _, match in book.matches_in("pulse weak, hr 90")] == ["hr 90"]


def test_signs_are_read_as_written_in_haste():
    """Two words joined by a letter, a final g left out, a side as a letter, a denial in one word;
    what looks back keeps its one width."""
    for pattern, text in (
        (r"\bdeep and fast breathing\b", "deep n fast breathin"),
        (r"\bgrey and (?:cold|hot)\b", "grey & cold"),
        (r"\b(?:left|right) arm\b", "l arm"),
        (r"\bcannot see\b", "cant see"),
        (r"\bis not (?:waking|moving)", "isnt movin"),
        (r"(?<!sweet and )sour(?<!hanging)", "sour"),
    ):
        assert [*PatternBook([("sign", in_first_person(pattern))]).matches_in(text)], pattern


def test_flags_and_pictures_ask_only_for_signs_that_exist():
    """A name without a row never holds: the flag that waits for it stays silent."""
    known = {row["sign"] for row in seeds.read("seeds/phenotyping/clinical_signs.csv")}
    asked = {
        (table, name)
        for table in ("hpo_red_flags", "picture_tests")
        for row in seeds.read(f"seeds/phenotyping/{table}.csv")
        for column, names in row.items()
        if column.endswith(("hpo_id", "hpo_ids"))
        for name in names.split(";")
        if ":" in name and not name.startswith(("HP:", "past:"))
    }
    assert len(asked) > 500
    assert {(table, name) for table, name in asked if name not in known} == set()
