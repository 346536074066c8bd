"""Of when each value in a sentence is: past, of today, of the admission or discharge of a stay.

A time belongs to the values of its own brackets only. Behind a value it dates that one; a value
that others separate from it stays of today ("K 7.4, previously 4.1 a year ago"). Ahead of values it
dates those that follow, up to another time. A beginning ("since", "desde hace") dates nothing, nor
does the time of a symptom ("vómitos hace 3 días, glucosa 498").
"""

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple

# what is measured of a patient who is there, not looked up in a file
VITAL_SIGNS = frozenset(
    (
        *("systolic_pressure", "diastolic_pressure", "mean_pressure", "heart_rate", "saturation"),
        *("respiratory_rate", "temperature", "glasgow", "capillary_refill"),
    )
)


MONTHS = 12


class When(StrEnum):
    """Of when a value is."""

    UNSAID = ""
    PAST = "past"
    EARLIER = "earlier"  # than another of the same sentence
    NOW = "now"
    ADMISSION = "admission"
    DISCHARGE = "discharge"


class Value(NamedTuple):
    """A number in the characters [start, end) of a sentence with the name it has, if any."""

    start: int
    end: int
    name: str | None


@dataclass(frozen=True, slots=True)
class Time:
    """A time in the characters [start, end) of a sentence. reach: "list": it may date all values
    that follow, "own": those beside it. is_of_days: so near that it may be that of a symptom;
    is_of_years: so far that values of today may stand beside it in a history."""

    start: int
    end: int
    when: When
    reach: str = "list"
    is_of_days: bool = False
    is_of_years: bool = False


