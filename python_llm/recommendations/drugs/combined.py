"""Tablets of two drugs, whose strengths stand as a pair ("sacubitril/valsartan 97/103 mg"): whether
such a tablet exists, and is not given more often than its drugs allow.

The rows `combination` of the seed order_limits hold the names, the strengths and the source.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from python_llm.parsing.folding import without_accents
from python_llm.recommendations.drugs.doses import times_a_day
from python_llm.recommendations.record.conditions import names

_MG = {"g": 1000.0, "mg": 1.0, "mcg": 0.001, "micrograms": 0.001, "microgramos": 0.001}
_NUMBER = r"(\d+(?:[.,]\d+)?)"
_UNIT = r"(mg|g|mcg|micrograms|microgramos)"
# "875/125 mg", "875 mg/125 mg", "4 g/0.5 g"
_PAIR = re.compile(rf"{_NUMBER}\s*{_UNIT}?\s*/\s*{_NUMBER}\s*{_UNIT}\b(?!\s*/)")
# How far behind its names the strength of a tablet may stand, in characters.
_REACH = 40
# Two tablets may be taken at once, as when the larger one is not in stock.
_TABLETS = (1, 2)
# A part above the largest tablet by this factor is a mistake of the decimal point.
_FAR_ABOVE = 2.0

Strength = tuple[float, float]


class Combination(NamedTuple):
    """A combined tablet: its strengths (mg), and how often a day the largest one may be taken."""

    name: str
    called: re.Pattern[str]
    strengths: tuple[Strength, ...]
    most: float

    @classmethod
    def of(cls, row: Mapping[str, str]) -> Combination:
        called = "|".join(
            r"[\s/+-]*(?:y |con |and |with |acido )?".join(map(re.escape, phrase.split()))
            for phrase in names(row["phrases"])
        )
        pairs = tuple(_read(match) for match in _PAIR.finditer(row["safe_with"]))
        return cls(row["subject"], re.compile(rf"\b(?:{called})\b"), pairs, float(row["high"]))

    def exists(self, strength: Strength) -> bool:
        """Whether one or two tablets have a strength."""
        return any(
            _is_near(strength[0], first * tablets) and _is_near(strength[1], second * tablets)
            for first, second in self.strengths
            for tablets in _TABLETS
        )

    def is_far_above(self, strength: Strength) -> bool:
        """Whether a part of a strength is above what any two tablets hold."""
        return any(
            strength[part] > _FAR_ABOVE * max(pair[part] for pair in self.strengths) * 1.001
            for part in (0, 1)
        )


class Combinations:
    """Finds what is wrong with the strengths of combined tablets."""

    def __init__(self, rows: Sequence[Mapping[str, str]]) -> None:
        self._all = [Combination.of(row) for row in rows if row["kind"] == "combination"]

    def problems(self, text: str) -> Iterator[tuple[str, bool]]:
        """What is wrong with each tablet that a text orders, and whether it is unsafe: a strength
        that is only unknown cannot be checked."""
        plain = without_accents(text.lower())
        for tablet in self._all:
            for name in tablet.called.finditer(plain):
                pair = _PAIR.search(plain, name.end(), name.end() + _REACH)
                if pair is None:
                    continue
                strength, written = _read(pair), f"{tablet.name} {pair[0]}"
                times = times_a_day(plain[pair.end() : pair.end() + _REACH])
                if tablet.is_far_above(strength):
                    yield f"{written} is above any tablet of it", True
                elif not tablet.exists(strength):
                    yield f"{written} is the strength of no tablet of it", False
                elif strength[0] * times > tablet.most * max(tablet.strengths)[0] * 1.001:
                    yield (
                        f"{written}, {times:g} times a day, is above the limit",
                        True,
                    )


def _read(match: re.Match[str]) -> Strength:
    first, own, second, unit = match.groups()
    return _amount(first, own or unit), _amount(second, unit)


def _amount(number: str, unit: str) -> float:
    return float(number.replace(",", ".")) * _MG[unit]


def _is_near(value: float, other: float) -> bool:
    return abs(value - other) <= 0.01 * other
