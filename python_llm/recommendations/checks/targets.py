"""What a patient is treated to, how far and how fast: saturation, pressures, sodium, glucose, units
of blood. A target that is sane for most can be dangerous in a disease, so each row of order_limits
says in whom it holds (docs/specification.md#grounds)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from python_llm.recommendations.knowledge import Knowledge
from python_llm.recommendations.record.conditions import Condition, names
from python_llm.recommendations.wording.phrases import clauses, words

COUNTS = {
    name: number
    for number, name in enumerate(
        (
            *("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine"),
            *("ten", "eleven", "twelve"),
        )
    )
} | {
    **{"a": 1, "un": 1, "una": 1, "uno": 1, "dos": 2, "tres": 3, "cuatro": 4, "cinco": 5},
    **{"seis": 6, "siete": 7, "ocho": 8, "nueve": 9, "diez": 10, "doce": 12},
}
_NUMBER = (
    r"(?<![\d.])\d{1,3}(?:\.\d+)?(?![\d.])"
    r"(?! (?:mg(?! dl)|ml(?! kg)|h|hours?|horas?|days?|dias?|minutes?|min)\b)"
)
# "94 98" is a range, "120 70" are two pressures
_VALUES = re.compile(rf"({_NUMBER})(?: (?:to|and|a|y|or) | )?({_NUMBER})?")
# "from 680 to 110": where it stands today is no target
_FROM = re.compile(
    r"\b(?:from|desde|de) \d+(?:\.\d+)? (?:mg dl |mmol l |mmol |mmhg )?(?=to |a |hasta )"
)
_CONDITIONAL = frozenset(("if", "when", "whenever", "unless", "si", "cuando"))
# "restart once the INR is below 5", and not "once daily"
_ONCE_SO = re.compile(r"\b(?:once|as soon as) (?:the|his|her|its?|inr)\b|\buna vez\b|\ben cuanto\b")
_OTHER_PRESSURE = re.compile(
    r"\b(?:mean|media|map|tam|pam|pulmonary|venous|venosa|plateau|diastolic|diastolica|airway)\b"
)
_PRESSURE = "systolic_pressure"
# Values in another unit: glucose in mmol/l, haemoglobin in g/l.
_MMOL_OF_GLUCOSE, _MG_PER_MMOL = 40.0, 18.0
_G_PER_LITRE = 25.0
_DRAINED = re.compile(
    r"\b(?:drain|remove|aspirate|evacuate|take off|tap|evacuar|drenar)\w*\b(?: \w+){0,3}?"
    r" (\d+(?:\.\d+)?|\w+) (l|liters?|litres?|litros?|ml|milliliters?)\b"
    r"(?=.*\b(?:chest|pleura|pleural|effusion|thorax|hemithorax|torax|derrame)\b)"
)
_SODIUM_UP = re.compile(
    r"\b(?:raise|increase|correct|bring up|subir|elevar|corregir)\w*\b(?: \w+){0,3}"
    r" (?:sodium|sodio|na)\b(?: \w+){0,2} (?:by|en|unos) (\d+)\b"
)
_SODIUM_TO = re.compile(r"\b(?:sodium|sodio|natremia|na)\b(?: \w+){0,6}? (1[0-7]\d)\b")
_NORMAL_SODIUM = re.compile(
    r"\b(?:normali[sz]\w+|correct|corregir|corrija)\b(?: \w+){0,4} (?:sodium|sodio|natremia)\b"
)
# "at 10 mmol per hour" is how fast, not how far
_RATE = re.compile(
    r"\b(?:at|a|of) \d+(?:\.\d+)? ?\w* (?:per|an|a|each|por|la) (?:hour|h|hora|day|dia|minute)\b"
)
# A shorter name of a test is a unit or a sign, too.
_LEAST_LETTERS = 4
# the acidity of urine, of a pleura or of an eye that is washed is none of the blood
_OF_ELSEWHERE = re.compile(
    r"\b(?:urin\w*|orina|irrigat\w*|irrig\w+|rinse|wash\w*|lav\w+|eyes?|ojos?|ocular\w*"
    r"|conjunctiv\w*|fornix|fornices|tears?|lagrima\w*|gastric|gastrico|pleural?|vagin\w+)\b"
)
# "lower the mean pressure by 20 to 25 %": how far it moves, and not where to
_BY_SO_MUCH = re.compile(
    r"\b(?:by|un|en un)(?: (?:about|around|up|to|at|most|no|more|than|unos|aproximadamente))*"
    r" \d+(?: (?:to |a |y |and |o |or )?\d+)?\b"
)
_NORMAL = 140.0
# Without the word, where it was measured out of range: no other test has 120 to 159 mmol/l, and
# none else is raised by 11 or more.
_RANGE = (135.0, 145.0)
_TO_MMOL = re.compile(
    r"\b(?:to|reach\w*|until|target\w*|above|over|towards|a|hasta|alcanzar|llegar|objetivo)\b"
    r"(?: (?:it|is|about|at|least|the|a|de|los|unos|of|over|above)){0,3} (1[2-5]\d) ?m(?:mol|eq)\b"
)
_BY_MMOL = re.compile(
    r"\b(?:rais|increas|correct|bring|subi|elev|correg|corrig)\w*\b"
    r"(?: (?!potassium|potasio)\w+){0,4}"
    r" (?:by|en|unos) (\d{2}) ?m(?:mol|eq)\b"
)
_WITHIN_A_DAY = re.compile(
    r"\b(?:in|within|over|en|durante|before|during)"
    r"(?: (?:the|next|first|coming|las|los|proximas|primeras|only|solo))*"
    r" (?:(\d{1,2}|[a-z]+) )?(?:hours?|h|horas?)\b"
    r"|\b(?:today|tonight|overnight|tomorrow|this (?:evening|afternoon|morning)|one day|a day"
    r"|hoy|esta (?:noche|tarde)|manana|un dia)\b"
)
_HYPERTONIC = re.compile(r"\b(?:hypertonic|hipertonico|hipertonica)\b")
_RED_CELLS = re.compile(
    r"\b(\d{1,2}|[a-z]+) (?:units?|bags?|unidades|concentrados?|bolsas)"
    r"(?: (?:of|de))?(?: (?:packed|hematies|sangre|blood|red|rbcs?|prbcs?))"
)
# blood that is made ready is not given: "crossmatch four units of red cells"
_MADE_READY = re.compile(
    r"\b(?:cross ?match|reserve|set aside|cruzar|reservar|pruebas cruzadas)"
    r"(?: (?!and|then|y|luego|give|transfus\w*|transfund\w*|administ\w*|,)[\w,]+){0,3} ?$"
)
_ULTRAFILTERED = re.compile(
    r"\bultrafilt\w*\b(?: \w+){0,3}? (\d+(?:\.\d+)?) (?:l|liters?|litres?|litros?)\b(?: \w+){0,2}?"
    r" (?:in|within|over|en|durante) (\d+|[a-z]+) (?:h|hours?|horas?)\b"
)


@dataclass(frozen=True)
class _Target:
    name: str
    applies: Condition
    low: float | None
    high: float | None
    alarm_low: float | None
    alarm_high: float | None

    def read(self, match: re.Match[str]) -> tuple[float, float]:
        """The least and the greatest value of a target, in the unit of the seed."""
        first = float(match[1])
        second = float(match[2]) if match[2] else first
        lower, upper = (first, second) if second > first else (first, first)
        if self.name.startswith("glucose") and upper < _MMOL_OF_GLUCOSE:
            return lower * _MG_PER_MMOL, upper * _MG_PER_MMOL
        if self.name == "hemoglobin" and upper > _G_PER_LITRE:
            return lower / 10, upper / 10
        return lower, upper


class Targets:
    """Finds what no patient in this state is treated to."""

    def __init__(self, knowledge: Knowledge) -> None:
        self._lexicon = knowledge.lexicon
        rows = knowledge.tables["order_limits"]
        self._targets = [
            (
                re.compile(rf"\b(?:{'|'.join(re.escape(p) for p in names(row['phrases']))})\b"),
                _Target(
                    row["subject"],
                    Condition.read(row["applies_when"]),
                    *(
                        float(row[column]) if row[column] else None
                        for column in ("low", "high", "alarm_low", "alarm_high")
                    ),
                ),
            )
            for row in rows
            if row["kind"] == "target"
        ]
        tests = {
            name.replace("_", " ")
            for row in knowledge.tables["lab_tests"]
            for name in (row["lab"], *names(row["aliases"]))
            if len(name) >= _LEAST_LETTERS
        }
        self._other_test = re.compile(
            r"\b(?:or|and|o|y|u) (?:the |el |la )?"
            rf"(?:{'|'.join(re.escape(name) for name in sorted(tests))})\b"
        )
        self._most = {row["subject"]: float(row["high"]) for row in rows if row["kind"] == "amount"}

    def problems(self, text: str, findings: set[str], sodium: Sequence[float]) -> Iterator[str]:
        """Each target, amount or speed of a text that is dangerous in a patient with these
        findings. sodium: what was measured, mmol/l."""
        yield from self._off_target(text, findings)
        plain = " ".join(words(text))
        yield from self._drained(plain)
        yield from self._ultrafiltered(plain)
        yield from self._sodium(plain, sodium)
        if not findings & {"active_bleeding", "unstable"}:
            yield from self._red_cells(plain)

    def _off_target(self, text: str, findings: set[str]) -> Iterator[str]:
        """Each target or alarm that no patient in this state is treated to."""
        if not any(letter.isdigit() for letter in text):
            return
        targets = [
            (pattern, target)
            for pattern, target in self._targets
            if not target.applies.names or target.applies.holds(findings)
        ]
        for tokens in clauses(text):
            for part in " ".join(tokens).split(","):
                is_conditional = bool(_CONDITIONAL & set(part.split()) or _ONCE_SO.search(part))
                is_alarm = is_conditional and bool(self._lexicon.pattern("sets_alarm").search(part))
                sets_target = not is_conditional and self._lexicon.pattern("sets_target")
                if is_alarm or (sets_target and sets_target.search(part)):
                    for pattern, target in targets:
                        if reason := self._misses(part, pattern, target, is_alarm):
                            yield reason

    def _misses(
        self, part: str, pattern: re.Pattern[str], target: _Target, is_alarm: bool
    ) -> str | None:
        named = pattern.search(part)
        if not named:
            return None
        if target.name.startswith("ph") and _OF_ELSEWHERE.search(part):
            return None
        rest = _RATE.sub("", _FROM.sub("", part[named.end() :]))
        # "if pH falls or potassium goes below 3.5"
        rest = self._other_test.split(rest, maxsplit=1)[0]
        if "pressure" in target.name:
            rest = _BY_SO_MUCH.sub(" ", rest)
        values = _VALUES.search(rest[:48])
        around = part[max(0, named.start() - 12) : named.start()] + named[0] + rest[:12]
        if values is None or (target.name.startswith(_PRESSURE) and _OTHER_PRESSURE.search(around)):
            return None
        falls = is_alarm and bool(self._lexicon.pattern("falls").search(rest[:30]))
        return _outside(*target.read(values), target, is_alarm, falls)

    def _drained(self, plain: str) -> Iterator[str]:
        """More fluid than a pleura may lose at once."""
        match = _DRAINED.search(plain)
        if match:
            count = COUNTS.get(match[1]) or (float(match[1]) if match[1][0].isdigit() else 0)
            litres = count / 1000 if match[2].startswith("m") else count
            most = self._most["pleural_litres"]
            if litres > most:
                yield f"{litres:g} litres are drained at once: {most:g} at most"

    def _ultrafiltered(self, plain: str) -> Iterator[str]:
        """More fluid by dialysis than the circulation gives in that time."""
        match = _ULTRAFILTERED.search(plain)
        if match:
            hours = COUNTS.get(match[2]) or (int(match[2]) if match[2].isdigit() else 1)
            an_hour, most = float(match[1]) / max(hours, 1), self._most["ultrafiltration_an_hour"]
            if an_hour > most:
                yield f"{an_hour:g} litres an hour are ultrafiltered: {most:g} at most"

    def _sodium(self, plain: str, measured: Sequence[float]) -> Iterator[str]:
        """Sodium that is to rise or fall faster than a brain bears."""
        most = self._most["sodium_a_day"]
        is_off = bool(measured) and not (_RANGE[0] <= min(measured) and max(measured) <= _RANGE[1])
        up = _SODIUM_UP.search(plain) or (_BY_MMOL.search(plain) if is_off else None)
        if up and int(up[1]) > most:
            yield f"sodium raised by {up[1]} mmol/l: {most:g} a day at most"
        to = _SODIUM_TO.search(plain) or (_TO_MMOL.search(plain) if is_off else None)
        if not measured or not (to or _NORMAL_SODIUM.search(plain)):
            return
        if not (_is_within_a_day(plain) or _HYPERTONIC.search(plain)):
            return
        aim = float(to[1]) if to else _NORMAL
        rise, fall = aim - min(measured), max(measured) - aim
        if rise > most:
            yield f"sodium raised by {rise:g} mmol/l: {most:g} a day at most"
        if fall > self._most["sodium_down_a_day"]:
            most = self._most["sodium_down_a_day"]
            yield f"sodium lowered by {fall:g} mmol/l: {most:g} a day at most"

    def _red_cells(self, plain: str) -> Iterator[str]:
        """More red cells than a patient who does not bleed gets before haemoglobin is measured."""
        for match in _RED_CELLS.finditer(plain):
            count = COUNTS.get(match[1]) or (int(match[1]) if match[1].isdigit() else 0)
            is_given = not _MADE_READY.search(plain[: match.start()])
            if is_given and count > self._most["red_cell_units"]:
                yield f"{count} units of red cells without bleeding: circulatory overload"


def _is_within_a_day(plain: str) -> bool:
    match = _WITHIN_A_DAY.search(plain)
    if match is None:
        return False
    count = match[1]
    hours = COUNTS.get(count) or (int(count) if count.isdigit() else 1) if count else 1
    return hours <= 24


def _outside(low: float, high: float, target: _Target, is_alarm: bool, falls: bool) -> str:
    name = target.name.replace("_", " ")
    if is_alarm:
        if falls and target.alarm_low is not None and low < target.alarm_low:
            return f"help is called for {name} only below {low:g}"
        if not falls and target.alarm_high is not None and low > target.alarm_high:
            return f"help is called for {name} only above {low:g}"
        return ""
    if target.low is not None and low < target.low:
        return f"a target of {low:g} for {name} is too low"
    if target.high is not None and high > target.high:
        return f"a target of {high:g} for {name} is too high"
    return ""
