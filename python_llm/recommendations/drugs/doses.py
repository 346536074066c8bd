"""Doses in the text of a recommendation, and the limits of a drug."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from python_llm.errors import UserError
from python_llm.recommendations.record.numerals import half_behind, spelled

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
    **{"ten": 10.0, "twelve": 12.0, "fifteen": 15.0, "twenty": 20.0, "thirty": 30.0},
    **{"cinco": 5.0, "siete": 7.0, "diez": 10.0, "quince": 15.0, "veinte": 20.0, "treinta": 30.0},
    **{"seven": 7.0, "nine": 9.0, "forty": 40.0, "sixty": 60.0},
    **{"uno": 1.0, "once": 1.0, "twice": 2.0, "thrice": 3.0},
    **{"dos": 2.0, "tres": 3.0, "cuatro": 4.0, "seis": 6.0, "ocho": 8.0, "doce": 12.0},
}
_COUNT = rf"({'|'.join(_COUNTS)}|\d{{1,3}})"
_EVERY = re.compile(rf"\b(?:every|cada|q) {_COUNT} (?:hours?|hourly|horas?|h)\b|\bq(\d{{1,2}})h\b")
# "0.5 mg by mouth every hour", and not "10 units, glucose every hour"
_HOURLY = re.compile(
    r"^ ?(?:(?:iv|im|sc|po|vo|oral(?:ly)?|by mouth|intravenous(?:ly)?|more|via oral|por boca) )*"
    r"(?:every|each|cada) (?:hour|hora)\b"
)
_OFTEN = re.compile(
    rf"\b{_COUNT}(?: times| veces)? (?:a day|daily|per day|al dia|a diario|each day)\b"
)
# "over ten minutes", "en una hora", "over 5-10 minutes": the longer time is taken
_TIME = re.compile(
    r"\b(?:over|within|in|during|en|durante) (?:the |about |only |solo |unos )?"
    rf"(?:{_COUNT} )?(?:to |a )?(half an|a quarter of an|an|a|una|un|media|{_COUNT}) "
    r"(minutes?|mins?|min|minutos?|hours?|h|hrs?|horas?)\b"
)
_PARTS = {"half an": 0.5, "media": 0.5, "a quarter of an": 0.25, "an": 1, "a": 1, "un": 1, "una": 1}
# what follows it is of another order, or of the next dose
_ENDS_TIME = frozenset(
    (",", "repeat", "repeated", "repetir", "repita", "then", "luego", "again", "if", "si", "after")
)
# Only these tell how long it runs where the time stands apart from the dose; "in ten minutes, give
# …" is a delay.
_LASTS = frozenset(("over", "during", "durante"))
# What may stand before such a time: "infuse over ten minutes", "…, given slowly over an hour"
_GIVES = frozenset(
    (
        *("infuse", "infused", "infusing", "give", "given", "giving", "run", "to", "administer"),
        *("administered", "slowly", "iv", "intravenous", "intravenously", "infusion", "by", "an"),
        *("administrar", "administre", "infundir", "infunda", "pasar", "pase", "perfundir", "dar"),
        *("intravenosa", "via", "por", "ev", "lento", "push", "bolus", "undiluted", "inject"),
    )
)
# An adult's weight (kg), where none is known and a speed depends on it.
TYPICAL_WEIGHT = 70.0
_LATIN = {"bd": 2.0, "bid": 2.0, "tds": 3.0, "tid": 3.0, "qds": 4.0, "qid": 4.0, "hourly": 24.0}
_MILLIONS = frozenset(("million", "millions", "millon", "millones"))
_NUMBER = re.compile(r"^\d+(?:\.\d+)?$")
_LINKS = frozenset(("of", "iv", "oral", "intravenous", "po", "de", "sublingual", "im", "sc"))
_JOINS = frozenset(("and", ",", "plus", "then", "with", "give", "start", "add", "y", "or"))
_OF_OTHERS = frozenset(
    (of, other) for of in ("of", "de") for other in ("glucose", "glucosa", "carbohydrate", "fluid")
)
# "100 ml for every 2.5 litres drained": of what it is measured by
_FOR_EACH = frozenset((word,) for word in ("every", "each", "cada"))
_OTHERS = (("glucose",), ("dextrose",), ("glucosa",), ("dextrosa",))
# What stands before the amount that another one replaces: "from 4 mg", "instead of 4 mg"
_REPLACED = frozenset(
    ("from", "than", "not", "instead of", "place of", "desde", "no", "vez de", "lugar de")
)
# Doses of another rhythm than a day's, and those that only begin a treatment.
_NOT_BY_DAY = frozenset(
    (
        *("week", "weekly", "weeks", "semana", "semanal", "semanales", "alternate", "alternos"),
        *("monday", "lunes", "loading", "carga", "month", "monthly", "mes", "mensual"),
    )
)
# How far after the drug's name its dose may stand, in tokens.
# "labetalol 20 mg, magnesium 4 g": an amount of what is named directly before it
_NAMED_BEFORE = frozenset(
    (
        *("magnesium", "magnesio", "potassium", "potasio", "calcium", "calcio"),
        *("glucose", "glucosa", "dextrose", "dextrosa"),
    )
)
# "potassium is 3.1 mmol", "3.1 mmol/L"
_TELLS = frozenset(("is", "was", "es", "era", "of", "at", "de", "now", "today", "hoy", "ahora"))
_LEVELS = frozenset(("level", "nivel", "sodium", "sodio", "phosphate", "fosfato"))
_A_VOLUME = frozenset(("l", "dl", "litre", "liter", "litro"))
_REACH = 8
_DISSOLVES = frozenset(("in", "into", "en"))
# What stands before the most that is given.
_AT_MOST = frozenset(
    (
        *(("at", "most"), ("more", "than"), ("maximum", "of"), ("maximo", "de"), ("mas", "de")),
        *(("to", "exceed"), ("sin", "superar"), ("no", "superar"), ("total", "of")),
        ("limit", "of"),
    )
)
_MOST = frozenset(("maximum", "max", "maximo", "maxima", "tope", "exceeding", "exceed"))
# A dose by weight may be above its limit by this factor: it is rounded to a syringe.
ROUNDED = 1.2


# An amount this much above its own dose per kg is a mistake, and no rounding.
_MISCOUNTED = 1.5


class DoseError(UserError):
    """Limits in drugs.csv that cannot be read."""


@dataclass(frozen=True)
class Dose:
    """An amount of a dimension, as in mg or mg/kg/h. per_day: a whole day's; times: how often it is
    given a day, as far as the text says; minutes: over which it is given, where it is told; start
    and end: its tokens in the clause."""

    amount: float
    dimension: str
    written: str
    per_day: bool = False
    times: float = 1.0
    minutes: float | None = None
    start: int = 0
    end: int = 0

    def a_minute(self, weight: float | None) -> tuple[str, float] | None:
        """The base unit and how much of it is given in a minute to somebody of a weight (kg); None
        where no time is told."""
        base, *per = self.dimension.split("/")
        amount = self.amount * ((weight or TYPICAL_WEIGHT) if "kg" in per else 1.0)
        if "min" in per or "h" in per:
            return base, amount / (60.0 if "h" in per else 1.0)
        return (base, amount / self.minutes) if self.minutes else None


@dataclass(frozen=True)
class DoseLimits:
    """The range of one dose for each dimension in which a drug is given; of a whole day's, under
    the dimension with "/day". usual: what is exceeded only for a reason, by dimension. speeds: the
    most of a minute into a vein, as it is written, and the dose up to which it does not hold."""

    ranges: dict[str, tuple[float, float]]
    usual: dict[str, float]
    speeds: dict[str, tuple[float, str, float]]

    @classmethod
    def read(cls, text: str, drug: str) -> DoseLimits | None:
        """`10-500 mg; 2 mg/kg/day; 600 mg/day; usual 200 mg; speed 4 mg/min above 80 mg`; None for
        an empty text. Raises DoseError."""
        ranges: dict[str, tuple[float, float]] = {}
        usual: dict[str, float] = {}
        speeds: dict[str, tuple[float, str, float]] = {}
        for part in (part.strip() for part in text.split(";") if part.strip()):
            is_usual, part = part.startswith("usual "), part.removeprefix("usual ")
            is_speed, part = part.startswith("speed "), part.removeprefix("speed ")
            part, _, above = part.partition(" above ")
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
            if is_speed:
                least = float(above.split()[0]) if above else 0.0
                speeds[base] = (high / (60.0 if per == ["h"] else 1.0), part, least)
                continue
            if is_usual:
                usual[dimension] = high
                continue
            known = ranges.get(dimension, (low, high))
            ranges[dimension] = (min(low, known[0]), max(high, known[1]))
        return cls(ranges, usual, speeds) if ranges or speeds else None

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

    @staticmethod
    def is_maintenance(dose: Dose, weight: float | None) -> bool:
        """Whether a rate is what a child of a weight (kg) needs to keep its fluid: 4 ml/kg an hour
        for the first 10 kg, 2 for the next, 1 for the rest (NICE NG29)."""
        if weight is None or dose.dimension != "ml/h":
            return False
        hourly = 4 * min(weight, 10) + 2 * min(max(weight - 10, 0), 10) + max(weight - 20, 0)
        return dose.amount <= 1.1 * hourly

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

    @staticmethod
    def does_not_fit(doses: Sequence[Dose], weight: float) -> str:
        """Why an amount and a dose per kg of one order are not the same for a weight (kg): "10,000
        units (80 units/kg)" of somebody of 50 kg; empty if they are, or only one is told."""
        whole = [dose for dose in doses if "/" not in dose.dimension and not dose.per_day]
        by_weight = {
            dose.dimension.removesuffix("/kg"): dose
            for dose in doses
            if dose.dimension.endswith("/kg") and not dose.per_day
        }
        for dose in whole:
            per_kg = by_weight.get(dose.dimension)
            if per_kg and dose.amount > per_kg.amount * weight * _MISCOUNTED:
                return f"the dose {dose.written} is not {per_kg.written} a kg at {weight:g} kg"
        return ""

    def too_fast(self, dose: Dose, weight: float | None) -> str:
        """Why a dose into a vein is given too fast; empty if it is not, or no time is told."""
        speed = dose.a_minute(weight)
        limit, written, least = self.speeds.get(speed[0] if speed else "", (float("inf"), "", 0.0))
        if speed is None or speed[1] <= limit * 1.05 or dose.amount <= least:
            return ""
        return f"{dose.written} is given too fast: {written} at most"

    def breaks(self, dose: Dose) -> bool:
        """Whether a dose lies outside the range of its dimension, without any tolerance."""
        if self.speeds and self.too_fast(dose, None):
            return True
        low, high = self.ranges.get(dose.dimension, (0.0, float("inf")))
        is_within = low * 0.999 <= dose.amount <= high * 1.001
        return not is_within or dose.amount * dose.times > self._of_a_day(dose.dimension) * 1.001

    def is_unusual(self, dose: Dose) -> bool:
        """Whether a dose within the limits is given only for a reason."""
        return dose.amount > self.usual.get(dose.dimension, float("inf")) * 1.001

    def _of_a_day(self, dimension: str) -> float:
        return self.ranges.get(f"{dimension}/day", (0, float("inf")))[1]

    def complaint(self, dose: Dose, weight: float | None = None) -> str:
        """Why a dose is wrong; empty if it lies within the limits or nothing is known of its
        dimension with another unit of the same kind. weight: that of a child (kg), whose least
        dose is the one per kg."""
        if dose.dimension not in self.ranges:
            bases = {dimension.split("/")[0] for dimension in self.ranges}
            if dose.dimension.split("/")[0] in bases or dose.dimension.startswith("ml"):
                return ""
            return f"the dose {dose.written} is in a unit in which it is not given"
        low, high = self.ranges[dose.dimension]
        if weight and self.per_kg and "/" not in dose.dimension:
            low = min(low, self.per_kg[0] * weight)
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
) -> Sequence[Dose]:
    """The doses of the drug at `own` in a clause with drugs at `spans`, which are in order.

    A dose directly before a drug is that drug's if it opens the clause or follows a joining word
    (40 mg of furosemide and 5 mg of bisoprolol); any other is that of the drug before it.
    """
    return _doses_by_drug(tuple(tokens), tuple(spans)).get(own, ())


