"""When a finding began, whether it resolved, and what course it took.

Times are in years of the patient's age. A time belongs to the findings before it in its sentence
("seizures began at 4 months"), or to those after it where it opens a clause ("at 4 months, seizures
began"); see docs/specification.md#onset-and-timing.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from python_llm.phenotyping.text import Token, tokens_of, word_set

DAYS_PER_YEAR = 365.25
_YEARS_PER = {
    "hour": 1 / (24 * DAYS_PER_YEAR),
    "day": 1 / DAYS_PER_YEAR,
    "week": 7 / DAYS_PER_YEAR,
    "month": 1 / 12,
    "year": 1.0,
}
_UNITS = {
    **dict.fromkeys(("hour", "hours", "hora", "horas"), "hour"),
    **dict.fromkeys(("day", "days", "dia", "dias"), "day"),
    **dict.fromkeys(("week", "weeks", "wk", "wks", "semana", "semanas", "sem"), "week"),
    **dict.fromkeys(("month", "months", "mo", "mos", "mes", "meses"), "month"),
    **dict.fromkeys(("year", "years", "yr", "yrs", "y", "ano", "anos", "a"), "year"),
}
NUMBERS = {
    word: number
    for number, words in enumerate(
        [
            "zero cero",
            "one un una uno",
            "two dos",
            "three tres",
            "four cuatro",
            "five cinco",
            "six seis",
            "seven siete",
            "eight ocho",
            "nine nueve",
            "ten diez",
            "eleven once",
            "twelve doce",
            "thirteen trece",
            "fourteen catorce",
            "fifteen quince",
            "sixteen dieciseis",
            "seventeen diecisiete",
            "eighteen dieciocho",
            "nineteen diecinueve",
            "twenty veinte",
        ]
    )
    for word in words.split()
}
for _number, _names in (
    *((30, "thirty treinta"), (40, "forty cuarenta"), (50, "fifty cincuenta")),
    *((60, "sixty sesenta"), (70, "seventy setenta"), (80, "eighty ochenta")),
    *((90, "ninety noventa"), (21, "veintiun"), (22, "veintidos"), (23, "veintitres")),
    *((24, "veinticuatro"), (25, "veinticinco"), (26, "veintiseis"), (27, "veintisiete")),
    *((28, "veintiocho"), (29, "veintinueve")),
):
    NUMBERS |= dict.fromkeys(_names.split(), _number)
_ORDINALS = {
    word: number
    for number, words in enumerate(
        [
            "first 1st primer primera primero",
            "second 2nd segundo segunda",
            "third 3rd tercer tercera tercero",
            "fourth 4th cuarto cuarta",
            "fifth 5th quinto quinta",
            "sixth 6th sexto sexta",
            "seventh 7th septimo septima",
            "eighth 8th octavo octava",
            "ninth 9th noveno novena",
            "tenth 10th decimo decima",
        ],
        start=1,
    )
    for word in words.split()
}
_DECADES = {
    **{f"{n}s": n for n in range(10, 100, 10)},
    **{"twenties": 20, "thirties": 30, "forties": 40, "fifties": 50, "sixties": 60},
    **{"seventies": 70, "eighties": 80},
}
_DIGITS = re.compile(r"\d+(?:[.,]\d+)?")
_HALF_AFTER = (("and", "a", "half"), ("y", "medio"), ("y", "media"), ("and", "half"))
_AFTER_AGE = frozenset((",", ".", ";", ")", "and", "but", "y", "pero", "with", "con"))
# behind a number too high for a clock: "took an overdose at 19 after a break-up"
_AFTER_AGE_TOLD = word_set(
    "after following when while during because over on tras durante cuando por"
)
_HOURS = 12
_WHEN_WAS = (("when", "was"), ("cuando", "tenia"))
_BEGINNINGS = frozenset((*NUMBERS, *_ORDINALS, *_DECADES, *_UNITS, "a", "an"))
# words that may introduce an age; skipped to see whether it opens its clause
_PREPOSITIONS = word_set(
    "at the age of aged by around about since from when she he they was were is in on during a an "
    "los las la el edad de desde hacia con sobre alrededor unos cuando tenia tiene cerca aprox "
    "approximately roughly ~ near before after antes entre between only already just"
)
_AGE_BEFORE = word_set("at by aged age since from around about when until till before")
_AGE_BEFORE_ES = frozenset(("a", "los", "las", "al", "con", "desde", "hacia", "hasta", "edad"))
_WAKING = word_set("woke woken awoke awakened wakes waking up despierta desperto despertar")
_NOW = ["at", "once"]
_AGE_AFTER = (
    ("of", "age"),
    ("of", "life"),
    ("old",),
    ("de", "edad"),
    ("de", "vida"),
)
# how far a pregnancy is gone is no time ago ("about six weeks pregnant")
_OF_A_PREGNANCY = (
    *(("pregnant",), ("gestation",), ("gravid",), ("of", "pregnancy"), ("of", "gestation")),
    *(("de", "gestacion"), ("de", "embarazo"), ("de", "amenorrea")),
    *(("late",), ("overdue",), ("de", "retraso")),
)
_CALENDAR = re.compile(r"(?:19|20)\d\d$")
_BEFORE_CALENDAR = word_set("in since en desde during de del year ano of")
# behind a year that stands without a preposition, what is no year, and what has such values
_AFTER_YEAR = frozenset((",", ";", ".", ")", "(", "!", "?"))
_ROUND = frozenset(("1900", "2000"))
_COUNTED = word_set(
    "ck cpk kinase quinasa ferritin ferritina platelets plt plaquetas troponin troponina tnt tni "
    "ldh ggt lipase lipasa amylase amilasa ast alt got gpt alp bnp probnp crp pcr b12 folate dimer "
    "dimero wbc wcc leucocytes leukocytes leucocitos neutrophils neutrofilos tryptase triptasa "
    "lymphocytes linfocitos eosinophils eosinofilos urine orina volume ml mg mcg units unidades g "
    "kcal count recuento ige igg iga igm acth hcg afp psa cea pth prolactin prolactina ntprobnp "
    "weight peso proteinuria creatinine creatinina renin renina transaminases transaminasas is was"
)
# without a date of the note, a calendar year is taken as a year ago at least
_CALENDAR_AGO = 1.0
_SEVERAL = word_set("varios varias muchos muchas algunos algunas pocos pocas cuantos cuantas")
# the length of the pregnancy, not an age of the child ("born at 39 weeks")
_BORN = word_set("born birth delivered delivery nacio nacida nacido parto cesarea")
_CARRYING = word_set("pregnancy pregnant antenatal embarazo embarazada gestante gravida")
_GESTATION = (22, 44)  # weeks
_CHECKUPS = word_set("checkup check visit review assessment revision control")
_AFTER_BIRTH = (
    ("after", "birth"),
    ("after", "delivery"),
    ("after", "being", "born"),
    ("despues", "del", "nacimiento"),
    ("despues", "de", "nacer"),
    ("tras", "el", "nacimiento"),
    ("tras", "nacer"),
)
_PERSONS = word_set(
    "patient male female man woman boy girl child infant baby neonate newborn gentleman lady "
    "toddler adolescent teenager paciente varon mujer hombre nino nina lactante bebe chico chica "
    "adolescente joven escolar preescolar neonato"
)
_DURATION_BEFORE = word_set("for past last previous over ultimos ultimas durante hace")
_DURATION_AFTER = (("ago",), ("history",), ("de", "evolucion"), ("duration",), ("previously",))
_ENDED = word_set(
    "resolved disappeared stopped ceased remitted subsided until till outgrew outgrown hasta "
    "resolvio resolvieron desaparecio desaparecieron cedio cedieron remitio remitieron ceso "
    "cesaron last ultima ultimo gone abated cleared resuelto resuelta desaparecido free"
)
_GONE_ON = word_set(
    "worsened worsening deteriorated progressed increased empeorado empeora empeorando treated "
    "treatment receiving taking tratamiento tratada tratado medication"
)
# the age of a treatment does not say when the finding began
_HANDLED = word_set(
    "closed repaired corrected operated removed surgery surgically implanted performed cerrado "
    "cerrada corregido corregida operado operada intervenido intervenida extirpado "
    "extirpada cirugia"
)
# ahead of an operation: what came after it is of its date ("embolism after surgery in 2009")
_COMES_AFTER = word_set("after following post tras despues")
_AFTER_REACH = 3
_CLAUSE_STARTS = frozenset((",", ";", ":", ".", "(", "and", "but", "then", "y", "pero", "luego"))
# "no improvement" is not improving
_NOT_A_COURSE = word_set("no not without never nor sin ni nunca little minimal scarce escasa poca")
# what makes a finding better or worse, which is no course ("mejora al descansar")
_BY_WHAT = re.compile(
    r"(?:al (?!tratamiento\b|alta\b)|con (?:el |la )?(?:reposo|descanso|ejercicio|esfuerzo|calor|"
    r"frio|movimiento|tos|comida)\b|en reposo\b|en decubito\b|cuando |tras (?:el |la )?"
    r"(?:reposo|descanso|ejercicio|comida|comer)\b|"
    r"(?:with|on|by|after|during|at|when|while) (?:the )?(?:rest|exertion|exercise|effort|movement|"
    r"motion|heat|cold|food|meals|posture|strain)\b|(?:on |with |by |when |while |after )?"
    r"(?:rest|sitt|stand|ly|bend|walk|cough|sneez|strain|eat|lean|mov)ing\b)"
)
# "wets the bed, which she had not done since she was three": the age of the last time before, which
# dates nothing of today
_LAST_DONE = re.compile(
    r"\bno (?:\w+ )?(?:hacia|hace|pasaba|ocurria|sucedia|hecho|pasado) desde(?: \w+){0,3}$|"
    r"\b(?:not|never|hadn't|hasn't|didn't) (?:\w+ )?(?:done|do|did|happened) (?:\w+ ){0,2}since"
    r"(?: \w+){0,4}$"
)
_LAST_DONE_REACH = 9  # words
# an age in whole years, or a time that is rounded up, may be off by this
_ROUNDED = 1.0
# words between a verb of ending and the time of the end
_NEAR = 6
_OPENING_WORDS = 3


@dataclass(frozen=True, slots=True)
class Time:
    """A time expression in tokens [first, last): years of age (kind `age`), years until today
    (`duration`), the patient's age today (`now`), or an age that depends on an unknown age today
    (`unknown`). is_span: counted back from today; ago: years until today, if known."""

    first: int
    last: int
    kind: str
    years: float
    is_span: bool = False
    ago: float | None = None


@dataclass(frozen=True, slots=True)
class Timing:
    """The times of a finding. onset_text and resolution_text: as written; onset_years and
    resolution_years: years of age, null where they depend on an age today that is unknown."""

    onset_text: str | None = None
    onset_years: float | None = None
    resolution_text: str | None = None
    resolution_years: float | None = None
    progression: str | None = None
    onset_ago: float | None = None

    @property
    def onset(self) -> tuple[str | None, float | None]:
        """The onset as written, and in years of age."""
        return self.onset_text, self.onset_years

    @property
    def resolution(self) -> tuple[str | None, float | None]:
        """The resolution as written, and in years of age."""
        return self.resolution_text, self.resolution_years


class TimeBook:
    """The relative times and courses of one language."""

    def __init__(
        self,
        relative_times: Iterable[Mapping[str, Any]],
        progression_cues: Iterable[Mapping[str, Any]],
        language: str,
    ) -> None:
        """relative_times: phrase, language, onset_years; progression_cues: cue, language,
        progression."""
        self.relative = _phrases(
            (row["phrase"], float(row["onset_years"]))
            for row in relative_times
            if row["language"] == language
        )
        self.courses = _phrases(
            (row["cue"], row["progression"])
            for row in progression_cues
            if row["language"] == language
        )


def _phrases(rows: Iterable[tuple[str, Any]]) -> dict[str, list[tuple[tuple[str, ...], Any]]]:
    by_first: dict[str, list[tuple[tuple[str, ...], Any]]] = {}
    for phrase, value in rows:
        words = tuple(token.word for token in tokens_of(phrase))
        by_first.setdefault(words[0], []).append((words, value))
    for entries in by_first.values():
        entries.sort(key=lambda entry: -len(entry[0]))
    return by_first


def _phrase_spans(
    by_first: Mapping[str, list[tuple[tuple[str, ...], Any]]], words: Sequence[str]
) -> list[tuple[int, int, Any]]:
    spans, position = [], 0
    while position < len(words):
        step = 1
        for phrase, value in by_first.get(words[position], ()):
            if tuple(words[position : position + len(phrase)]) == phrase:
                spans.append((position, position + len(phrase), value))
                step = len(phrase)
                break
        position += step
    return spans


def number_of(word: str) -> float | None:
    """A number in digits (decimal comma or point) or in words (up to twenty, then tens)."""
    if word[0].isdigit():
        return float(word.replace(",", ".")) if _DIGITS.fullmatch(word) else None
    return NUMBERS.get(word)


def _starts_with(words: Sequence[str], position: int, *phrases: Sequence[str]) -> int:
    """Length of the phrase at `position`; 0 if none of them is there."""
    for phrase in phrases:
        if tuple(words[position : position + len(phrase)]) == tuple(phrase):
            return len(phrase)
    return 0


def _quantity(words: Sequence[str], position: int) -> tuple[int, float] | None:
    """A quantity of time that begins at `position`: (the token after it, years)."""
    number = number_of(words[position])
    after = position + 1
    if number is None:
        if words[position] not in ("a", "an") or after >= len(words) or words[after] not in _UNITS:
            return None
        number = 1
    elif after + 1 < len(words) and words[after] == "1" and words[after + 1] == "/":
        number, after = number + 0.5, after + 3
    elif half := _starts_with(words, after, *_HALF_AFTER):
        number, after = number + 0.5, after + half
    elif after + 1 < len(words) and words[after] in ("-", "or", "to", "o", "a", "y", "and"):
        # "2-3 years", "2 or 3 years": the lower one; "18-month": no second number follows
        second = number_of(words[after + 1])
        if second is not None and second > number:
            after += 2
    if after < len(words) and words[after] == "-":
        after += 1
    unit = _UNITS.get(words[after]) if after < len(words) else None
    if unit is None or (words[position] == "a" and words[after] in ("a", "y")):
        return None
    if words[after] in ("a", "y") and not words[position][0].isdigit():
        return None
    years = number * _YEARS_PER[unit]
    after += 1
    if half := _starts_with(words, after, *_HALF_AFTER):
        years += _YEARS_PER[unit] / 2
        after += half
    elif after + 1 < len(words) and words[after] in ("and", "y"):
        # "2 years and 3 months"
        rest = _quantity(words, after + 1)
        if rest is not None and rest[1] < years and number_of(words[after + 1]) is not None:
            after, years = rest[0], years + rest[1]
    if _starts_with(words, after, *_OF_A_PREGNANCY) or _is_gestation(words, position, after):
        return None
    return after, years


def times_of(tokens: Sequence[Token], book: TimeBook) -> list[Time]:
    """Every time expression of a sentence, in order and without overlaps."""
    words = [token.word for token in tokens]
    times = [Time(a, b, "age", years) for a, b, years in _phrase_spans(book.relative, words)]
    taken = {position for time in times for position in range(time.first, time.last)}
    position = 0
    while position < len(words):
        time = _time_at(words, position)
        if (
            time is None
            or position in taken
            or _is_counted(words, position)
            or _is_last_done(words, position)
        ):
            position += 1
            continue
        if not taken.intersection(range(time.first, time.last)):
            times.append(time)
        position = max(time.last, position + 1)
    return sorted(times, key=lambda time: time.first)


def _time_at(words: Sequence[str], position: int) -> Time | None:
    if not words[position][0].isdigit() and words[position] not in _BEGINNINGS:
        return None
    before = words[position - 1] if position else ""
    earlier = words[max(0, position - 4) : position]
    if words[position] in _UNITS and (last_unit := _last_unit(words, position)) is not None:
        return last_unit
    if _CALENDAR.match(words[position]) and _is_year(words, position):
        return Time(position, position + 1, "unknown", 0.0, is_span=True, ago=_CALENDAR_AGO)
    if words[position] in _DECADES and {"his", "her", "their", "the"}.intersection(earlier):
        return Time(position, position + 1, "age", float(_DECADES[words[position]]))
    if words[position] in _ORDINALS and position + 1 < len(words):
        return _ordinal_at(words, position)
    half = _starts_with(words, position + 1, *_HALF_AFTER)
    of_life = _starts_with(words, position + 1 + half, ("de", "vida"), ("de", "edad"))
    if words[position] in _UNITS and (before == "al" or (before == "el" and (half or of_life))):
        # "al año y medio", "al mes", "el año de vida": one of them
        years = _YEARS_PER[_UNITS[words[position]]]
        return Time(position, position + 1 + half, "age", years * (1.5 if half else 1))
    if words[position] in ("day", "dia", "week", "month", "mes", "semana") and position + 1 < len(
        words
    ):
        number = number_of(words[position + 1])
        if number is not None and _starts_with(words, position + 2, ("of", "life"), ("de", "vida")):
            years = number * _YEARS_PER[_UNITS[words[position]]]
            return Time(position, position + 4, "age", years)
    quantity = _quantity(words, position)
    if quantity is None:
        number = number_of(words[position])
        is_age = before in ("age", "aged") or earlier[-2:] == ["age", "of"]
        is_age = is_age or _is_bare_age(words, position, earlier)
        if number is not None and is_age and number < 120:
            return Time(position, position + 1, "age", number)
        return None
    last, years = quantity
    if birth := _starts_with(words, last, *_AFTER_BIRTH):
        return Time(position, last + birth, "age", years)
    length = _starts_with(words, last, ("-", "old"), *_AGE_AFTER)
    is_old = words[last + length - 1] == "old" if length else False
    is_person = bool(_PERSONS.intersection(words[last : last + 6])) or bool(
        _PERSONS.intersection(words[max(0, position - 3) : position])
    )
    if duration := _starts_with(words, last, *_DURATION_AFTER):
        return Time(position, last + duration, "duration", years)
    if _lasts(earlier, years) and not length:
        return Time(position, last, "duration", years)
    if "-" in words[position:last] and words[last : last + 1] == ["history"]:
        return Time(position, last + 1, "duration", years)
    if is_old or (length and is_person) or (before == "de" and is_person):
        is_told = bool({"when", "cuando", "since", "desde", "at", "until"}.intersection(earlier))
        return Time(position, last + length, "age" if is_told else "now", years)
    if length or before in _AGE_BEFORE or before in _AGE_BEFORE_ES:
        return Time(position, last + length, "age", years)
    if _CHECKUPS.intersection(words[last : last + 3]) or {"age", "edad"}.intersection(earlier):
        return Time(position, last, "age", years)
    if {"tenia", "was", "around", "about", "unos", "between", "entre"}.intersection(earlier):
        return Time(position, last, "age", years)
    return None


def _is_bare_age(words: Sequence[str], position: int, earlier: Sequence[str]) -> bool:
    """Whether a number is an age without a unit: "diagnosed at 22", "a los 22", but not "woke at
    four", which is by the clock, nor "at once", which is eleven in Spanish."""
    behind = words[position + 1] if position + 1 < len(words) else ","
    is_last = behind in _AFTER_AGE
    if behind in _AFTER_AGE_TOLD:
        is_last = (number_of(words[position]) or 0) > _HOURS
    when = (*earlier[-3:-2], *earlier[-1:]) if earlier[-1:] == ["was"] else tuple(earlier[-2:])
    is_at = earlier[-1:] == ["at"] or earlier[-2:] == ["a", "los"] or when in _WHEN_WAS
    is_clock = bool(_WAKING.intersection(earlier)) or [*earlier[-1:], words[position]] == _NOW
    return is_last and is_at and not is_clock