_COUNT = r"(?:(?:\d+(?:[.,-]\d+)?|an?|one|two|three|four|five|six|seven|eight|nine|ten|twelve|few|"
_COUNT += r"several|some|couple of)[ -]?)?"
_AGO = r" ?(?:ago|earlier|back|prior|before|previously)\b(?! (?:admission|surgery|birth|the))"
_HACE = r"\bhace (?:[^\W\d_]{1,12} |\d+(?:[.,-]\d+)? ?){0,4}?"
_MONTHS = r"(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec|ene|abr|ago|set|dic)"
_MONTHS += r"[a-z]{0,7}\.?[ /.-]{0,2}"
_VISIT_ES = (
    r"(?:ingreso|visita|consulta|analitica|control|revision|hospitalizacion|estancia|alta|egreso|"
    r"episodio|determinacion|resultado|valor|hemograma|gasometria|bioquimica|informe|urgencias)e?s?"
)
_VISIT_EN = (
    r"(?:admissions?|visits?|stay|hospitali[sz]ations?|hospital stay|appointment|clinic|"
    r"consultation|check|review|attendance|episode|discharge)"
)
_OF_DAYS = (
    rf"\b{_COUNT}(?:days?|d|/7){_AGO}|\b(?:yesterday|the day before|ayer|anteayer|antier)\b|"
    rf"{_HACE}(?:dias?|d)\b(?! que (?!tuvo|fue|\w+(?:o|on|aba|ia)\b))|"
    r"\bdias? (?:antes|atras)\b|\b(?:el )?dia (?:anterior|previo)\b"
)
_OF_WEEKS = (
    r"\blast (?:week|month|year|spring|summer|autumn|winter)\b|\bthe (?:week|month|year) before\b|"
    rf"\b{_COUNT}(?:weeks?|wks?|w|months?|mths?|mo|/52|/12){_AGO}|"
    rf"\b(?:el |la )?(?:semana|mes|ano) (?:pasad[oa]|anterior|previ[oa])\b|"
    rf"{_HACE}(?:semanas?|sem|mes(?:es)?)\b|\b(?:semanas?|mes(?:es)?) (?:antes|atras)\b|"
    rf"\b(?:previous|prior|last|earlier|past|preceding) (?:\w{{1,12}} )?{_VISIT_EN}\b|"
    r"\b(?:previous|prior|earlier|past|old) (?:\w{1,12} )?(?:labs?|bloods?|tests?|results?|"
    r"values?|readings?|observations|obs|vitals|gas)\b|"
    rf"\b{_VISIT_ES} (?:previ[oa]|anterior|pasad[oa])(?:e?s)?\b|"
    rf"\b(?:anterior|previ[oa])(?:e?s)? {_VISIT_ES}\b|\bultim[oa] (?:ingreso|visita|consulta)\b"
)
_OF_YEARS = (
    rf"\b{_COUNT}(?:years?|yrs?|y){_AGO}|"
    rf"{_HACE}(?:anos?|a)\b|\banos? (?:antes|atras)\b|"
    r"\b(?:in|en|during|durante) (?:the year |el ano |ano )?(?:19|20)\d\d\b|"
    r"(?<![\d/.-])(?:19|20)\d\d(?= ?[:)\]])|"
    r"\bas an? (?:infant|child|baby|neonate|newborn|teenager)\b|\bat birth\b|\bal nacer\b|"
    r"\bde (?:recien nacid[oa]|lactante|bebe)\b|"
    r"\bin (?:infancy|childhood|the past)\b|\ben (?:la infancia|el pasado)\b|\bde nin[oa]\b|"
    r"\b(?:first|second|previous|last|prior|earlier) pregnanc\w{1,3}\b|"
    r"\b(?:primer|anterior|previo) embarazo\b|\bembarazo (?:previo|anterior)\b|"
    # a month of a year, not a day: that may be today
    rf"(?<![\d/.-])(?:\d{{1,2}} ?[/.-] ?|\b{_MONTHS}(?:del? )?)(?:19|20)\d\d\b"
)
_MONTH_NAME = (
    r"(?:january|february|march|april|may|june|july|august|september|october|november|december|"
    r"enero|febrero|marzo|abril|mayo|junio|julio|agosto|septiembre|setiembre|octubre|noviembre|"
    r"diciembre)"
)
_NUMBER_WORD = (
    r"(?:\d{1,2}|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|thirteen|fourteen|"
    r"fifteen|sixteen|seventeen|eighteen|nineteen|twenty|dos|tres|cuatro|cinco|seis|siete|ocho|"
    r"nueve|diez|once|doce|trece|catorce|quince|dieciseis|diecisiete|dieciocho|diecinueve|veinte)"
)
# a time that is weeks old or more, or a month or season without its year: of then if told so
THEN = re.compile(
    rf"{_OF_WEEKS}|{_OF_YEARS}|"
    r"\b(?:in|on|during|early|late|en|el|a (?:principios|mediados|finales) de) "
    rf"(?:(?:early|late|mid|the|of|\d{{1,2}}(?:st|nd|rd|th)?|de)[ -]){{0,4}}{_MONTH_NAME}\b"
    rf"(?: (?:of |de )?(?:19|20)\d\d)?|"
    r"\b(?:in|last|en|el) (?:the |la |el )?(?:spring|summer|autumn|winter|primavera|verano|otono|"
    r"invierno)(?: pasad[oa])?\b|"
    rf"\bwhen (?:he|she|they) (?:was|were) (?:only )?(?:a child|a baby|{_NUMBER_WORD})\b|"
    rf"\bcuando tenia (?:{_NUMBER_WORD}) (?:anos|meses)\b|"
    rf"\b(?:at the age of|aged?) {_NUMBER_WORD}\b(?! (?:weeks|days))|"
    rf"(?<=\bdiagnosed )at {_NUMBER_WORD}\b(?! ?(?:weeks|days|hours|am|pm|o'clock|:))|"
    rf"(?<=\bdiagnosticad[oa] )a los {_NUMBER_WORD}\b(?! (?:dias|semanas))|"
    rf"\ba los {_NUMBER_WORD} (?:anos|meses)\b"
)
_BEFORE = (
    r"\b(?:previous(?:ly)?|prior|prev|previ[oa]s?|previamente|anterior(?:es|mente)?|former(?:ly)?|"
    r"baseline|usual(?:ly)?|habitual(?:es|mente)?|normally|de base|de siempre|"
    r"(?:past |medical |known )?history of|h/o|hx of|"
    r"antecedentes? (?:personal(?:es)? )?de)\b(?! ?(?:to|al?)\b)"
)
_AT_THE_TIME = (
    r"\bat th(?:e|at) time\b(?! of)|\b(?:en|por) (?:aquel|ese)(?:la)? (?:momento|entonces|epoca)\b|"
    r"\bpor entonces\b"
)
_TODAY = (
    r"\b(?:now|today(?:'s)?|current(?:ly)?|at present|presently|on examination|hoy|ahora|"
    r"actual(?:es|mente)?|en la actualidad|en este momento|"
    r"this (?:visit|admission|morning|afternoon|evening)|tonight|esta (?:manana|tarde|noche)|"
    r"este ingreso|improved to|up to|mejora a|"
    r"after (?:fluids|treatment|resuscitation)|tras (?:sueroterapia|fluidos|tratamiento))\b"
)
_ADMISSION = (
    r"\b(?:(?:on|at) (?:(?:re)?admission|arrival|presentation|triage)|(?:al|en el) (?:re)?ingreso|"
    r"(?:a su|a la) llegada|al llegar|en triaje|initial(?:ly)?|inicial(?:es|mente)?)\b"
)
_DISCHARGE = r"\b(?:(?:at|on|upon) (?:the time of )?discharge|al (?:alta|egreso))\b"
_NOW = re.compile(_TODAY)
_KINDS = [
    (re.compile(_OF_DAYS), Time(0, 0, When.PAST, is_of_days=True)),
    (re.compile(_OF_WEEKS), Time(0, 0, When.PAST)),
    (re.compile(_OF_YEARS), Time(0, 0, When.PAST, is_of_years=True)),
    (_NOW, Time(0, 0, When.NOW)),
    (re.compile(_ADMISSION), Time(0, 0, When.ADMISSION)),
    (re.compile(_DISCHARGE), Time(0, 0, When.DISCHARGE)),
    (re.compile(_BEFORE), Time(0, 0, When.PAST, reach="own")),
    (re.compile(_AT_THE_TIME), Time(0, 0, When.PAST, reach="own")),
]
_DAY = re.compile(
    r"(?<![\d/.-])(?:(?P<year>(?:19|20)\d\d)[/-](?P<month>\d\d?)[/-](?P<day>\d\d?)|"
    r"(?P<d>\d\d?)[/.-](?P<m>\d\d?)[/.-](?P<y>(?:19|20)?\d\d))(?![\d/]|[.-]\d)"
)
_HOUR = re.compile(
    r"(?:\b(?:at|a las?) )?(?<![\d:.,/])(?P<hour>[012]?\d):(?P<minute>[0-5]\d)(?: ?h\b)?(?![\d:/])|"
    r"\ba las? (?P<full>[012]?\d)(?: ?h\b| horas\b)?(?![\d:.,/])"
)
# what comes before the time at which something ongoing began
LASTS = re.compile(
    r"\b(?:since|for|over|within|during|desde|durante|lleva)(?: (?:the|about|approximately|around|"
    r"last|past|el|la|los|las|aproximadamente|unos|unas|mas de|more than|in)){0,3} ?$"
)
# an examination or a stay beside a time: what follows was found then
_STAY = (
    r"(?:admi(?:tted|ssion)|hospital\w*|ingres\w+|seen|visto|vista|presented|acudio|valorad[oa])"
)
_STAYED = re.compile(
    rf"\b(?:{_STAY}|was|were|brought|collapsed|intubat\w+|fue|trajeron|traid[oa]|llego|debuto|"
    r"presento|tuvo|precis[oa]\w*)\b"
)
_TESTS = (
    r"(?:labs?|bloods?|tests?|results?|analitica|control|revision|review|clinic|gasometria|"
    r"hemograma|bioquimica|checkup|check)"
)
_LINKS = r"(?:\W+(?:de|del|from|of|in|on|the|el|la|was|were|fue)){0,3}\W*$"
_TOLD = {
    is_of_years: (
        re.compile(rf"\b{words}{_LINKS}"),
        re.compile(rf"\W*(?:\w+\W+){{0,2}}{words}\b"),
    )
    for is_of_years, words in ((False, f"(?:{_STAY}|{_TESTS})"), (True, _TESTS))
}
_SMALL = re.compile(
    r"the|and|was|were|had|with|los|las|que|con|una?|tenia|fue|era|patient|paciente|his|her|sus?|"
    r"this|that|then|esta|este"
)
_WORD = re.compile(r"[^\W\d_]{3,}")
# what is said beside a subject, ahead of its own verb
_VERB = (
    r"(?:is|was|are|were|has|had|have|came|comes|now|today|this|stands|reads|fell|rose|dropped|"
    r"es|esta|estaba|era|fue|ha|habia|sale|salio|marca|hoy|ahora|cae|cayo|sube|subio|baja|bajo)\b"
)
_BESIDE = re.compile(
    r"(?<![\d%]),\s(?:(?:which|that|que|(?:el|la) cual|normally|usually|typically|always|"
    r"previously|normalmente|habitualmente|siempre|previamente|baseline|de base|last|in|en|"
    r"hace)\b|(?P<number>\d))"
    rf"(?:[^;.,()]|[.,](?=\d)|,\s(?!{_VERB})){{1,120}}+(?P<closed>,)\s+(?P<verb>{_VERB})|"
    rf"(?<![\d%])\s-\s(?:[^;.()-]|\.(?=\d)){{1,120}}+(?P<dash>-)\s(?P<main>{_VERB})"
)
_DIGIT = re.compile(r"\d")
_NEAR_VERB = 30  # characters from a verb to its number
_WAS = frozenset(("was", "were", "had", "estaba", "era", "fue", "habia"))
_NORMAL = re.compile(r"\b(?:normal(?:es)?|fine|good|ok|stable|bien|estable)\b")
_SEPARATOR = re.compile(r",(?!\d)|;|\. | [-|] ")
_HARD = re.compile(r"[;|]|\. ")
_JOINT = re.compile(r"\b(?:and|y|e|with|con|but|pero|who|que)\b")
_AND = re.compile(r"\b(?:and|y|but|pero)\b")
_WITH = re.compile(r"\b(?:with|con|when|cuando)\b")
# behind a time, ahead of its own number
_LINK = r"[\s:=]*+(?:(?:de|del|of|was|is|era|fue|en|in|at|a|from)\b[\s:=]*+){0,2}"
_RIGHT_AHEAD = re.compile(rf"{_LINK}$")
_NUMBER_AHEAD = re.compile(rf"{_LINK}\d")


