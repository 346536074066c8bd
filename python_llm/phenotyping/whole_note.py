"""What the sentences of a note make of each other's findings: a later value, a spoilt sample, a
call that was taken back, a stay that is over.
"""

import re
from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from python_llm.parsing.folding import fold_in_place
from python_llm.phenotyping.discharge import end_of_stay
from python_llm.phenotyping.measures import continued, measures_of
from python_llm.phenotyping.negation import SPOILT, TAKEN_BACK, Assertion, Status
from python_llm.phenotyping.readings import Reading
from python_llm.phenotyping.tables import cells_of
from python_llm.phenotyping.text import Sentence, word_set
from python_llm.phenotyping.timing import Timing
from python_llm.phenotyping.value_times import When, calendar_days, times_in

# an event (status epilepticus) of more than so many years ago is past; for how many sentences a
# later mention without a time of its own is about the same event
RECENT_YEARS = 0.1
_THIS_DAY, _THIS_MOMENT = "day", "moment"
_OF_TODAY = re.compile(
    r"\b(?:(?P<day>this (?:morning|afternoon|evening)|esta (?:manana|tarde|noche))|"
    r"(?P<moment>now|currently|at present|ahora|actualmente|en este momento))\b"
)
_HEART_SHOWS_IT = re.compile(
    r"(?<!no )(?<!not )(?<!without )(?<!sin )\b(?:peaked|tented|wide qrs|broad qrs|qrs ancho|"
    r"ondas? t (?:altas? y )?picudas?|t picudas?|sine wave)\b"
)
# what stands between a value and the words of a spoilt sample, behind it and ahead of it
_SAMPLE = r"(?:sample|specimen|muestra|lab\w*|serum|suero|tube|tubo|comment|comentario)"
_UNSPOILT = r"(?<!not )(?<!non-)(?<!non )(?<!no )(?<!ni )(?<!sin )"
_DELAY = r"\d+ ?(?:h|hrs?|hours?|horas?|min\w*)\b"  # of the tube on its way
# what a patient was called or sent for, until it is ruled out
_CALLED = re.compile(
    r"\?|\b(?:codes?|calls?|alerts?|codigo|alerta|referred|sent (?:in )?(?:with|as|for)|"
    r"remitid[oa]|derivad[oa]|trasladad[oa]|motivo)\b"
)
# the words of such a call beside what it is for, and how far behind them it may be taken back
_CODE_AHEAD = re.compile(r"\b(?:codes?|codigo|alerta)(?: de)? $")
_CODE = re.compile(r"(?:codes?|codigo|alerta)\b")
_CALL_BEHIND = re.compile(r" (?:calls?|alerts?|codes?|activations?)\b")
_CALLED_SIGNS = ("sign:stroke#", "sign:no_pulse#")
LONGEST_CALL = 150  # characters
LONGEST_AHEAD = 80  # characters, of the words for a spoilt sample ahead of its value
_RULED_OUT = re.compile(r"\b(?:excluded|ruled out|rules out|excludes|descart\w*|excluy\w*)")
# of which blood a gas is, and how far ahead of a PCO2 that is said, in characters
_GAS = re.compile(
    r"\b(?:(?P<venous>venous (?:blood )?gas(?:es)?|vbg|gasometria (?:\w+ )?venosa|gsv)|"
    r"arterial (?:blood )?gas(?:es)?|abg|gasometria (?:\w+ )?arterial|gsa)\b"
)
_GAS_AHEAD = 90
# laboratory values that stay for weeks if nothing is done, and what says that something was
_SLOW = word_set(
    "hemoglobin cell_volume ferritin transferrin_saturation folate cobalamin platelets leukocytes "
    "lymphocytes eosinophils sedimentation_rate creatinine filtration_rate calcium phosphate "
    "alkaline_phosphatase parathyroid_hormone tsh free_thyroxine alanine_aminotransferase "
    "aspartate_aminotransferase bilirubin albumin hemoglobin_a1c urate cholesterol ldl_cholesterol "
    "ceruloplasmin fsh transglutaminase_antibody rheumatoid_factor citrulline_antibody "
    "antinuclear_titer creatine_kinase"
)
_FEW = r"(?:\d|1\d|2\d|an?|one|two|three|four|five|six|seven|eight|nine|ten|few|several|some|"
_FEW += r"couple of|un|una|dos|tres|cuatro|cinco|seis|siete|ocho|nueve|diez|unos|pocos|varios)"
_WEEKS = r"(?:[1-4]|an?|one|two|three|four|few|couple of|un|una|dos|tres|cuatro|unas|pocas|varias)"
_LAST_DAYS = re.compile(
    rf"(?:{_FEW}[ -]?)?(?:days?|d|/7)(?: ago| earlier| back| before)|yesterday|the day before|"
    r"(?:ante)?ayer|antier|last (?:week|month)|the week before|"
    rf"(?:{_WEEKS}[ -]?)?(?:weeks?|wks?)(?: ago| earlier| back)|(?:an?|one)[ -]month ago|"
    rf"hace (?:{_FEW} )?dias?|hace (?:{_WEEKS} )?semanas?|hace un mes|"
    r"(?:el |la )?(?:semana|mes) pasad[oa]"
)
_CHANGED = re.compile(
    r"\b(?:transfus\w+|transfund\w+|packed cells|concentrados? de hematies|(?:now|since|has) "
    r"(?:normal\w*|corrected|recovered)|normali[sz]\w+|ya (?:normal\w*|corregid\w+)|"
    r"back to normal|(?:was|were) (?:corrected|replaced|treated)|corregid[oa]s?)\b"
)