def _is_gestation(words: Sequence[str], position: int, last: int) -> bool:
    """Whether a number of weeks behind a word for birth is how long the pregnancy lasted."""
    number = number_of(words[position])
    if number is None or _UNITS.get(words[last - 1]) != "week":
        return False
    is_of_birth = not _BORN.isdisjoint(words[max(0, position - 4) : position])
    is_of_birth = is_of_birth or not _CARRYING.isdisjoint(words[:position])
    return is_of_birth and _GESTATION[0] <= number <= _GESTATION[1]


def _is_counted(words: Sequence[str], position: int) -> bool:
    """Whether a unit says how often something happens, not when ("8 brotes al año")."""
    count, thing, to = ["", "", "", *words[:position]][-3:]
    is_many = number_of(count or "-") is not None or count in _SEVERAL
    return to == "al" and thing.endswith("s") and is_many


def _is_last_done(words: Sequence[str], position: int) -> bool:
    """Whether a time tells when something was done for the last time before today."""
    ahead = " ".join(words[max(0, position - _LAST_DONE_REACH) : position])
    return _LAST_DONE.search(ahead) is not None


def _is_year(words: Sequence[str], position: int) -> bool:
    """Whether four digits are a year: behind a preposition, or where their clause ends and they are
    not the value of a test ("TIA 2017, hypertension", but "CK 2000,")."""
    if position and words[position - 1] in _BEFORE_CALENDAR:
        return True
    is_alone = words[position - 1 : position] == ["("] and words[position + 1 : position + 2] == [
        ")"
    ]
    if words[position] in _ROUND or not (
        is_alone or "".join(words[position - 1 : position]).isalpha()
    ):
        return False
    is_last = position + 1 == len(words) or words[position + 1] in _AFTER_YEAR
    return is_last and _COUNTED.isdisjoint(words[max(0, position - 3) : position])


