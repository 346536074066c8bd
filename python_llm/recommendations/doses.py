"""Doses in the text of a recommendation, and the limits of a drug."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from python_llm.errors import UserError
from python_llm.recommendations.numerals import half_behind, spelled

# Factor to the base unit of each dimension: mg, units, mmol, ml.
_UNITS = {
    **dict.fromkeys(("mg", "milligram", "milligrams", "miligramo", "miligramos"), ("mg", 1.0)),
    **dict.fromkeys(("g", "gram", "grams", "gramo", "gramos"), ("mg", 1000.0)),
    **dict.fromkeys(
        ("mcg", "microgram", "micrograms", "ug", "microgramo", "microgramos"), ("mg", 0.001)
    ),
    **dict.fromkeys(("ng", "nanogram", "nanograms", "nanogramos"), ("mg", 0.000001)),
    **dict.fromkeys(("units", "unit", "iu", "u", "ui", "unidad", "unidades"), ("units", 1.0)),
    **dict.fromkeys(("mmol", "meq", "millimoles"), ("mmol", 1.0)),
    **dict.fromkeys(
        ("ml", "milliliter", "milliliters", "millilitres", "mililitro", "mililitros"), ("ml", 1.0)
    ),
    **dict.fromkeys(("l", "liter", "litre", "liters", "litres", "litro", "litros"), ("ml", 1000.0)),
}
_PER = {
    **dict.fromkeys(("kg", "kilogram", "kilo"), "kg"),
    **dict.fromkeys(("h", "hr", "hour", "hours", "hora"), "h"),
    **dict.fromkeys(("min", "minute", "minutes", "minuto"), "min"),
}
_DAY = frozenset(("day", "daily", "d", "dia", "24"))
_COUNTS = {
    **{"one": 1.0, "two": 2.0, "three": 3.0, "four": 4.0, "five": 5.0, "six": 6.0, "eight": 8.0},
    **{"ten": 10.0, "twelve": 12.0, "once": 1.0, "twice": 2.0, "thrice": 3.0},
    **{"dos": 2.0, "tres": 3.0, "cuatro": 4.0, "seis": 6.0, "ocho": 8.0, "doce": 12.0},
}
_COUNT = rf"({'|'.join(_COUNTS)}|\d{{1,2}})"
_EVERY = re.compile(rf"\b(?:every|cada|q) {_COUNT} (?:hours?|hourly|horas?|h)\b|\bq(\d{{1,2}})h\b")
_OFTEN = re.compile(
    rf"\b{_COUNT}(?: times| veces)? (?:a day|daily|per day|al dia|a diario|each day)\b"
)
_LATIN = {"bd": 2.0, "bid": 2.0, "tds": 3.0, "tid": 3.0, "qds": 4.0, "qid": 4.0, "hourly": 24.0}
_NUMBER = re.compile(r"^\d+(?:\.\d+)?$")
_LINKS = frozenset(("of", "iv", "oral", "intravenous", "po", "de", "sublingual", "im", "sc"))
_JOINS = frozenset(("and", ",", "plus", "then", "with", "give", "start", "add", "y", "or"))
_OF_OTHERS = frozenset(
    (of, other) for of in ("of", "de") for other in ("glucose", "glucosa", "carbohydrate", "fluid")
)
_OTHERS = (("glucose",), ("dextrose",), ("glucosa",), ("dextrosa",))
# How far after the drug's name its dose may stand, in tokens.
# "labetalol 20 mg, magnesium 4 g": an amount of what is named directly before it
_NAMED_BEFORE = frozenset(
    (
        *("magnesium", "magnesio", "potassium", "potasio", "calcium", "calcio"),
        *("glucose", "glucosa", "dextrose", "dextrosa"),
    )
)
_REACH = 8
# A dose by weight may be above its limit by this factor: it is rounded to a syringe.
ROUNDED = 1.2


class DoseError(UserError):
    """Limits in drugs.csv that cannot be read."""


@dataclass(frozen=True)
class Dose:
    """An amount of a dimension, as in mg or mg/kg/h. per_day: a whole day's; times: how often it is
    given a day, as far as the text says."""

    amount: float
    dimension: str
    written: str
    per_day: bool = False
    times: float = 1.0


@dataclass(frozen=True)
class DoseLimits:
    """The range of one dose for each dimension in which a drug is given; of a whole day's, under
    the dimension with "/day". usual: what is exceeded only for a reason, by dimension."""

    ranges: dict[str, tuple[float, float]]
    usual: dict[str, float]

    @classmethod
    def read(cls, text: str, drug: str) -> DoseLimits | None:
        """`10-500 mg; 2 mg/kg/day; 600 mg/day; usual 200 mg`; None for an empty text. Raises
        DoseError."""
        ranges: dict[str, tuple[float, float]] = {}
        usual: dict[str, float] = {}
        for part in (part.strip() for part in text.split(";") if part.strip()):
            is_usual, part = part.startswith("usual "), part.removeprefix("usual ")
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
            if is_usual:
                usual[dimension] = high
                continue
            known = ranges.get(dimension, (low, high))
            ranges[dimension] = (min(low, known[0]), max(high, known[1]))
        return cls(ranges, usual) if ranges else None

    @property
    def per_kg(self) -> tuple[float, float] | None:
        """The range of one dose per kg of body weight, in the base unit."""
        return next((r for name, r in self.ranges.items() if name.split("/")[1:] == ["kg"]), None)

    def fits_a_child(self, dose: Dose, weight: float | None) -> bool:
        """Whether a child's dose can be checked and is right: per kg, or for a known weight (kg) of
        a drug whose range per kg is known. The other ranges are those of adults."""
        if "kg" in dose.dimension.split("/"):
            return True
        if weight is None or self.per_kg is None or "/" in dose.dimension:
            return False
        return dose.amount <= self.per_kg[1] * weight * 1.05

    def too_much_for(self, dose: Dose, weight: float) -> str:
        """Why an adult's dose is too much for a weight (kg), if the drug has a day's limit per kg;
        empty if it is not. Doses are rounded to syringes, by a fifth at most."""
        day = self.ranges.get(f"{dose.dimension}/kg/day")
        single = self.ranges.get(f"{dose.dimension}/kg", (0.0, float("inf")))
        if day is None:
            return ""
        if not dose.per_day and dose.amount > single[1] * weight * ROUNDED:
            return f"the dose {dose.written} is above the limit for {weight:g} kg"
        if dose.amount * dose.times > day[1] * weight * ROUNDED:
            return f"the dose {dose.written} is above the day's limit for {weight:g} kg"
        return ""

    def breaks(self, dose: Dose) -> bool:
        """Whether a dose lies outside the range of its dimension, without any tolerance."""
        low, high = self.ranges.get(dose.dimension, (0.0, float("inf")))
        is_within = low * 0.999 <= dose.amount <= high * 1.001
        return not is_within or dose.amount * dose.times > self._of_a_day(dose.dimension) * 1.001

    def is_unusual(self, dose: Dose) -> bool:
        """Whether a dose within the limits is given only for a reason."""
        return dose.amount > self.usual.get(dose.dimension, float("inf")) * 1.001

    def _of_a_day(self, dimension: str) -> float:
        return self.ranges.get(f"{dimension}/day", (0, float("inf")))[1]

    def complaint(self, dose: Dose) -> str:
        """Why a dose is wrong; empty if it lies within the limits or nothing is known of its
        dimension with another unit of the same kind."""
        if dose.dimension not in self.ranges:
            bases = {dimension.split("/")[0] for dimension in self.ranges}
            if dose.dimension.split("/")[0] in bases or dose.dimension.startswith("ml"):
                return ""
            return f"the dose {dose.written} is in a unit in which it is not given"
        low, high = self.ranges[dose.dimension]
        if dose.per_day:
            # unless the drug has a limit of its own, it may be given four times
            high = self.ranges.get(f"{dose.dimension}/day", (0, 4 * high))[1]
        elif dose.amount * dose.times > self._of_a_day(dose.dimension) * 1.001:
            often = {1.0: "once", 2.0: "twice"}.get(dose.times, f"{dose.times:g} times")
            return f"the dose {dose.written}, {often} a day, is above the day's limit"
        if dose.amount > high * 1.001:
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
        if _NAMED_BEFORE & set(tokens[max(0, start - 1) : start]) and own[1] < start:
            continue
        if is_led and (opens or tokens[end] == "of"):
            owner = after[0]
        elif tuple(tokens[end : end + 2]) in _OF_OTHERS or tokens[end : end + 1] in _OTHERS:
            # 10 units of insulin in 25 g of glucose
            continue
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
            if tokens[unit_at : unit_at + 1] in (["million"], ("million",)):
                number, unit_at = number * 1e6, unit_at + 1
            unit = tokens[unit_at] if unit_at < len(tokens) else ""
        elif number is None and (in_words := spelled(tokens, position)):
            number, unit_at = in_words
            unit = tokens[unit_at] if unit_at < len(tokens) else ""
            number += 0.5 * half_behind(tokens, unit_at + 1)
        # "1 mg per 100 units": of what it neutralises
        is_ratio = tokens[max(0, position - 1) : position] in (["per"], ("per",)) or (
            tokens[unit_at + 1 : unit_at + 2] in (["per"], ("per",))
            and bool(_NUMBER.match("".join(tokens[unit_at + 2 : unit_at + 3])))
        )
        if number is not None and unit in _UNITS and is_ratio:
            position = unit_at
        elif number is not None and unit in _UNITS:
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
            per_day = token in _DAY and not per
            break
        following += 1
    times = (
        1.0 if {"h", "min"} & set(per) else _times_a_day(" ".join(tokens[at + 1 : at + 1 + _REACH]))
    )
    return Dose(number * factor, "/".join([base, *per]), f"{number:g} {unit}", per_day, times)


def _times_a_day(text: str) -> float:
    """How often a dose is given a day, by the words after it; 1 if they do not tell."""
    match = _EVERY.search(text)
    if match:
        hours = _COUNTS.get(match[1] or match[2], 0) or float(match[1] or match[2])
        return 24 / hours if hours else 1.0
    match = _OFTEN.search(text)
    if match:
        return _COUNTS.get(match[1], 0) or float(match[1])
    return next((times for word, times in _LATIN.items() if f" {word} " in f" {text} "), 1.0)