def _asides(folded: str) -> Iterator[tuple[int, int]]:
    """What is said between a subject and its verb ("her blood pressure, which was 140/90 a year
    ago, is 72/44"). Where today stands there and the verb is of the past, it is the value."""
    for match in _BESIDE.finditer(folded):
        end = max(match.start("closed"), match.start("dash"))
        is_past = (match["verb"] or match["main"]) in _WAS
        is_value = is_past and _NOW.search(folded, match.start(), end) is not None
        # "BP, 72/40, is low": the only value, without a time of then
        if match["number"] and not THEN.search(folded, match.start(), end):
            is_value = True
        if not is_value and _DIGIT.search(folded, match.end(), match.end() + _NEAR_VERB):
            yield match.start(), end


class Brackets:
    """The brackets of a sentence, and what stands like one between a subject and its verb: which
    of them each position lies in."""

    def __init__(self, folded: str) -> None:
        """The last unclosed bracket ends with the sentence."""
        self.spans: list[tuple[int, int]] = []
        opened: list[int] = []
        for match in re.finditer(r"[()\[\]]", folded):
            if match.group() in "([":
                opened.append(match.start())
            elif opened:
                self.spans.append((opened.pop(), match.end()))
        self.spans += [(start, len(folded)) for start in opened[-1:]]
        self.asides = list(_asides(folded))
        self.spans += self.asides

    def around(self, position: int) -> tuple[int, int] | None:
        """The innermost bracket that holds a position; None outside of all."""
        holding = [span for span in self.spans if span[0] < position < span[1]]
        return max(holding, default=None)