def _lasts(earlier: Sequence[str], years: float) -> bool:
    """Whether the words before a quantity make it a time until today; hours since are no age."""
    is_of_hours = years < 1 / DAYS_PER_YEAR and earlier[-1:] in (["since"], ["desde"])
    return is_of_hours or bool(_DURATION_BEFORE.intersection(earlier[-2:]))


def _last_unit(words: Sequence[str], position: int) -> Time | None:
    """One unit of time ago, at the unit ("last year", "el mes pasado"); "the last year" lasts."""
    earlier = words[max(0, position - 2) : position]
    years = _YEARS_PER[_UNITS[words[position]]]
    if earlier[-1:] == ["last"] and earlier[:1] != ["the"] and words[position] not in ("a", "y"):
        return Time(position - 1, position + 1, "duration", years)
    if words[position + 1 : position + 2] in (["pasado"], ["pasada"]):
        return Time(position, position + 2, "duration", years)
    return None


def _ordinal_at(words: Sequence[str], position: int) -> Time | None:
    unit = words[position + 1]
    number = _ORDINALS[words[position]]
    if unit in ("decade", "decada"):
        return Time(position, position + 2, "age", 10.0 * (number - 1))
    if unit not in _UNITS or unit in ("a", "y"):
        return None
    if not _starts_with(words, position + 2, ("of", "life"), ("de", "vida")):
        return None
    return Time(position, position + 4, "age", (number - 1) * _YEARS_PER[_UNITS[unit]])