# a clause is asked for the doses of each of its drugs, several times
@lru_cache(maxsize=256)
def _doses_by_drug(
    tokens: tuple[str, ...], spans: tuple[tuple[int, int], ...]
) -> Mapping[tuple[int, int], Sequence[Dose]]:
    starts, ends = [span[0] for span in spans], [span[1] for span in spans]
    lasting = [at for at, token in enumerate(tokens) if token in _LASTS]
    doses: dict[tuple[int, int], list[Dose]] = {}
    for start, end, dose in _amounts_of(tokens):
        n_before, first_after = bisect_right(ends, start), bisect_left(starts, end)
        before = spans[n_before - 1] if n_before else None
        after = spans[first_after] if first_after < len(spans) else None
        is_led = after is not None and all(token in _LINKS for token in tokens[end : after[0]])
        opens = before is None or (start > 0 and tokens[start - 1] in _JOINS)
        if after and is_led and (opens or tokens[end] == "of"):
            owner = after
        elif (
            tuple(tokens[start - 1 : start]) in _FOR_EACH
            or tuple(tokens[end : end + 2]) in _OF_OTHERS
            or tokens[end : end + 1] in _OTHERS
        ):
            # 10 units of insulin in 25 g of glucose
            continue
        elif before and start - before[1] <= _REACH:
            owner = (
                _dissolved(spans[n_before - 2], before, tokens, dose) if n_before > 1 else before
            )
        else:
            continue
        is_named = bool(_NAMED_BEFORE & set(tokens[max(0, start - 1) : start]))
        if owner[1] < start and (is_named or _is_measured(tokens, start, end)):
            continue
        others = [span for span in spans if span != owner] if lasting else []
        apart = _minutes_apart(tokens, others, lasting, start, end)
        is_cap = _is_cap(tokens, start, end, is_second=owner in doses)
        timed = replace(
            dose,
            minutes=dose.minutes or apart,
            start=start,
            end=end,
            per_day=dose.per_day or (is_cap and "/" not in dose.dimension),
            times=1.0 if is_cap else dose.times,
        )
        doses.setdefault(owner, []).append(timed)
    return doses