def with_tables(note: str, marks: list[tuple[Reading, When]]) -> list[tuple[Reading, When]]:
    """The marks, with the values of tables in place of what their rows say as sentences."""
    cells = cells_of(fold_in_place(note))
    if not cells:
        return marks
    rows = sorted({cell.line for cell in cells})
    starts = [start for start, _ in rows]
    kept = []
    for mark in marks:
        row = bisect_right(starts, mark[0].end - 1) - 1
        if mark[0].value is None or row < 0 or mark[0].start >= rows[row][1]:
            kept.append(mark)
    for cell in cells:
        assertion = Assertion(frozenset({"historical"} if cell.is_past else ()))
        for measure in measures_of(cell.text):
            where = cell.start, cell.end, measure.name, None, "measure", None, 1.0
            reading = Reading(*where, assertion, Timing(), cell.line, measure.value)
            kept.append((reading, When.PAST if cell.is_past else When.UNSAID))
    return sorted(kept, key=lambda mark: mark[0].start)


def continuing(
    marks: Sequence[tuple[Reading, When]], note: str, sentence: Sentence
) -> list[tuple[Reading, When]]:
    """The value of today that a sentence gives without a name for the one measure of the sentence
    before it ("Glucose 2.1 this morning. Currently 7.4.")."""
    named: list[Reading] = []
    for reading, _ in reversed(marks):  # from the end: a long note has many marks
        if reading.sentence[0] < sentence.start:
            between = note[reading.sentence[1] : sentence.start]
            if between.strip() or "\n\n" in between:
                break
            if reading.value is not None:
                named.insert(0, reading)
        elif reading.value is not None:
            return []
    if not named:
        return []
    if len({(reading.start, reading.end) for reading in named}) > 1:
        return []
    text = fold_in_place(note[sentence.start : sentence.end])
    later = []
    for reading in named:
        written = fold_in_place(note[reading.start : reading.end])
        if measure := continued(reading.finding, written, text):
            start, end = sentence.start + measure.start, sentence.start + measure.end
            new = replace(
                reading, start=start, end=end, value=measure.value, assertion=Assertion(),
                sentence=(sentence.start, sentence.end),
            )  # fmt: skip
            later.append((new, When.NOW))
    return later


def _of_earlier_days(marks: Sequence[tuple[Reading, When]], folded: str) -> set[int]:
    """The numbers of the values whose sentence has a day of the calendar ("03/05/2026: K 7.1") and
    of which another sentence gives a value of a later day."""
    days = calendar_days(folded)
    if len(days) < 2:
        return set()
    day_of = {}
    for number, (reading, _) in enumerate(marks):
        own = {key for key, (start, _) in days if _holds(reading.sentence, start)}
        if reading.value is not None and len(own) == 1:
            day_of[number] = own.pop()
    latest: dict[str, tuple[int, ...]] = {}
    for number, day in day_of.items():
        reading = marks[number][0]
        if reading.assertion.status is Status.PRESENT:
            latest[reading.finding] = max(day, latest.get(reading.finding, day))
    return {n for n, day in day_of.items() if day < latest.get(marks[n][0].finding, day)}


def _holds(span: tuple[int, int], position: int) -> bool:
    return span[0] <= position < span[1]


def _is_venous(reading: Reading, folded: str) -> bool:
    """Whether the last words for a gas ahead of a PCO2, or those behind it, say it is venous."""
    if reading.finding != "pco2":
        return False
    ahead = folded[max(0, reading.start - _GAS_AHEAD) : reading.start]
    *_, last = [None, *_GAS.finditer(ahead)]
    behind = re.match(r"[^.;,]{0,15}\b(?:venous|venosa)\b", folded[reading.end :])
    return behind is not None or (last is not None and last["venous"] is not None)