def _leads(words: Sequence[str], time: Time) -> bool:
    """Whether a time opens its clause and so is about what follows it."""
    position = time.first - 1
    while position >= 0 and words[position] in _PREPOSITIONS:
        position -= 1
    return position < 0 or words[position] in _CLAUSE_STARTS


def _text(tokens: Sequence[Token], time: Time, text: str) -> str:
    first = time.first
    while first and tokens[first - 1].word in _PREPOSITIONS and time.first - first < 4:
        first -= 1
    return text[tokens[first].start : tokens[time.last - 1].end]


def timings_of(
    tokens: Sequence[Token],
    times: Sequence[Time],
    spans: Sequence[tuple[int, int]],
    book: TimeBook,
    text: str,
    *,
    age_years: float | None = None,
    is_carried: bool = False,
) -> list[Timing]:
    """The times that a sentence states for each finding (spans: its tokens [first, last), in
    order).

    times: those of the sentence, of times_of(). text: the sentence as written. age_years: the
    patient's age today, which a duration needs. is_carried: the findings belong to the sentence
    before and a pronoun refers to them here, so every time is about all of them.
    """
    if not spans:
        return []
    words = [token.word for token in tokens]
    onsets: dict[int, Time] = {}
    ends: dict[int, Time] = {}
    times = [time for time in times if time.kind != "now"]
    for number, time in enumerate(times):
        previous = times[number - 1].last if number else 0
        following = times[number + 1].first if number + 1 < len(times) else len(words)
        if is_carried:
            about = list(range(len(spans)))
        else:
            about = _findings_of(time, (previous, following), spans, words)
            about = _of_a_drug(time, spans, words, about)
        since = max(previous, time.first - _NEAR)
        verbs = set(words[since : time.first])
        is_handled = any(_is_handled(words, n) for n in range(since, time.first))
        if is_handled or (time.kind == "duration" and verbs & _GONE_ON):
            continue
        if time.kind == "duration":
            time = _begun(time, age_years)
        # "the last seizure" is an end, "the last two months" is not
        # nor is what a finding is called ("stopped menstruating a year ago")
        own = {position for finding in about for position in range(*spans[finding])}
        until = time.first - 1 if time.is_span else time.first
        before = [words[position] for position in range(since, until) if position not in own]
        target = ends if _ENDED.intersection(before) else onsets
        for finding in about:
            if finding not in target or _is_better(time, target[finding], words):
                target[finding] = time
    courses = _courses(spans, words, book)
    return [
        _timing(onsets.get(finding), ends.get(finding), courses.get(finding), tokens, text)
        for finding in range(len(spans))
    ]