def _is_cap(tokens: Sequence[str], start: int, end: int, *, is_second: bool) -> bool:
    """Whether an amount is the most of a day ("at most 300 mg in 24 hours"). A most without a day
    and without a dose before it may be given at once, and is read as a dose."""
    is_most = tuple(tokens[max(0, start - 2) : start]) in _AT_MOST
    is_most = is_most or bool(_MOST & set(tokens[max(0, start - 1) : start]))
    return is_most and (is_second or bool(_DAY & set(tokens[end : end + 4])))


def amount_a_day(tokens: Sequence[str], doses: Sequence[Dose]) -> tuple[str, float] | None:
    """The base unit and how much of a drug the one dose of a clause gives in a day; None where no
    dose or several are told, or one of another rhythm. What a dose replaces is none of them: "6 mg
    instead of 4 mg"."""
    now = [
        dose
        for dose in doses
        if not _REPLACED & {" ".join(tokens[max(0, dose.start - n) : dose.start]) for n in (1, 2)}
    ]
    if len(now) != 1 or "/" in now[0].dimension or _NOT_BY_DAY & set(tokens):
        return None
    return now[0].dimension, now[0].amount * now[0].times


def _dissolved(
    drug: tuple[int, int], fluid: tuple[int, int], tokens: Sequence[str], dose: Dose
) -> tuple[int, int]:
    """Whose an amount is behind a drug and the fluid in which it is dissolved: "potassium chloride
    40 mmol in 1 litre of saline at 10 mmol per hour"."""
    between = tokens[drug[1] : fluid[0]]
    is_volume = any(token in _DISSOLVES for token in between) and any(
        _UNITS.get(token, ("",))[0] == "ml" for token in between
    )
    return drug if is_volume and not dose.dimension.startswith("ml") else fluid