def times_in(folded: str) -> list[Time]:
    """The times in a folded sentence, in order and without overlaps; no beginnings."""
    times: list[Time] = []
    for pattern, kind in _KINDS:
        for match in pattern.finditer(folded):
            start, end = match.span()
            if any(start < other.end and end > other.start for other in times):
                continue
            times.append(Time(start, end, kind.when, kind.reach, kind.is_of_days, kind.is_of_years))
    times = [
        time for time in times if not LASTS.search(folded[max(0, time.start - 60) : time.start])
    ]
    return sorted([*times, *_days(folded)], key=lambda time: time.start)


def calendar_days(folded: str) -> list[tuple[tuple[int, ...], tuple[int, int]]]:
    """The days of the calendar in a folded text, as (year, month, day), and their characters. One
    that can only be month/day/year (11/23/2026) says that all are."""
    matches = list(_DAY.finditer(folded))
    is_month_first = any(int(match["m"] or 0) > MONTHS for match in matches)
    days: list[tuple[tuple[int, ...], tuple[int, int]]] = []
    for match in matches:
        year, month, day = match["year"] or match["y"], match["month"], match["day"]
        if not match["year"]:
            day, month = (match["m"], match["d"]) if is_month_first else (match["d"], match["m"])
        days.append(((int(year[-2:]), int(month), int(day)), match.span()))
    return days