# a dose
_DOSED = re.compile(
    r"\d (?:mg|g|mcg|µg|ug|micrograms?|microgramos?|ml|units?|unidades|u|ui|iu|puffs?|sprays?)\b"
)
_ITEM_ENDS = frozenset((",", ";", ":", "."))


def _of_a_drug(
    time: Time, spans: Sequence[tuple[int, int]], words: Sequence[str], about: list[int]
) -> list[int]:
    """The findings that a time is about; those outside its item in a list are none of them where
    the item gives a dose and no finding: "ramipril 5 mg (started 10 weeks ago), GTN for angina"."""
    begin, end = time.first, time.last
    while begin and words[begin - 1] not in _ITEM_ENDS:
        begin -= 1
    while end < len(words) and words[end] not in _ITEM_ENDS:
        end += 1
    if not _DOSED.search(" ".join(words[begin : time.first])):
        return about
    return [n for n in about if begin <= spans[n][0] < end]


def _is_handled(words: Sequence[str], position: int) -> bool:
    """Whether a word tells of an operation: its date is not the onset of the finding beside it."""
    ahead = words[max(0, position - _AFTER_REACH) : position]
    return words[position] in _HANDLED and _COMES_AFTER.isdisjoint(ahead)


def _is_better(time: Time, known: Time, words: Sequence[str]) -> bool:
    """Whether a later time of the same clause tells an age that the known one does not."""
    is_told = (known.kind, time.kind) == ("unknown", "age")
    return is_told and ";" not in words[known.last : time.first]