def amounts_at(tokens: Sequence[str]) -> frozenset[int]:
    """Where the words of amounts stand ("2 mg")."""
    amounts = _amounts_of(tuple(tokens))
    return frozenset(at for start, end, _ in amounts for at in range(start, end))


@lru_cache(maxsize=256)
def _amounts_of(tokens: tuple[str, ...]) -> tuple[tuple[int, int, Dose], ...]:
    return tuple(_amounts(tokens))


def _is_measured(tokens: Sequence[str], start: int, end: int) -> bool:
    """Whether an amount is a result, and no dose: "as potassium is 3.1 mmol", "low at 3.1
    mmol/L"."""
    before = list(tokens[max(0, start - 2) : start])
    is_told = len(before) > 1 and before[1] in _TELLS and before[0] in _NAMED_BEFORE | _LEVELS
    return is_told or bool(_A_VOLUME & set(tokens[end : end + 1]))


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
            if set(tokens[unit_at : unit_at + 1]) & _MILLIONS:
                number, unit_at = number * 1e6, unit_at + 1
                unit_at += bool({"of", "de"} & set(tokens[unit_at : unit_at + 1]))
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
        if token in ("per", "a", "/", "an", "por"):
            following += 1
            continue
        if token in _PER:
            per.append(_PER[token])
        else:
            per_day = token in _DAY and not per
            break
        following += 1
    times = (
        1.0 if {"h", "min"} & set(per) else times_a_day(" ".join(tokens[at + 1 : at + 1 + _REACH]))
    )
    rest = tokens[at + 1 : at + 1 + 2 * _REACH]
    until = next((n for n, token in enumerate(rest) if token in _ENDS_TIME), len(rest))
    minutes = _minutes(" ".join(rest[:until]))
    written = f"{number:g} {unit}"
    return Dose(number * factor, "/".join([base, *per]), written, per_day, times, minutes)