def _days(folded: str) -> Iterator[Time]:
    """Days of the calendar, if there are several, or hours in their order: the latest is that of
    today."""
    days = calendar_days(folded)
    hours: list[tuple[tuple[int, ...], tuple[int, int]]] = [
        ((int(match["hour"] or match["full"]), int(match["minute"] or 0)), match.span())
        for match in _HOUR.finditer(folded)
    ]
    if [key for key, _ in hours] == sorted({key for key, _ in hours}):
        days = days or hours  # otherwise midnight may lie between them
    latest = max((key for key, _ in days), default=None)
    if any(key != latest for key, _ in days):
        for key, (start, end) in days:
            yield Time(start, end, When.NOW if key == latest else When.EARLIER)


class Dating:
    """The times of a sentence and the values they date."""

    def __init__(self, folded: str) -> None:
        self._folded = folded
        self.times = times_in(folded)
        self._brackets = Brackets(folded)
        self._separators = [
            (match.start(), match.end(), self._brackets.around(match.start()))
            for match in _SEPARATOR.finditer(folded)
        ]
        self._starts = [separator[0] for separator in self._separators]

    def when(self, values: Sequence[Value]) -> list[When]:
        """Of when each of the values is, in order of their place."""
        behind: dict[int, When] = {}
        ahead: dict[int, When] = {}
        beside: dict[int, When] = {}
        for number, time in enumerate(self.times):
            time, level = self._lifted(time, values)
            dated = self._inside(time, level, values) or self._dated_behind(
                number, time, level, values
            )
            for index in dated:
                behind.setdefault(index, time.when)
            if not dated:
                for index in self._dated_ahead(number, time, level, values):
                    if time.reach == "own":
                        beside[index] = time.when
                    else:
                        ahead[index] = time.when
        whens = [
            behind.get(n, beside.get(n, ahead.get(n, When.UNSAID))) for n in range(len(values))
        ]
        return [self._inherited(n, values, whens) for n in range(len(values))]

    def _level(self, position: int) -> tuple[int, int] | None:
        return self._brackets.around(position)

    def is_right_behind(self, start: int, time: Time) -> bool:
        """Whether a number at `start` follows a time at once."""
        between = self._folded[time.end : start]
        return time.end <= start and _RIGHT_AHEAD.fullmatch(between) is not None

    def is_beside(self, start: int, end: int) -> bool:
        """Whether a time stands right before or behind the number at [start, end)."""
        return any(
            self.is_right_behind(start, time)
            or (time.start >= end and not self._folded[end : time.start].strip(" ,:=(-"))
            for time in self.times
        )

    def _whens(self, start: int, end: int) -> set[When]:
        return {time.when for time in self.times if start < time.start < end}

    def legible(self) -> list[str]:
        """The sentence for a reader of names and their numbers: without the times that stand
        between both and the brackets that tell of other times; then these brackets alone."""
        text = self._folded
        for time in reversed(self.times):
            if _NUMBER_AHEAD.match(text, time.end):
                text = text[: time.start] + " " * (time.end - time.start) + text[time.end :]
        dated = [
            (start, end)
            for start, end in self._brackets.spans
            if self._whens(start, end) - {When.NOW} == self._whens(start, end) != set()
            or (start, end) in self._brackets.asides
        ]
        whole = text
        for start, end in dated:
            whole = whole[:start] + " " * (end - start) + whole[end:]
        alone = [" " * start + text[start:end] + " " * (len(text) - end) for start, end in dated]
        return [whole, *alone]

    def _inherited(self, index: int, values: Sequence[Value], whens: Sequence[When]) -> When:
        """What brackets explain is of the time of the value ahead of them ("BP 80/40 (MAP 53)")."""
        bracket = self._level(values[index].start)
        if whens[index] or bracket is None:
            return whens[index]
        if any(bracket[0] < time.start < bracket[1] for time in self.times):
            return When.UNSAID
        before = [n for n in range(index) if values[n].end <= bracket[0]]
        return self._inherited(before[-1], values, whens) if before else When.UNSAID

    def _lifted(self, time: Time, values: Sequence[Value]) -> tuple[Time, tuple[int, int] | None]:
        """The time and the bracket it counts in: brackets without a value are as good as none."""
        level = self._level(time.start)
        while level and not any(level[0] < value.start < level[1] for value in values):
            rest = self._folded[level[0] : time.start] + self._folded[time.end : level[1]]
            is_normal = _NORMAL.search(rest) is not None  # what is told is not this value
            if is_normal or level in self._brackets.asides or any(map(str.isdigit, rest)):
                break
            time = Time(*level, time.when, time.reach, time.is_of_days, time.is_of_years)
            level = self._level(time.start)
        return time, level

    def _part(self, time: Time, level: tuple[int, int] | None) -> tuple[int, int]:
        """The characters around a time up to the next separators of its level."""
        low, high = level or (0, len(self._folded))
        following = bisect_right(self._starts, time.start)
        for _, end, of_level in reversed(self._separators[:following]):
            if of_level == level and end <= time.start:
                low = max(low, end)
                break
        for start, _, of_level in self._separators[following:]:
            if of_level == level and start >= time.end:
                high = min(high, start)
                break
        return low, high

    def _inside(
        self, time: Time, level: tuple[int, int] | None, values: Sequence[Value]
    ) -> list[int]:
        """A time between a name and its number ("K last week 4.1")."""
        return [
            n
            for n, value in enumerate(values)
            if value.start < time.start
            and time.end <= value.end
            and level == self._level(value.start)
        ]

    def _dated_behind(
        self, number: int, time: Time, level: tuple[int, int] | None, values: Sequence[Value]
    ) -> list[int]:
        """The values right ahead of a time in its own part, which it dates."""
        low, high = self._part(time, level)
        earlier = [other.end for other in self.times[:number] if other.end <= time.start]
        low = max([low, *earlier])
        before = [
            n
            for n, value in enumerate(values)
            if low <= value.start
            and value.end <= time.start
            and self._level(value.end - 1) == level
        ]
        if not before:
            return self._closed(time, low, values)
        if time.reach == "own" and self._joined(values[before[-1]].end, time.start):
            return []
        if self._has_own_number(number, time, high, values):
            return []
        dated = [before[-1]]
        for n in reversed(before[:-1]):
            if values[dated[-1]].name is None:
                break
            dated.append(n)
        return dated

    def _closed(self, time: Time, low: int, values: Sequence[Value]) -> list[int]:
        """The values in brackets right ahead of a time ("shock (BP 60/30) in 2021")."""
        bracket = max((b for b in self._brackets.spans if b[1] <= time.start), default=None)
        if bracket is None or time.is_of_days or bracket[0] < low:
            return []
        if self._folded[bracket[1] : time.start].strip():
            return []
        return [n for n, value in enumerate(values) if bracket[0] < value.start < bracket[1]]

    def _joined(self, start: int, end: int) -> bool:
        return _JOINT.search(self._folded, start, end) is not None

    def _has_own_number(self, number: int, time: Time, high: int, values: Sequence[Value]) -> bool:
        """Whether the number behind a time is its own: no name, no other time behind it."""
        following = next((v for v in values if v.start >= time.end), None)
        if following is None or following.end > high:
            return False
        if following.name is not None or not self.is_right_behind(following.start, time):
            return False
        later = next((t for t in self.times[number + 1 :] if t.start >= following.end), None)
        return later is None or self._folded[following.end : later.start].strip() != ""

    def _dated_ahead(
        self, number: int, time: Time, level: tuple[int, int] | None, values: Sequence[Value]
    ) -> list[int]:
        """The values behind a time that it dates."""
        low, high = self._part(time, level)
        end = self._end_of_reach(number, time, level)
        following = [
            n
            for n, value in enumerate(values)
            if time.end <= value.start < end and self._level(value.start) == level
        ]
        own = [n for n in following if values[n].start < high]
        if time.reach == "own" and not self._folded[time.end :].lstrip().startswith(":"):
            return [n for n in own if not self._joined(time.end, values[n].start)]
        if not own and (bracket := self._explained(time, high, values)):
            return bracket
        before = [value for value in values if value.end <= time.start]
        told = self._words(low, time.start)
        if time.when is When.NOW and not self._words(0, time.start):
            return self._of_one_kind(following, values)  # "Today well, K 4.1"
        if own and told and not self._is_told(time, low, high):
            # a finding of then: its values come with it ("ketoacidosis in 2019 with a pH of 7.05")
            own = [
                n
                for n in own
                if not _AND.search(self._folded, time.end, values[n].start)
                and _WITH.search(self._folded, time.end, values[n].start)
            ]
            return own
        names = {value.name for value in before}
        if following and (
            (values[following[0]].name is None and before) or values[following[0]].name in names
        ):
            return own or following[:1]
        if own or not self._words(low, high, time) or self._is_told(time, low, high):
            return self._of_one_kind(following, values)
        return []

    def _of_one_kind(self, following: Sequence[int], values: Sequence[Value]) -> list[int]:
        """The values of a list up to the first vital sign behind a result of the laboratory: a
        result that is quoted for comparison, and what is measured today ("Hb 14.1 a year ago" and
        "TA 76/40"). The vital signs of a stay are told by its verb."""
        kept: list[int] = []
        for n in following:
            names = {values[k].name for k in kept} - {None}
            if values[n].name in VITAL_SIGNS and names and not names & VITAL_SIGNS:
                between = self._folded[values[kept[0]].start : values[n].start]
                if not _STAYED.search(self._folded, 0, values[n].start) and "," in between:
                    break
            kept.append(n)
        return kept

    def _explained(self, time: Time, high: int, values: Sequence[Value]) -> list[int]:
        """The values in brackets behind a time that is no symptom's ("DKA in 2018 (pH 6.9)")."""
        bracket = min((b for b in self._brackets.spans if b[0] >= time.end), default=None)
        if bracket is None or time.is_of_days or bracket[0] >= high:
            return []
        if any(bracket[0] < other.start < bracket[1] for other in self.times):
            return []
        return [n for n, value in enumerate(values) if bracket[0] < value.start < bracket[1]]

    def _end_of_reach(self, number: int, time: Time, level: tuple[int, int] | None) -> int:
        """Where another time, a full stop or the bracket ends what a time dates."""
        end = level[1] if level else len(self._folded)
        for start, _, of_level in self._separators:
            if start >= time.end and of_level == level and _HARD.match(self._folded, start):
                end = min(end, start)
        for other in self.times[number + 1 :]:
            is_day = other.when in (When.PAST, When.EARLIER, When.NOW)
            if is_day and other.start >= time.end and self._level(other.start) == level:
                end = min(end, other.start)
        return end

    def _words(self, low: int, high: int, time: Time | None = None) -> list[str]:
        """The words that tell something in a part, but for those of its time."""
        text = self._folded[low:high]
        if time is not None:
            text = self._folded[low : time.start] + " " + self._folded[time.end : high]
        return [word for word in _WORD.findall(text) if not _SMALL.fullmatch(word)]

    def _is_told(self, time: Time, low: int, high: int) -> bool:
        """Whether a stay or an examination stands right beside a time."""
        before, after = _TOLD[time.is_of_years]
        return (
            before.search(self._folded, low, time.start) is not None
            or after.match(self._folded, time.end, high) is not None
        )