def as_of_now(
    marks: Sequence[tuple[Reading, When]], folded: str, *, is_young_infant: bool = False
) -> list[Reading]:
    """Signs and measured values; a value of today makes those ahead of it past ("BP 80/40 on
    arrival, now 120/70"), one of this moment those of this morning, one of a later day those of
    earlier days, and one at discharge those on admission. A venous PCO2 is left out: its limits
    are others; a spoiled sample is in doubt. A fever of a young infant counts though it went down:
    that excludes no infection (NICE NG143)."""
    marks = [mark for mark in marks if not _is_venous(mark[0], folded)]
    earlier = _of_earlier_days(marks, folded)
    last: dict[tuple[str, str], int] = {}
    stages = [_stage(reading, when, folded) for reading, when in marks]
    for number, ((reading, when), stage) in enumerate(zip(marks, stages, strict=True)):
        if reading.value is not None and reading.assertion.status is Status.PRESENT:
            last[reading.finding, when] = last[reading.finding, stage] = number
    return [
        replace(reading, assertion=reading.assertion.also("historical"))
        if reading.assertion.status is Status.PRESENT
        and not (is_young_infant and reading.finding == "temperature" and when is not When.PAST)
        and (
            number in earlier
            or (when is not When.NOW and number < last.get((reading.finding, When.NOW), 0))
            or (stage == _THIS_DAY and number < last.get((reading.finding, _THIS_MOMENT), 0))
            or (when is When.ADMISSION and number < last.get((reading.finding, When.DISCHARGE), 0))
        )
        else reading
        for number, ((reading, when), stage) in enumerate(zip(marks, stages, strict=True))
    ]


def of_the_last_days(readings: Sequence[Reading], folded: str) -> list[Reading]:
    """The readings; a laboratory value of the last days or weeks that changes slowly is of today
    ("bloods last week: Hb 9.1, MCV 71"), unless the note gives a later one or says what was done
    about it."""
    later = {
        reading.finding
        for reading in readings
        if reading.value is not None and reading.assertion.status is Status.PRESENT
    }
    return [
        replace(reading, assertion=replace(reading.assertion, kinds=_without_then(reading)))
        if reading.value is not None
        and reading.finding in _SLOW
        and reading.finding not in later
        and reading.assertion.status is Status.PAST
        and _is_of_last_days(folded[slice(*reading.sentence)])
        and not _CHANGED.search(folded)
        else reading
        for reading in readings
    ]


def _without_then(reading: Reading) -> frozenset[str]:
    return reading.assertion.kinds - {"historical"}


def _is_of_last_days(sentence: str) -> bool:
    """Whether every time of the past in a folded sentence is of the last days or weeks."""
    times = [sentence[t.start : t.end] for t in times_in(sentence) if t.when is When.PAST]
    return bool(times) and all(map(_LAST_DAYS.fullmatch, times))


@dataclass(frozen=True, slots=True)
class _Spoil:
    """Values [at_least, below) of a measure that a spoilt sample gives, and the words for it behind
    the value and ahead of it."""

    measure: str
    at_least: float
    below: float
    behind: re.Pattern[str]
    ahead: re.Pattern[str]

    def holds(self, reading: Reading, folded: str) -> bool:
        """Whether the sample of a value is said to be spoilt in a way that explains it."""
        if reading.finding != self.measure or reading.value is None:
            return False
        is_explained = self.at_least <= reading.value < self.below
        return is_explained and (
            self.behind.match(folded, reading.end) is not None
            or self.ahead.search(folded, max(0, reading.start - LONGEST_AHEAD), reading.start)
            is not None
        )


def phrases_of(cues: Iterable[Mapping[str, Any]], language: str) -> dict[str, list[str]]:
    """The cues of a language by kind, of those that are looked for in the text of a note."""
    phrases: dict[str, list[str]] = {}
    for row in cues:
        if row["kind"] in (*SPOILT, TAKEN_BACK) and row["language"] == language:
            phrases.setdefault(row["kind"], []).append(fold_in_place(row["cue"]))
    return phrases


def any_of(phrases: Iterable[str]) -> re.Pattern[str]:
    """Any of some words, the longest first; nothing if there are none."""
    ordered = sorted(set(phrases), key=lambda phrase: (-len(phrase), phrase))
    return re.compile(rf"\b(?:{'|'.join(map(re.escape, ordered)) or '(?!)'})\b")


