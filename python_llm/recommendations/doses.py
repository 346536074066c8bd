"""Doses in the text of a recommendation, and the limits of a drug."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from python_llm.errors import UserError

# Factor to the base unit of each dimension: mg, units, mmol, ml.
_UNITS = {
    **dict.fromkeys(("mg", "milligram", "milligrams", "milligramos"), ("mg", 1.0)),
    **dict.fromkeys(("g", "gram", "grams", "gramo", "gramos"), ("mg", 1000.0)),
    **dict.fromkeys(
        ("mcg", "microgram", "micrograms", "ug", "microgramos", "micrograme"), ("mg", 0.001)
    ),
    **dict.fromkeys(("ng", "nanogram", "nanograms"), ("mg", 0.000001)),
    **dict.fromkeys(("units", "unit", "iu", "u", "ui", "unidades"), ("units", 1.0)),
    **dict.fromkeys(("mmol", "meq", "millimoles"), ("mmol", 1.0)),
    **dict.fromkeys(("ml", "milliliters", "millilitres"), ("ml", 1.0)),
    **dict.fromkeys(("l", "liter", "litre", "liters", "litres"), ("ml", 1000.0)),
}
_PER = {
    **dict.fromkeys(("kg", "kilogram", "kilo"), "kg"),
    **dict.fromkeys(("h", "hr", "hour", "hours", "hora"), "h"),
    **dict.fromkeys(("min", "minute", "minutes", "minuto"), "min"),
}
_DAY = frozenset(("day", "daily", "d", "dia", "24"))
_NUMBER = re.compile(r"^\d+(?:\.\d+)?$")
_LINKS = frozenset(("of", "iv", "oral", "intravenous", "po", "de", "sublingual", "im", "sc"))
_JOINS = frozenset(("and", ",", "plus", "then", "with", "give", "start", "add", "y", "or"))
# How far after the drug's name its dose may stand, in tokens.
_REACH = 8


class DoseError(UserError):
    """Limits in drugs.csv that cannot be read."""


@dataclass(frozen=True)
class Dose:
    """An amount of a dimension, as in mg or mg/kg/h. per_day: a whole day's."""

    amount: float
    dimension: str
    written: str
    per_day: bool = False


@dataclass(frozen=True)
class DoseLimits:
    """The range of one dose for each dimension in which a drug is given."""

    ranges: dict[str, tuple[float, float]]

    @classmethod
    def read(cls, text: str, drug: str) -> DoseLimits | None:
        """`10-500 mg; 2-40 mg/h`; None for an empty text. Raises DoseError."""
        ranges: dict[str, tuple[float, float]] = {}
        for part in (part.strip() for part in text.split(";") if part.strip()):
            match = re.fullmatch(r"([\d.]+)(?:-([\d.]+))? (\S+)", part)
            unit, *per = match[3].split("/") if match else ("",)
            if match is None or unit not in _UNITS:
                raise DoseError(
                    f"seeds/recommendations/drugs.csv, {drug}, doses: {part!r} is not a range: "
                    "write it as in 10-500 mg; 2-40 mg/h."
                )
            base, factor = _UNITS[unit]
            dimension = "/".join([base, *per])
            low, high = float(match[1]) * factor, float(match[2] or match[1]) * factor
            known = ranges.get(dimension, (low, high))
            ranges[dimension] = (min(low, known[0]), max(high, known[1]))
        return cls(ranges) if ranges else None

    def complaint(self, dose: Dose) -> str:
        """Why a dose is wrong; empty if it lies within the limits or nothing is known of its
        dimension with another unit of the same kind."""
        if dose.dimension not in self.ranges:
            bases = {dimension.split("/")[0] for dimension in self.ranges}
            if dose.dimension.split("/")[0] in bases or dose.dimension.startswith("ml"):
                return ""
            return f"the dose {dose.written} is in a unit in which it is not given"
        low, high = self.ranges[dose.dimension]
        if dose.amount > high * (4 if dose.per_day else 1) * 1.001:
            return f"the dose {dose.written} is above the limit"
        if dose.amount < low * 0.499:
            return f"the dose {dose.written} is below any dose in use"
        return ""


def doses_of(
    tokens: Sequence[str], spans: Sequence[tuple[int, int]], own: tuple[int, int]
) -> Iterator[Dose]:
    """The doses of the drug at `own` in a clause with drugs at `spans`.

    A dose directly before a drug is that drug's if it opens the clause or follows a joining word
    (40 mg of furosemide and 5 mg of bisoprolol); any other is that of the drug before it.
    """
    for start, end, dose in _amounts(tokens):
        before = [span for span in spans if span[1] <= start]
        after = [span for span in spans if span[0] >= end]
        is_led = bool(after) and all(token in _LINKS for token in tokens[end : after[0][0]])
        opens = not before or (start > 0 and tokens[start - 1] in _JOINS)
        if is_led and opens:
            owner = after[0]
        elif before and start - before[-1][1] <= _REACH:
            owner = before[-1]
        else:
            continue
        if owner == own:
            yield dose


def _amounts(tokens: Sequence[str]) -> Iterator[tuple[int, int, Dose]]:
    position = 0
    while position < len(tokens):
        number, unit = _split(tokens[position])
        unit_at = position
        if number is not None and not unit:
            unit_at = position + 1
            # 5,000 units: the comma is a token
            while (
                tokens[unit_at : unit_at + 1] == [","] or tokens[unit_at : unit_at + 1] == (",",)
            ) and re.fullmatch(r"\d{3}", "".join(tokens[unit_at + 1 : unit_at + 2])):
                number = number * 1000 + float(tokens[unit_at + 1])
                unit_at += 2
            unit = tokens[unit_at] if unit_at < len(tokens) else ""
        if number is not None and unit in _UNITS:
            yield position, unit_at + 1, _dose(number, unit, tokens, unit_at)
            position = unit_at
        position += 1


def _split(token: str) -> tuple[float | None, str]:
    if _NUMBER.match(token):
        return float(token), ""
    match = re.fullmatch(r"(\d+(?:\.\d+)?)([a-z]+)", token)
    if match and match[2] in _UNITS:
        return float(match[1]), match[2]
    return None, ""


def _dose(number: float, unit: str, tokens: Sequence[str], at: int) -> Dose:
    base, factor = _UNITS[unit]
    per: list[str] = []
    per_day = False
    following = at + 1
    while following < len(tokens) and len(per) < 2:
        token = tokens[following]
        if token in ("per", "a", "/", "an"):
            following += 1
            continue
        if token in _PER:
            per.append(_PER[token])
        else:
            per_day = token in ("day", "daily") and not per
            break
        following += 1
    return Dose(number * factor, "/".join([base, *per]), f"{number:g} {unit}", per_day)