def _findings_of(
    time: Time,
    between: tuple[int, int],
    spans: Sequence[tuple[int, int]],
    words: Sequence[str],
) -> list[int]:
    """The findings a time is about: those it lies in; otherwise those ahead of it, if it opens its
    clause or follows no finding; otherwise those behind it. between: the end of the previous time
    and the start of the next."""
    previous, following = between
    ahead = [n for n, (a, _) in enumerate(spans) if time.last <= a < following]
    behind = [n for n, (a, b) in enumerate(spans) if previous <= a and b <= time.first]
    inside = [n for n, (a, b) in enumerate(spans) if a < time.last and b > time.first]
    if inside:
        return inside
    if ahead and (_leads(words, time) or not behind):
        return ahead
    return behind or [n for n, (_, b) in enumerate(spans) if b <= time.first][-1:]


def _begun(duration: Time, age_years: float | None) -> Time:
    """The age at onset of something that has lasted so long; unknown without today's age."""
    first, last, ago = duration.first, duration.last, duration.years
    if age_years is None:
        return Time(first, last, "unknown", 0.0, is_span=True, ago=ago)
    if ago > age_years + _ROUNDED:  # longer than the patient has lived: one of both is of another
        return Time(first, last, "unknown", 0.0, is_span=True)
    return Time(first, last, "age", max(age_years - ago, 0.0), is_span=True, ago=ago)


def _courses(
    spans: Sequence[tuple[int, int]], words: Sequence[str], book: TimeBook
) -> dict[int, str]:
    """The course of each finding that has one: a course belongs to the nearest finding."""
    courses: dict[int, str] = {}
    for first, last, course in _phrase_spans(book.courses, words):
        is_by_what = _BY_WHAT.match(" ".join(words[last : last + 4]))
        if is_by_what or (first and words[first - 1] in _NOT_A_COURSE):
            continue
        nearest = min(
            range(len(spans)), key=lambda n: max(spans[n][0] - last, first - spans[n][1], 0)
        )
        courses.setdefault(nearest, course)
    return courses


def _timing(
    onset: Time | None, end: Time | None, course: str | None, tokens: Sequence[Token], text: str
) -> Timing:
    return Timing(
        None if onset is None else _text(tokens, onset, text),
        None if onset is None or onset.kind == "unknown" else round(onset.years, 4),
        None if end is None else _text(tokens, end, text),
        None if end is None or end.kind == "unknown" else round(end.years, 4),
        course,
        None if onset is None else onset.ago,
    )