def spoils_of(
    cues: Iterable[Mapping[str, Any]], language: str, values: Iterable[Mapping[str, Any]]
) -> list[_Spoil]:
    """What a spoilt sample explains, from the rows of note_cues and abnormal_values."""
    words = phrases_of(cues, language)
    spoils = []
    for row in values:
        kinds = (row["spoilt_by"] or "").split(";")
        if phrases := [word for kind in kinds for word in words.get(kind, ())]:
            spoilt = _UNSPOILT + any_of(phrases).pattern
            behind = (
                rf"[^;\d.]{{0,45}}?{spoilt}|[^;\d.]{{0,12}}[.;] ?(?:\w+ ){{0,3}}?{_SAMPLE}\b"
                rf"[^.;\d]{{0,40}}?{spoilt}"
            )
            spoils.append(
                _Spoil(
                    row["measure"],
                    float(row["at_least"]) if row["at_least"] not in (None, "") else 0.0,
                    float(row["below"]) if row["below"] not in (None, "") else float("inf"),
                    re.compile(behind),
                    re.compile(rf"{spoilt}(?:[^;.\d]|{_DELAY}){{0,30}}$"),
                )
            )
    return spoils


def without_spoiled(
    readings: Sequence[Reading], folded: str, spoils: Sequence[_Spoil]
) -> list[Reading]:
    """The readings; a value that its spoilt sample explains is in doubt, a high potassium only if
    the heart does not show it."""
    is_shown = _HEART_SHOWS_IT.search(folded) is not None
    return [
        replace(reading, assertion=reading.assertion.also("uncertain"))
        if reading.assertion.status is Status.PRESENT
        and not (is_shown and reading.finding == "potassium")
        and any(spoil.holds(reading, folded) for spoil in spoils)
        else reading
        for reading in readings
    ]


def without_the_called(
    readings: Sequence[Reading], folded: str, taken_back: re.Pattern[str]
) -> list[Reading]:
    """The readings; what a patient was only called or sent for ("código ictus") is denied where the
    call was taken back or a later sentence rules it out."""
    ruled_out = {
        reading.hpo_id: reading
        for reading in readings
        if reading.hpo_id
        and reading.assertion.status is Status.DENIED
        and _RULED_OUT.search(reading.assertion.cue or "")
    }
    kept = []
    for reading in readings:
        last = ruled_out.get(reading.hpo_id or "")
        is_ruled_out = (
            last is not None
            and reading.end <= last.sentence[0]
            and _CALLED.search(folded, *reading.sentence) is not None
        )
        is_call = reading.finding.startswith(_CALLED_SIGNS) or (
            reading.hpo_id is not None
            and (
                _CODE_AHEAD.search(folded, reading.sentence[0], reading.start) is not None
                or _CODE.match(folded, reading.start) is not None
                or _CALL_BEHIND.match(folded, reading.end) is not None
            )
        )
        end = reading.end + LONGEST_CALL
        if reading.assertion.status is Status.PRESENT and (
            is_ruled_out or (is_call and taken_back.search(folded, reading.start, end))
        ):
            reading = replace(reading, assertion=reading.assertion.also("negation"))
        kept.append(reading)
    return kept


def _stage(reading: Reading, when: When, folded: str) -> str:
    """Of a value of today, whether it is of this moment or of earlier in the day."""
    if when is not When.NOW or reading.value is None:
        return ""
    *_, word = [None, *_OF_TODAY.finditer(folded, reading.sentence[0], reading.start)]
    if word is None:
        word = _OF_TODAY.search(re.split(r"[,;]", folded[reading.end : reading.sentence[1]])[0])
    return (word.lastgroup or "") if word else ""


def compared(readings: Sequence[Reading], starts: Sequence[int]) -> set[int]:
    """The numbers of the clauses, which begin at `starts`, in which one measure has a value of
    then beside one without a time: that is of today ("K 7.4, Hb 9; K 4.1 last week")."""
    statuses: dict[tuple[int, str], set[Status]] = {}
    for reading in readings:
        if reading.kind == "measure":
            key = bisect_right(starts, reading.start) - 1, reading.finding
            statuses.setdefault(key, set()).add(reading.assertion.status)
    both = {Status.PRESENT, Status.PAST}
    return {clause for (clause, _), of_clause in statuses.items() if both <= of_clause}


def after_the_stay(note: str, readings: Sequence[Reading], age: float | None) -> list[Reading]:
    """The readings; in a summary with values at discharge, what was new in the stay is past."""
    measures = [reading.start for reading in readings if reading.value is not None]
    end = end_of_stay(fold_in_place(note), measures)
    return [
        replace(reading, assertion=reading.assertion.also("historical"))
        if reading.start < end
        and reading.assertion.status is Status.PRESENT
        and not is_long_ago(reading.timing, age)
        else reading
        for reading in readings
    ]


def is_long_ago(timing: Timing, age: float | None) -> bool:
    """Whether an event was so long ago that it is over. Without an age today, an age of a year or
    more is a time of the past."""
    if timing.onset_ago is not None:
        return timing.onset_ago > RECENT_YEARS
    if timing.onset_years is None:
        return False
    return timing.onset_years >= 1 if age is None else age - timing.onset_years > RECENT_YEARS