def _minutes(text: str) -> float | None:
    """Over how many minutes something is given."""
    match = _TIME.search(text)
    if match is None:
        return None
    count = _PARTS.get(match[2]) or _COUNTS.get(match[2]) or float(match[2])
    return count * (60.0 if match[4].startswith("h") else 1.0) or None


def _minutes_apart(
    tokens: Sequence[str],
    others: Sequence[tuple[int, int]],
    lasting: Sequence[int],
    start: int,
    end: int,
) -> float | None:
    """Over how many minutes the dose at tokens [start, end) is given, where the time opens its
    clause ("over ten minutes, give …") or stands in a part of its own ("…, iv, over ten minutes").
    others: where the other drugs stand; lasting: where words that lead a time do."""
    for at in lasting:
        if start <= at < end:
            continue
        led_by = next((word for word in reversed(tokens[:at]) if word not in _GIVES), ",")
        first, last = (end, at) if at >= end else (0, start)
        between = set(tokens[min(end, at) : max(start, at)]) - {","}
        is_of_another = any(first <= span[0] < last for span in others)
        if led_by != "," or is_of_another or between & _ENDS_TIME:
            continue
        if minutes := _minutes(" ".join(tokens[at : at + 6])):
            return minutes
    return None


def times_a_day(text: str) -> float:
    """How often a dose is given a day, by the words after it; 1 if they do not tell."""
    match = _EVERY.search(text)
    if match:
        hours = _COUNTS.get(match[1] or match[2], 0) or float(match[1] or match[2])
        return 24 / hours if hours else 1.0
    if _HOURLY.search(text):
        return 24.0
    match = _OFTEN.search(text)
    if match:
        return _COUNTS.get(match[1], 0) or float(match[1])
    return next((times for word, times in _LATIN.items() if f" {word} " in f" {text} "), 1.0)
