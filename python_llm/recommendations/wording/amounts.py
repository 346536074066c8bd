"""The one reader of how a number before a unit is grouped: a Spanish text writes thousands with a
point ("5.000 UI"), an English one decimals. What may be both is told apart by nobody and held.

Every text of a patient and of a recommendation is rewritten here before anything reads it:
"15.000 mg" of a Spanish text becomes "15000 mg".
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache

from python_llm.phenotyping.language import language_of

# A decimal comma: three digits behind one are thousands, unless only a zero stands before it.
DECIMAL_COMMA = re.compile(r"(?<=\d),(?=\d{1,2}(?!\d))|(?<=(?<![\d.,])0),(?=\d)")
_UNIT = (
    r"(?:mg|mcg|[µμu]g|microgramos?|micrograms?|miligramos?|milligrams?|ng|pg|u\.?i\.?|i\.?u\.?|u"
    r"|unidades|units?|ml|cc|mililitros?|millilit(?:er|re)s?|kcal|kilocalor[ií]as|calor[ií]as"
    r"|mmol|meq|g|gramos?|grams?)"
)
_NEXT = r"(?:\s?(?:-|–|a|y|o|to|and|or)\s?\d{1,3}(?:[.,]\d{3})*)?"
_GROUPED = re.compile(
    r"(?<![\w.,+-])(?<!\d[-–])(?P<number>(?!0)\d{1,3}(?P<sign>[., \u00a0\u2009\u202f])\d{3}"
    rf"(?:(?P=sign)\d{{3}})*)(?![\d]|[.,]\d)(?={_NEXT}\s?(?P<unit>{_UNIT})\b(?P<per>\s?/\s?d?l\b)?)",
    re.IGNORECASE,
)
# the second number of a range, whose first was read
_GROUPED_LAST = re.compile(
    rf"(?<=\d[-– ])(?P<number>(?!0)\d{{1,3}}(?P<sign>\.)\d{{3}})(?![\d]|[.,]\d)"
    rf"(?=\s?(?P<unit>{_UNIT})\b(?P<per>\s?/\s?d?l\b)?)",
    re.IGNORECASE,
)
_UNREAD = "\0"
_UNREAD_WITH_UNIT = re.compile(rf"{_UNREAD}\s?{_UNIT}\b|{_UNREAD}{_NEXT}", re.IGNORECASE)
_OF_GRAMS = ("g", "gramo", "gramos", "gram", "grams")


def is_spanish(text: str, beside: str) -> bool:
    """Whether a text is Spanish, by its own words, or by those beside it if none of them tell."""
    if language_of(text) == "es":
        return True
    # an accent decides only where the words do not
    return language_of(f"{text} ñ") == "es" and language_of(beside) == "es"


@lru_cache(maxsize=4096)
def plain(text: str, *, spanish: bool, is_order: bool) -> tuple[str, tuple[str, ...]]:
    """A text with its thousands written without a sign, and the amounts of an order that may be
    read in two ways, which are left out of it."""
    unsure: list[str] = []

    def read(match: re.Match[str]) -> str:
        number, sign = match["number"], match["sign"]
        whole = number.replace(sign, "")
        written = f"{number} {match['unit']}"
        # "2 500 mg" may be two of 500 mg, "15 000 mg" is a number
        if sign == " ":
            return whole if number.endswith("000") else number
        if sign not in ".," or number.count(sign) > 1:
            return whole
        # nobody writes a decimal with a nought behind it
        is_round = number.endswith("0")
        if sign == ("." if spanish else ","):
            is_decimal = match["per"] and not is_round
            if sign == "." and is_order and match["unit"].lower() in _OF_GRAMS:
                unsure.append(written)
                return _UNREAD
            return number if is_decimal else whole
        if is_order and is_round:
            unsure.append(written)
            return _UNREAD
        return number.replace(",", ".") if sign == "," else number

    for pattern in (_GROUPED, _GROUPED_LAST):
        text = pattern.sub(read, text)
    return _UNREAD_WITH_UNIT.sub("", text), tuple(unsure)


def of_record(texts: Iterable[str], beside: str) -> list[str]:
    """The texts of a record with their thousands written without a sign."""
    return [
        plain(text, spanish=is_spanish(text, beside), is_order=False)[0]
        if _GROUPED.search(text)
        else text
        for text in texts
    ]


def of_order(text: str, beside: str) -> tuple[str, tuple[str, ...]]:
    """The text of an order so, and the amounts that may be read in two ways."""
    if not _GROUPED.search(text):
        return text, ()
    return plain(text, spanish=is_spanish(text, beside), is_order=True)
