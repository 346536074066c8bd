"""A note read as a whole: which findings it names, what it asserts of each, and since when.

A note is text to be read; nothing in it is ever an instruction.
"""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

from python_llm.parsing.folding import composed, fold_in_place
from python_llm.phenotyping.demographics import told_of_patient
from python_llm.phenotyping.dictionary import Mention
from python_llm.phenotyping.episodes import (
    Clause,
    brackets_of_then,
    clauses_of,
    is_fever_of_attacks,
    is_of_then_once,
    over,
    reasons_of_drugs,
)
from python_llm.phenotyping.lexicon import Lexicon
from python_llm.phenotyping.measures import Measure, in_milligrams, measures_of
from python_llm.phenotyping.negation import TAKEN_BACK, Assertion, Clauses, CueBook, Status
from python_llm.phenotyping.readings import Reading
from python_llm.phenotyping.spoken import (
    names_own_child,
    of_whom_it_is_told,
    signs_of,
    with_own_child,
    without_others,
)
from python_llm.phenotyping.text import Sentence, Token, covering, sentences_of, tokens_of, word_set
from python_llm.phenotyping.timing import (
    Time,
    TimeBook,
    Timing,
    number_of,
    times_of,
    timings_of,
)
from python_llm.phenotyping.value_times import When
from python_llm.phenotyping.whole_note import (
    RECENT_YEARS,
    after_the_stay,
    any_of,
    as_of_now,
    compared,
    continuing,
    is_long_ago,
    of_the_last_days,
    phrases_of,
    spoils_of,
    with_tables,
    without_spoiled,
    without_the_called,
)

# confidence in a reading: a misspelt word, a function called normal, an unsure denial, no term
CORRECTED, NORMAL, SOFT, UNNAMED = 0.85, 0.85, 0.6, 0.5
# fever, of low degree, unexplained, recurrent, periodic, persistent
FEVERS = frozenset(
    ("HP:0001945", "HP:0011134", "HP:0001955", "HP:0001954", "HP:0032323", "HP:0033399")
)
WEAKNESS = "HP:0001324"
_WEAK = re.compile(r"(?<![\d/] )(?<!\d)[0-4] (?:[+-] )?/ 5\b")
# how many sentences a section lasts without a heading or an empty line
SECTION_SENTENCES = 6
SAME_EVENT_SENTENCES = 3
# below this age a fever that went down still counts
YOUNG_INFANT_YEARS = 0.25
# below this age what is said of a pregnancy is of the mother ("born at term")
CHILDBEARING_YEARS = 9
_CONTRACTED = r"(?:ca|wo|do|does|did|is|are|was|has|have|could|would)n'?t"
_DENYING = re.compile(rf"(?:no|not|sin|without|cannot|can not|unable(?: to)?|{_CONTRACTED})\b")
# denies a verb: what cannot be done. "No reflexes, fever" denies a noun, and the fever too
_LOSING = {
    "en": re.compile(rf"(?:not|cannot|can not|\w+n't|unable(?: to)?|{_CONTRACTED})\b"),
    "es": re.compile(r"no\b"),
}
# within a sign, what something no longer does: "my hand won't obey", "la mano no me obedece"
_FAILING = {
    "en": re.compile(rf"\b(?:cannot|{_CONTRACTED}|not$)\b"),
    "es": re.compile(r"\bno(?= (?:me|le|se|pued[eo]|respond\w+|obedec\w+|aguant\w+)\b)"),
}
_LONGEST_FAILING = 60  # characters: in a longer sign a denial may be of something else
# what begins a clause of its own behind a comma or an "and": a denial ahead does not reach it
_CLAUSE_AHEAD = re.compile(r"(?:,|;|\b(?:and|but|so|y|e|pero|que)) $")
_CLAUSE_BEGINS = re.compile(
    r"(?:only|just|s?he|it|they|i|his|her|my|solo|se (?:le|me|ha|esta)|esta|estoy|tiene|tengo)\b"
)
# signs of which a denial is part ("the baby isn't ours"), which denies nothing behind it
_HOLDING_DENIAL = (
    "known:asplenia#",  # "no spleen, fever"
    *(
        f"sign:{name}#"
        for name in (
            *("baby_delusion", "sleepless_energy", "still_baby", "hard_uterus", "no_wind"),
            *("strangled", "trismus", "cannot_swallow_spit", "no_voice", "retention"),
            *("dried_out", "refuses_drink", "limb_ischemia", "no_insulin"),
        )
    ),
)
_OF_DANGER = "sign:"
# what others do to who tells: the relative is the one who does it
_DONE_BY_KIN = tuple(
    f"sign:{name}#" for name in ("strangled_now", "violence_now", "rape", "shaken_baby")
)
# to whom something may be done: a relative named behind it is not who has it
_DONE_TO_KIN = ("sign:command_voice#", "sign:harm_others#")
# say only since when something lasts: what stopped then is not the time
_SINCE = ("sign:sudden#", "sign:just_now#", "sign:days#")
# what the body stops doing, which is no stopped drug
_STOPPED_WORK = ("sign:not_breathing#", "sign:apnea#", "sign:speech_fails#")
_LONG_STANDING = "known:long_standing#"
# an attack that passes: that it is over takes nothing from it, only that it was long ago
_PASSING = ("sign:amaurosis#",)
_STOPPING = re.compile(r"(?:stop(?:s|ped)|(?:ha )?dejado|dej[ao])\b")  # "stopped breathing"
# terms whose names end so happen once: with a date of long ago they are over
_HAPPENS = re.compile(
    r"^(?!recurrent).*\b(?:perforation|rupture|pneumonia|embolism|infarction|"
    r"(?:venous|vein|sinus) thrombosis|appendicitis|peritonitis|salpingitis|volvulus|"
    r"pneumothorax|pyelonephritis|renal colic|nephrolithiasis|febrile seizure.*|laryngeal edema|"
    r"miscarriage|agranulocytosis|gastrointestinal hemorrhage|hematemesis|rhabdomyolysis|"
    r"anaphyla\w+(?: \w+)?)$"
)
_JOINING = frozenset(("and", "or", "nor", "y", "e", "o", "ni"))
# what came with a past event, up to where the sentence turns to today
_WITH_DATED = re.compile(
    r"\b(?:in|en) (?:19|20)\d\d\b(?P<between>[^;.:]*), (?:and )?"
    r"(?:with|complicated by|followed by|con|complicad[oa] (?:con|por)|seguid[oa] (?:de|por))"
    r"(?: (?:an?|the|his|her|un|una|el|la|su|brief|short|breve))* $"
)
_TODAY_TOO = re.compile(
    r"\b(?:now|today|currently|presents?|presenting|admitted|comes?|since|ahora|hoy|actual\w*|acude|"
    r"ingresa|consulta|desde)\b"
)
OF_PICTURES = "picture:"  # signs of common illnesses, which last: a date is when they began
# what the patient is known to have and keeps: neither a date nor a stopped drug ends it
OF_HISTORY = "known:"
_LASTING = frozenset(("historical", "resolved", "stopped"))
# how old a finding is, in years, that somebody "had" then; and what says that it went on
HAD_YEARS = 0.5
_HAD = re.compile(
    r"(?:^\s*|[,;.:(] ?|\b(?:and|but|who|she|he|they|i|patient|y|e|que|pero|paciente) )"
    r"(?:also |once |tambien |ya )?(?:had|was|suffered|tuvo|sufrio|padecio|presento)"
    r"(?: (?!no\b|not\b|sin\b|never\b)[\w-]+){0,3} $"
)
_WENT_ON = re.compile(
    r"\b(?:since|still|ever since|diagnosed|found|began|started|until now|and (?:now|has)|again|"
    r"desde|todavia|aun|sigue|diagnosticad\w+|empez\w+|comenz\w+|ahora|y (?:tiene|ha)|otra vez)\b"
)
# a stay or a pregnancy that is named by its month or year, right behind a finding
_MONTH_OR_YEAR = (
    r"(?:january|february|march|april|may|june|july|august|september|october|november|december"
    r"|enero|febrero|marzo|abril|mayo|junio|julio|agosto|septiembre|octubre|noviembre|diciembre"
    r"|(?:19|20)\d\d)\b"
)
_EARLIER = r"(?:first|second|third|last|previous|prior|earlier|primer|segundo|tercer|ultimo)"
_STAY_OF_THEN = re.compile(
    rf"(?: \w+){{0,3}}? (?:in|during|on|en|durante) (?:the|an?|his|her|el|la|su|un|una) (?:"
    rf"(?:\w+ )?(?:admission|stay|pregnancy|ingreso|hospitalizacion|embarazo) (?:in|of|de|del|en) "
    rf"{_MONTH_OR_YEAR}|{_EARLIER} (?:pregnancy|admission|labou?r|embarazo|ingreso|parto)\b"
    rf"|(?:embarazo|ingreso|parto) (?:anterior|previo|pasado)\b)"
)
# a bout, which is over by the date behind it: "gout attack in 2020", "cólico nefrítico en 2015"
_BOUT = re.compile(
    r"\b(?:colicos?|colic|attacks?|ataques?|episodes?|episodios?|bouts?|crisis|flares?)\b"
)
_DATED = re.compile(r"(?: [a-z]+){0,2},? (?:in|en) (?:19|20)\d\d\b")
_BOUT_BEFORE, _BOUT_BEHIND = 14, 10  # characters
# a treatment that ended what is named right before it, with its year: "gastric ulcer in 1990,
# treated", "carpal tunnel syndrome operated in 2018"
_ENDED = (
    r"(?:(?:treated|tratad[oa])(?! (?:with|by|con|por)\b)|operated(?: on)?|repaired|removed|fixed"
    r"|cured|healed|excised|operad[oa]|reparad[oa]|extirpad[oa]|curad[oa]|resuelt[oa])"
)
_CURED = (
    r"(?:treated|tratad[oa]s?) (?:with|by|con) (?:\w+ )?(?:radio-?iodine|iodine|surgery|operation"
    r"|radiotherapy|chemotherapy|antibiotics|ablation|radioyodo|yodo|cirugia|radioterapia"
    r"|quimioterapia|antibioticos?|ablacion)"
)
_ENDED_THEN = re.compile(
    rf"(?: (?:was|were|that|which|fue|que)){{0,2}}"
    rf"(?: (?:{_ENDED}|{_CURED}) (?:in|en) (?:19|20)\d\d\b"
    rf"| (?:in|en) (?:19|20)\d\d,? (?:(?:and|was|were|fully|y|fue) )*{_ENDED}\b)"
)
# until an age, right behind a finding: "otitis hasta los seis años"
_UNTIL_AGE = re.compile(
    r"(?: \w+){0,3}? (?:until (?:(?:s?he|they) (?:was|were) |the age of |age |aged )?|hasta los )"
    r"(?P<age>\d{1,2}|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|"
    r"dos|tres|cuatro|cinco|seis|siete|ocho|nueve|diez|once|doce)\b(?! ?(?:months|weeks|meses|"
    r"semanas|days|dias|kg|hours|horas|am|pm|o.clock|%|:))"
)
_OF_PREGNANCY = re.compile("pregnan|gestation")
# "Pregnant? No."
_NO = re.compile(r"\s?\?\s*(?:no|none|nil|negative|never|nunca|negativ[oa])\s*(?:[.,;)\n]|$)", re.I)
# "? RA", and not "Fits? No"
_QUERY = re.compile(r"(?:^|[.;:,(\n])\s*\?\s$")
_LOST_SENSE = re.compile(
    r"\b(?:lost|loss of|perd\w+)\b.*\b(?:smell|taste|hearing|olfato|gusto|oido|audicion)\b"
)
# a vital sign or a laboratory value of longer ago than so many years is past
PREGNANCY_YEARS = 0.8
RECENT_VALUE_YEARS = 2 / 365.25
# "(ALS)" behind the words it stands for, and how far back these may begin, in characters
_EXPLAINED = re.compile(r"\(([A-Z]{2,6}s?)\)")
_WORDS = re.compile(r"[^\W\d_]+")
_YES = re.compile(r"\bsí\b", re.I)  # without its accent it would be an if
# a heading with nothing behind it on its line
_HEADING_ALONE = re.compile(r"\s*[^:\n]+:?[^\S\n]*(?:\n|$)")
LONGEST_EXPLAINED = 80
_TESTS_BEHIND = word_set(
    "panel panels serology serologies vaccine vaccines vaccination immunization clinic ward "
    "questionnaire inventory scale screen antibody antibodies"
)
# what may stand between the name of an infection and its test
_KINDS_OF_VIRUS = word_set("a b c d e and or y , / virus viral")
_KINDS_REACH = 6
_TESTS_AHEAD = word_set("serologia serologias vacuna vacunas vacunacion panel marcadores")
_CARRYING = frozenset(("they", "these", "it", "this", "estas", "estos", "esta", "este", "ambos"))


@dataclass(frozen=True, slots=True)
class _Analysis:
    """A sentence read by itself. timings: those that need no age; age_now: the patient's age, if
    the sentence states it; has_duration: whether a time in it counts back from today."""

    tokens: Sequence[Token]
    parts: tuple["_Part", ...]
    marks: tuple["_Mark", ...]
    times: Sequence[Time]
    timings: Sequence[Timing]
    age_now: float | None
    has_duration: bool
    begins: str | None
    has_heading_alone: bool
    is_about_today: bool
    is_measured_of_patient: bool
    denies_family_history: bool
    is_about_family: bool
    is_about_tests: bool
    is_planned: bool


@dataclass(frozen=True, slots=True)
class _Part:
    """A reading of one sentence, in tokens."""

    first: int
    last: int
    finding: str
    hpo_id: str | None
    kind: str
    method: str | None
    confidence: float
    assertion: Assertion
    is_now: bool = False
    is_ended: bool = False


@dataclass(frozen=True, slots=True)
class _Mark:
    """A sign or a measured value of one sentence, in characters; when: what its clause says."""

    start: int
    end: int
    finding: str
    value: float | None
    assertion: Assertion
    when: When


class Reader:
    """Reads notes of one language with the project's names, cues and times."""

    def __init__(
        self,
        language: str,
        *,
        lexicon: Lexicon,
        stop_words: Iterable[Mapping[str, Any]],
        cues: Sequence[Mapping[str, Any]],
        normal_findings: Iterable[Mapping[str, Any]],
        relative_times: Iterable[Mapping[str, Any]],
        progression_cues: Iterable[Mapping[str, Any]],
        events: Iterable[str] = (),
        alarming: Iterable[str] = (),
        values: Iterable[Mapping[str, Any]] = (),
        is_every_name: bool = False,
    ) -> None:
        """Rows as the seeds have them. lexicon: of the same language. events: terms that happen
        once and are then over (status epilepticus). alarming: terms that raise a red flag if they
        are of today. values: those that are abnormal. is_every_name: read names within names too
        (carcinoma in basal cell carcinoma)."""
        self._elsewhere = [
            (fold_in_place(row["word"]), re.compile(row["beside"]), row["hpo_id"] or None)
            for row in stop_words
            if row["language"] == language and row.get("beside")
        ]
        self._dictionary, self._signs = lexicon.names, lexicon.signs
        once = (hpo_id for hpo_id, name in lexicon.preferred.items() if _once(name))
        self._events = frozenset(events).union(once)
        self._alarming = frozenset(alarming)
        self._is_every_name = is_every_name
        self._spoils = spoils_of(cues, language, values)
        self._taken_back = any_of(phrases_of(cues, language).get(TAKEN_BACK, ()))
        self._book = CueBook(cues, language)
        self._times = TimeBook(relative_times, progression_cues, language)
        self._functions: dict[str, list[tuple[tuple[str, ...], str, str | None, str]]] = {}
        for row in normal_findings:
            if row["language"] == language:
                words = tuple(token.word for token in tokens_of(fold_in_place(row["words"])))
                self._functions.setdefault(words[0], []).append(
                    (words, row["kind"], row["hpo_id"] or None, row["words"])
                )
        for entries in self._functions.values():
            entries.sort(key=lambda entry: -len(entry[0]))
        # notes of one ward repeat the same sentences
        self._analysed = lru_cache(maxsize=50_000)(self._analyse)

    def read(self, note: str, age_years: float | None = None) -> list[Reading]:
        """Every finding a note names, in order, and what its sections say of the family and of
        tests. age_years: the patient's age today, if known; an age that the note states takes
        precedence."""
        note = composed(note)
        note = self._of_the_patient(note, age_years)
        sentences = self._sentences(note)
        age = next((a.age_now for *_, a in sentences if a.age_now is not None), age_years)
        readings: list[Reading] = []
        before: list[int] = []
        past_events: dict[str, int] = {}
        other_meanings = self._other_meanings(note)
        marks: list[tuple[Reading, When]] = []
        for number, (sentence, text, _, analysis) in enumerate(sentences):
            tokens, timings = analysis.tokens, analysis.timings
            marks.extend(self._marked(note, sentence, analysis, age))
            marks.extend(continuing(marks, note, sentence))
            if analysis.has_duration and analysis.parts:
                spans = [(part.first, part.last) for part in analysis.parts]
                timings = self._timings(analysis, spans, text, age)
            if not analysis.parts and before and tokens[0].word in _CARRYING:
                self._carry(analysis, text, readings, before, age)
                continue
            before = []
            past_events = {} if sentence.follows_blank else past_events
            for part, timing in zip(analysis.parts, timings, strict=True):
                if other_meanings and text[slice(*_characters(tokens, part))] in other_meanings:
                    continue
                before.append(len(readings))
                start, end = (sentence.start + at for at in _characters(tokens, part))
                assertion = self._meant_of(part, note, start, end)
                if part.hpo_id in self._events and assertion.status is Status.PRESENT:
                    last = past_events.get(part.hpo_id, -SAME_EVENT_SENTENCES - 1)
                    is_same = timing.onset_text is None and number - last <= SAME_EVENT_SENTENCES
                    is_same = is_same or _is_with_past(text, tokens[part.first].start)
                    is_dated = (timing.onset_ago or 0) > RECENT_YEARS
                    known = age if age is not None else self._age_told(note)
                    if is_dated or (not part.is_now and (is_same or is_long_ago(timing, known))):
                        assertion = assertion.also("historical", timing.onset_text)
                assertion = _of_then(part, assertion, tokens, text, timing, age)
                if part.hpo_id and assertion.status is Status.PAST:
                    past_events[part.hpo_id] = number
                readings.append(
                    Reading(
                        start,
                        end,
                        part.finding,
                        part.hpo_id,
                        part.kind,
                        part.method,
                        part.confidence,
                        assertion,
                        _timing_of(part, timing) if assertion.is_present else Timing(),
                        (sentence.start, sentence.end),
                    )
                )
        readings = self._as_a_whole(note, readings, _without_idle_times(marks), age)
        readings = self._without_the_past(note, readings, [s for s, _, _, _ in sentences])
        return readings + _sections(note, sentences)

    def _meant_of(self, part: _Part, note: str, start: int, end: int) -> Assertion:
        """The assertion of a finding in the characters [start, end) of a note, by what stands right
        beside it. What alarms is no less so for a question mark ahead: it is looked into today."""
        assertion = _answered(part.assertion, note, end)
        if part.hpo_id not in self._alarming:
            assertion = _queried(assertion, note, start)
        return _kept(assertion, note[start:end]) if part.hpo_id else assertion

    def _timings(
        self,
        analysis: _Analysis,
        spans: Sequence[tuple[int, int]],
        text: str,
        age: float | None,
        *,
        is_carried: bool = False,
    ) -> list[Timing]:
        return timings_of(
            *(analysis.tokens, analysis.times, spans, self._times, text),
            age_years=age,
            is_carried=is_carried,
        )

    def _as_a_whole(
        self,
        note: str,
        readings: list[Reading],
        marks: list[tuple[Reading, When]],
        age: float | None,
    ) -> list[Reading]:
        """The findings, signs and values of a note with what its other sentences make of them."""
        folded = fold_in_place(note)
        if age is None:
            age = self._age_told(note)
        is_young = age is not None and age < YOUNG_INFANT_YEARS
        latest = as_of_now(with_tables(note, marks), folded, is_young_infant=is_young)
        readings = without_the_called(readings, folded, self._taken_back)
        latest = of_the_last_days(latest, folded)
        readings += without_spoiled(latest, folded, self._spoils)
        readings = self._without_brackets(readings, folded)
        readings = _without_reasons(readings, folded)
        readings = _without_habits(readings, folded)
        return after_the_stay(note, readings, age)

    def _without_brackets(self, readings: Sequence[Reading], folded: str) -> list[Reading]:
        """The readings; what alarms in a bracket that tells of what is over is past."""
        spans = brackets_of_then(folded)
        return [
            replace(reading, assertion=reading.assertion.also("historical"))
            if reading.assertion.status is Status.PRESENT
            and (reading.kind in ("measure", "sign") or reading.hpo_id in self._alarming)
            and not reading.finding.startswith((OF_PICTURES, OF_HISTORY))
            and any(start < reading.start and reading.end <= end for start, end in spans)
            else reading
            for reading in readings
        ]

    def _without_the_past(
        self, note: str, readings: list[Reading], sentences: Sequence[Sentence]
    ) -> list[Reading]:
        """The readings; what alarms in a stay or an event that is over is past."""
        alarming = [
            n
            for n, reading in enumerate(readings)
            if reading.assertion.status is Status.PRESENT
            and (reading.kind in ("measure", "sign") or reading.hpo_id in self._alarming)
        ]
        if not alarming:
            return readings
        folded = fold_in_place(note)
        values = sorted(readings[n].start for n in alarming if readings[n].value is not None)
        clauses = [
            Clause(start, end, bisect_left(values, end) > bisect_left(values, start))
            for sentence in sentences
            for start, end in clauses_of(folded, sentence.start, sentence.end)
        ]
        starts = [clause.start for clause in clauses]
        clause_of = {n: max(bisect_right(starts, readings[n].start) - 1, 0) for n in alarming}
        past = over(folded, clauses, set(clause_of.values()))
        if past:
            past -= compared(readings, starts)
        for n in alarming:
            if clause_of[n] in past:
                assertion = readings[n].assertion.also("historical")
                readings[n] = replace(readings[n], assertion=assertion)
        return readings

    def _marked(
        self, note: str, sentence: Sentence, analysis: _Analysis, age: float | None
    ) -> Iterator[tuple[Reading, When]]:
        """The signs and measured values of a sentence, and of when each is said to be."""
        if not analysis.marks:
            return
        text = note[sentence.start : sentence.end]
        tokens = analysis.tokens
        if age is None:
            age = self._age_told(note)
        is_child = age is not None and age < CHILDBEARING_YEARS
        timed = [mark for mark in analysis.marks if not mark.finding.startswith(_LONG_STANDING)]
        spans = [covering(tokens, mark.start, mark.end) for mark in timed]
        timings = iter(self._timings(analysis, spans, text, age))
        for mark in analysis.marks:
            # "hace un año perdió la vista": the time is of what happened
            timing = next(timings) if mark in timed else Timing()
            if is_child and _OF_PREGNANCY.search(mark.finding):
                continue
            assertion = _answered(mark.assertion, note, sentence.start + mark.end)
            is_now = mark.when is When.NOW
            is_event = mark.value is None and not mark.finding.startswith((OF_PICTURES, OF_HISTORY))
            is_over = is_event and _is_over(mark, timing, age)
            if mark.finding.startswith(OF_PICTURES):
                is_over = _was_had(text, mark.start, mark.end, timing, age)
            if is_over and not is_now:
                assertion = assertion.also("historical", timing.onset_text)
            reading = Reading(
                sentence.start + mark.start,
                sentence.start + mark.end,
                mark.finding,
                None,
                "sign" if mark.value is None else "measure",
                None,
                1.0,
                assertion,
                Timing(),
                (sentence.start, sentence.end),
                mark.value,
            )
            yield reading, mark.when

    def _of_the_patient(self, note: str, age_years: float | None) -> str:
        """The note, of the same length, with whom it is told of called as a patient is."""
        note = without_others(of_whom_it_is_told(signs_of(note, fold_in_place(note))))
        if not names_own_child(note):
            return note
        patient = told_of_patient(note, self._book.language)
        years = age_years if age_years is not None else patient.age_years
        return with_own_child(note, years, patient.sex)

    def _age_told(self, note: str) -> float | None:
        return told_of_patient(note, self._book.language).age_years

    def _other_meanings(self, note: str) -> frozenset[str]:
        """Abbreviations that the note itself explains, in brackets behind the words they stand
        for, as something else than they would be read as."""
        others = set()
        for match in _EXPLAINED.finditer(note):
            short = match.group(1)
            words = _WORDS.findall(note[max(0, match.start() - LONGEST_EXPLAINED) : match.start()])
            explanation = _explanation(words, short.removesuffix("s").lower())
            read = self._terms_in(short) if explanation else set()
            if read and not read & self._terms_in(explanation):
                others.add(short)
        return frozenset(others)

    def _terms_in(self, text: str) -> set[str]:
        tokens = tokens_of(fold_in_place(text))
        return {mention.hpo_id for mention in self._dictionary.find(tokens, text)}

    def _sentences(self, note: str) -> list[tuple[Sentence, str, str | None, _Analysis]]:
        """The sentences of a note with their text, the section each is in, and what it says."""
        sentences: list[tuple[Sentence, str, str | None, _Analysis]] = []
        section: str | None = None
        left = 0
        is_of_line = False
        for sentence in sentences_of(note):
            text = note[sentence.start : sentence.end]
            is_next_line = is_of_line and _begins_line(note, sentence)
            if left and (sentence.is_heading or sentence.follows_blank or is_next_line):
                section, left = None, 0
            analysis = self._analysed(text, section)
            is_emergency = section == "family_section" and analysis.is_measured_of_patient
            if left and (analysis.is_about_today or is_emergency):
                section, left = None, 0
                analysis = self._analysed(text, section)
            if analysis.begins is not None:
                section = analysis.begins
                analysis = self._analysed(text, section)
                is_of_line = _HEADING_ALONE.match(text) is None
                left = _length_of(analysis, is_inline=is_of_line and _is_inline(note, sentence))
            sentences.append((sentence, text, section, analysis))
            left -= left > 0
            if not left:
                section = None
        return sentences

    def _carry(
        self,
        analysis: _Analysis,
        text: str,
        readings: list[Reading],
        before: Sequence[int],
        age: float | None,
    ) -> None:
        """Apply a sentence without findings ("They began at 4 months") to those of the sentence
        before, readings[n] for n in `before`: it fills in the times they lack."""
        present = [n for n in before if readings[n].assertion.is_present]
        spans = [(0, 1)] * len(present)
        carried = self._timings(analysis, spans, text, age, is_carried=True)
        is_resolved = "resolved" in Clauses(analysis.tokens, self._book).about(0, 1).kinds
        for n, timing in zip(present, carried, strict=True):
            known, assertion = readings[n].timing, readings[n].assertion
            has_onset, has_end = known.onset_text is not None, known.resolution_text is not None
            merged = Timing(
                *(known if has_onset else timing).onset,
                *(known if has_end else timing).resolution,
                known.progression or timing.progression,
                (known if has_onset else timing).onset_ago,
            )
            if is_resolved:
                assertion = assertion.also("resolved")
            readings[n] = replace(readings[n], timing=merged, assertion=assertion)

    def _marks(
        self,
        folded: str,
        tokens: Sequence[Token],
        clauses: Clauses,
        section: str | None,
        signs: Sequence[tuple[str, re.Match[str]]],
    ) -> Iterator[_Mark]:
        """The signs and measured values of one folded sentence."""
        is_of_kin = is_over = False
        for measure in measures_of(folded):
            if self._book.language == "es":
                measure = in_milligrams(measure, folded)
            assertion = clauses.about(*covering(tokens, measure.start, measure.end))
            # "14-month-old girl, healthy mother, HR 210": a list of values is the patient's, unless
            # what it begins with or follows says how a relative fared
            is_own = measure.is_listed and not measure.is_after_kin and not is_of_kin
            is_of_kin = "family" in assertion.kinds and (section == "family_section" or not is_own)
            # "PMH: CKD, K 7.4": a value without a time in a list of diseases is of today
            is_over = measure.is_of_episode or (is_over and measure.is_after_value)
            if section != "history_section" or not is_over:
                # cues date findings; of when a value is, its own place in the sentence tells
                assertion = replace(assertion, kinds=assertion.kinds - {"historical"})
            assertion = _assertion_of(measure, assertion, is_of_kin=is_of_kin)
            where = measure.start, measure.end
            yield _Mark(*where, measure.name, measure.value, assertion, measure.when)
        for name, match in signs:
            span = covering(tokens, match.start(), match.end())
            assertion = clauses.about(*span)
            if _DENYING.match(match.group()) or _is_own_clause(folded, match):
                # "no orina, no nota el papel": both are there
                assertion = replace(assertion, kinds=assertion.kinds - {"negation", "stopped"})
            if name.startswith((*_PASSING, *_SINCE)) or _STOPPING.match(match.group()):
                assertion = replace(assertion, kinds=assertion.kinds - {"stopped", "resolved"})
            if name.startswith(_OF_DANGER):
                # "may have swallowed a battery", "suspected": what may kill is looked into today
                assertion = replace(assertion, kinds=assertion.kinds - {"uncertain"})
            is_of_teller = name.startswith(_DONE_BY_KIN) or (
                name.startswith(_DONE_TO_KIN)
                and assertion.cue is not None
                and assertion.cue not in folded[: match.start()]
            )
            if is_of_teller:
                assertion = replace(assertion, kinds=assertion.kinds - {"family"})
            if is_of_then_once(folded, *match.span()):
                assertion = assertion.also("historical")
            if name.startswith(OF_HISTORY):
                assertion = replace(assertion, kinds=assertion.kinds - _LASTING)
            when = When.NOW if clauses.is_now(*span) else When.UNSAID
            yield _Mark(match.start(), match.end(), name, None, assertion, when)

    def _denials_of_signs(
        self, signs: Sequence[tuple[str, re.Match[str]]], tokens: Sequence[Token]
    ) -> frozenset[int]:
        """The places of the denials with which signs begin: "no traga la saliva, ruido al
        inspirar" denies that somebody swallows and nothing behind the comma."""
        language = self._book.language
        whole = [
            match.span()
            for name, match in signs
            if name.startswith(_HOLDING_DENIAL)
            or _LOSING[language].match(match.group())
            or (name.startswith(_STOPPED_WORK) and _STOPPING.match(match.group()))
        ]
        within = [
            (match.start() + denial.start(), match.start() + denial.end())
            for _, match in signs
            if len(match.group()) <= _LONGEST_FAILING
            for denial in _FAILING[language].finditer(match.group())
        ]
        return frozenset(
            position for span in whole + within for position in range(*covering(tokens, *span))
        )

    def _as_meant(self, mention: Mention, tokens: Sequence[Token], folded: str) -> Mention | None:
        """The mention; with another term or none (None) where the words beside an ambiguous
        abbreviation give it another meaning (CP at rest, RA beside a saturation)."""
        start, end = tokens[mention.first].start, tokens[mention.last - 1].end
        for word, beside, hpo_id in self._elsewhere:
            is_meant = word == folded[start:end] and any(
                match.start() <= start and end <= match.end() for match in beside.finditer(folded)
            )
            if is_meant:
                return replace(mention, hpo_id=hpo_id) if hpo_id else None
        return mention

    def _analyse(self, text: str, section: str | None) -> _Analysis:
        folded = fold_in_place(_YES.sub("ya", text) if self._book.language == "es" else text)
        tokens = tuple(tokens_of(folded))
        mentions = [
            as_meant
            for mention in self._dictionary.find(tokens, text, is_every_name=self._is_every_name)
            if not _names_a_test(tokens, mention.first, mention.last)
            and (as_meant := self._as_meant(mention, tokens, folded)) is not None
        ]
        signs = tuple(self._signs.matches_in(folded))
        lost = self._denials_of_signs(signs, tokens)
        spent = lost.union(
            position
            for mention in mentions
            if mention.holds_denial
            for position in range(mention.first, mention.last)
        )
        whole = Clauses(tokens, self._book, section=section)
        clauses = whole
        if spent:
            clauses = Clauses(tokens, self._book, section=section, spent=spent)
        parts = tuple(
            _as_ended(part, tokens, folded) for part in self._parts(mentions, clauses, whole)
        )
        spans = [(part.first, part.last) for part in parts]
        times = times_of(tokens, self._times)
        now = [time.years for time in times if time.kind == "now"]
        is_recent = any(t.kind == "duration" and t.years < RECENT_VALUE_YEARS for t in times)
        of_marks = Clauses(tokens, self._book, section=section, spent=lost) if lost else whole
        marks = tuple(self._marks(folded, tokens, of_marks, section, signs))
        is_measured = is_recent or any(mark.value is not None for mark in marks)
        # "30 weeks pregnant, the baby moves less": no age of a baby
        is_of_womb = bool(now) and any(
            mark.finding == "gestation_weeks"
            and mark.value is not None
            and abs(now[0] - mark.value * 7 / 365.25) < RECENT_VALUE_YEARS
            for mark in marks
        )
        return _Analysis(
            tokens,
            parts,
            marks,
            times,
            timings_of(tokens, times, spans, self._times, text),
            now[0] if now and not clauses.names_family and not is_of_womb else None,
            any(time.kind == "duration" for time in times),
            clauses.begins,
            clauses.has_heading_alone,
            clauses.is_about_today,
            is_measured and not clauses.names_family,
            clauses.denies_family_history,
            clauses.names_family_history,
            clauses.names_test_done,
            clauses.names_plan,
        )

    def _parts(
        self, mentions: Sequence[Mention], clauses: Clauses, whole: Clauses
    ) -> tuple[_Part, ...]:
        """The findings of one sentence, in token positions. whole: the clauses that still contain
        the denials within names of findings."""
        parts = [_finding(mention, clauses) for mention in mentions]
        taken = frozenset(position for mention in mentions for position in mention.places)
        # "reflexes are absent" names Areflexia, which is present, and a function, which is absent
        lacking = frozenset(
            position
            for mention, part in zip(mentions, parts, strict=True)
            for position in mention.places
            if not part.assertion.is_denied
        )
        functions = self._functions_of(clauses, whole, taken, lacking)
        parts = [_behind_a_loss(part, functions, clauses.words) for part in parts]
        parts.extend(functions)
        taken |= {position for part in functions for position in range(part.first, part.last)}
        parts.extend(_unnamed(clauses, taken))
        return tuple(sorted(parts, key=lambda part: (part.first, part.last)))

    def _functions_of(
        self,
        clauses: Clauses,
        whole: Clauses,
        taken: frozenset[int],
        lacking: frozenset[int],
    ) -> list[_Part]:
        parts: list[_Part] = []
        position = 0
        while position < len(clauses.words):
            step = 1
            for words, kind, hpo_id, name in self._functions.get(clauses.words[position], ()):
                last = position + len(words)
                if tuple(clauses.words[position:last]) == words:
                    step = len(words)
                    span = range(position, last)
                    if not taken.intersection(span):
                        parts.extend(_function(clauses, position, last, kind, hpo_id, name))
                    elif (
                        lacking.issuperset(span)
                        and (assertion := whole.about(position, last)).is_denied
                    ):
                        parts.append(
                            _Part(position, last, name, None, "function", None, UNNAMED, assertion)
                        )
                    break
            position += step
        return parts


def _without_reasons(readings: Sequence[Reading], folded: str) -> list[Reading]:
    """The readings; what a rescue drug is carried for is known, and none of today."""
    spans = reasons_of_drugs(folded)
    return [
        replace(reading, assertion=reading.assertion.also("historical"))
        if reading.assertion.status in (Status.PRESENT, Status.CONDITIONAL)
        and reading.value is None
        and not reading.finding.startswith(OF_HISTORY)
        and any(start <= reading.start and reading.end <= end for start, end in spans)
        else reading
        for reading in readings
    ]


def _without_habits(readings: Sequence[Reading], folded: str) -> list[Reading]:
    """The readings; the fever of attacks that somebody has had for years is past, and is none of
    today."""
    return [
        replace(reading, assertion=reading.assertion.also("historical"))
        if reading.hpo_id in FEVERS
        and reading.assertion.status is Status.PRESENT
        and is_fever_of_attacks(folded[slice(*reading.sentence)], folded)
        else reading
        for reading in readings
    ]


def _assertion_of(measure: Measure, assertion: Assertion, *, is_of_kin: bool) -> Assertion:
    """What is said of a value, once its own clause is read: a target, a relative's, or one of then.
    Who gives a value has measured it: a denial beside it is of something else."""
    others = {"family"} if not is_of_kin else set()
    if not measure.is_deniable:
        others.add("negation")
    assertion = replace(assertion, kinds=assertion.kinds - others)
    if measure.is_wanted:
        return assertion.also("planned")
    return assertion.also("historical") if measure.when is When.PAST else assertion


def _without_idle_times(marks: list[tuple[Reading, When]]) -> list[tuple[Reading, When]]:
    """The marks of a note; that something is long standing counts only beside a sign."""
    has_sign = any(reading.finding.startswith("sign:") for reading, _ in marks)
    return [mark for mark in marks if has_sign or not mark[0].finding.startswith(_LONG_STANDING)]


def _is_own_clause(folded: str, match: re.Match[str]) -> bool:
    """Whether a sign begins a clause: "no le hace nada y solo puede decir dos palabras"."""
    ahead = folded[max(0, match.start() - 6) : match.start()]
    return bool(_CLAUSE_AHEAD.search(ahead) and _CLAUSE_BEGINS.match(match.group()))


def _finding(mention: Mention, clauses: Clauses) -> _Part:
    assertion = clauses.about(mention.first, mention.last)
    confidence = mention.confidence * (CORRECTED if mention.is_corrected else 1)
    return _Part(
        mention.first,
        mention.last,
        mention.name,
        mention.hpo_id,
        "finding",
        "fuzzy" if mention.is_corrected else "dictionary",
        round(confidence * (SOFT if assertion.is_soft else 1), 3),
        assertion,
        clauses.is_now(mention.first, mention.last),
    )


# "desde 2018 sin crisis", "no seizures since 2019": it was there until then
_SO_LONG = (
    r"(?:\d{1,2}|un|una|dos|tres|cuatro|cinco|one|two|three|four|five|ten|diez|several|varios)"
)
_A_YEAR = r"(?:19|20)\d\d"
_FREE_SINCE = re.compile(
    rf"\b(?:desde (?:el (?:ano )?)?{_A_YEAR}|desde hace (?:mas de )?{_SO_LONG} (?:anos?|meses)|"
    rf"llev[ao]n? (?:ya |unos |mas de )?{_SO_LONG} (?:anos?|meses)|since {_A_YEAR}|"
    rf"for (?:the (?:last|past) )?{_SO_LONG} (?:years|months)),? "
    r"(?:(?:esta|sigue|se encuentra|remains|is|has been) )?"
    r"(?:sin|libre de|no|without|free (?:of|from))"
    r"(?: (?:nuev[oa]s?|mas|further|more|any|new))? $"
)
_DENIED_AHEAD = re.compile(
    r"\b(?:sin|libre de|no|without|free (?:of|from))(?: (?:nuev[oa]s?|mas|further|more|any|new))? $"
)
_FREE_BEHIND = re.compile(
    rf"(?P<free>[ -]free)? (?:since|desde(?: el(?: ano)?)?) {_A_YEAR}\b|"
    rf"(?P<is_free>[ -]free)? for (?:the (?:last|past) )?{_SO_LONG} (?:years|months)\b|"
    rf" desde hace (?:mas de )?{_SO_LONG} (?:anos?|meses)\b"
)


# "fainted once at nine, none since"
_ONCE_LONG_AGO = re.compile(
    r"(?: \w+){0,2}? (?:once|twice|una vez|dos veces)\b(?: \w+){0,4}? (?:at|aged|age|a los|con) "
    r"\d{1,2}\b(?! ?(?:[ap]\.?m\b|h\b|hours?|horas|days|dias|o.clock|:))"
    r"(?![^.;]*\b(?:today|now|this|hoy|ahora|esta)\b)[^.;]{0,50}?[,:-] ?(?:but |pero )?"
    r"(?:(?:none|not|never|nothing|no (?:more|others?|further)|ningun[oa]|nunca|nada)"
    r"(?: \w+){0,2} (?:since|again|desde|mas)\b|"
    r"no (?:se )?(?:le )?ha (?:vuelto|repetido)\b)"
)


def _as_ended(part: _Part, tokens: Sequence[Token], folded: str) -> _Part:
    """A finding of which somebody has been free since a year or for months and years: it is over,
    which is not the same as never there."""
    if part.hpo_id is None or part.assertion.status not in (Status.DENIED, Status.PRESENT):
        return part
    start, end = tokens[part.first].start, tokens[part.last - 1].end
    is_once = _ONCE_LONG_AGO.match(folded, end) or is_of_then_once(folded, start, end)
    if not part.assertion.is_denied and is_once:
        return replace(part, assertion=part.assertion.also("historical"))
    ahead = folded[max(0, start - 80) : start]
    behind = _FREE_BEHIND.match(folded, end)
    is_named_free = behind is not None and (behind["free"] or behind["is_free"]) is not None
    is_free = is_named_free or (
        part.assertion.is_denied
        and (
            _FREE_SINCE.search(ahead) is not None
            or (behind is not None and _DENIED_AHEAD.search(ahead) is not None)
        )
    )
    if not is_free:
        return part
    kinds = part.assertion.kinds - {"negation"} | {"resolved"}
    return replace(part, assertion=replace(part.assertion, kinds=kinds), is_ended=True)


def _timing_of(part: _Part, timing: Timing) -> Timing:
    """The times of a finding; those of one that somebody has been free of since then are its
    end."""
    return Timing(None, None, *timing.onset) if part.is_ended else timing


def _once(name: str) -> bool:
    """Whether a term is by its name something that happens once."""
    return _HAPPENS.search(name.lower()) is not None


def _behind_a_loss(part: _Part, functions: Sequence[_Part], words: Sequence[str]) -> _Part:
    """A denied finding; present if the denial is of a function that is lost and the two are not
    joined ("no knee jerks, head lag")."""
    cue = part.assertion.cue
    if part.assertion.status is not Status.DENIED or cue is None:
        return part
    for function in functions:
        between = words[function.last : part.first]
        if (
            function.hpo_id is None
            and function.assertion.is_denied
            and function.assertion.cue == cue
            and "," in between
            and _JOINING.isdisjoint(words[function.last :])
            and cue.split()[0] not in between
        ):
            kinds = part.assertion.kinds - {"negation"}
            return replace(part, assertion=replace(part.assertion, kinds=kinds, cue=None))
    return part


def _function(
    clauses: Clauses, first: int, last: int, kind: str, hpo_id: str | None, name: str
) -> list[_Part]:
    assertion = clauses.about(first, last)
    if kind == "statement":
        # "afebrile" is itself a denial; "not afebrile" says nothing certain
        if assertion.is_denied:
            return []
        denied = assertion.also("negation", name)
        return [_Part(first, last, name, hpo_id, "finding", "dictionary", NORMAL, denied)]
    state = clauses.state_of(first, last)
    if state is None:
        # "absent deep tendon reflexes" denies the function, not an abnormality
        if assertion.is_denied:
            return [_Part(first, last, name, None, "function", None, UNNAMED, assertion)]
        return []
    if state[0] == "normal" and hpo_id == WEAKNESS and _WEAK.search(clauses.text_behind(last)):
        state = ("impaired", state[1])  # "Power 5/5 arms, 4+/5 hip flexion"
    if state[0] == "normal":
        kinds = assertion.kinds - {"resolved"} | {"negation"}
        denied = replace(assertion, kinds=kinds, is_soft=False, cue=state[1])
        return [_Part(first, last, name, hpo_id, "function", "dictionary", NORMAL, denied)]
    if hpo_id is None or assertion.is_denied:
        return []
    return [_Part(first, last, name, hpo_id, "function", "dictionary", NORMAL, assertion)]


def _unnamed(clauses: Clauses, taken: frozenset[int]) -> list[_Part]:
    parts = []
    for first, last, cue in clauses.unnamed(taken):
        assertion = clauses.about(first, last)
        if assertion.status is Status.DENIED:
            words = " ".join(clauses.words[first:last])
            assertion = replace(assertion, cue=clauses.text_of(cue))
            parts.append(_Part(first, last, words, None, "unnamed", None, UNNAMED, assertion))
    for first, last, cue in clauses.stopped(taken):
        assertion = clauses.about(first, last).also("stopped", clauses.text_of(cue))
        if assertion.status is Status.STOPPED:
            words = " ".join(clauses.words[first:last])
            parts.append(_Part(first, last, words, None, "unnamed", None, UNNAMED, assertion))
    return parts


def _explanation(words: Sequence[str], letters: str) -> str:
    """The last of `words` whose initials are `letters`, small words left out, or the last word
    alone if it holds them in order (angiomyolipoma, AML); empty if there are none."""
    if not words:
        return ""
    first = len(words)
    for letter in reversed(letters):
        first -= 1
        while first >= 0 and words[first][0].lower() != letter and len(words[first]) <= 3:
            first -= 1
        if first < 0 or words[first][0].lower() != letter:
            break
    else:
        return " ".join(words[first:])
    rest = iter(words[-1].lower())
    is_inside = words[-1][0].lower() == letters[0] and all(letter in rest for letter in letters)
    return words[-1] if is_inside else ""


def _characters(tokens: Sequence[Token], part: _Part) -> tuple[int, int]:
    return tokens[part.first].start, tokens[part.last - 1].end


def _names_a_test(tokens: Sequence[Token], first: int, last: int) -> bool:
    """Whether a name of a finding is part of that of a test or a vaccine: "hepatitis panel",
    "hepatitis B and C serology"."""
    end = last
    while end < min(len(tokens), last + _KINDS_REACH) and tokens[end].word in _KINDS_OF_VIRUS:
        end += 1
    if end < len(tokens) and tokens[end].word in _TESTS_BEHIND:
        return True
    return first >= 2 and tokens[first - 2].word in _TESTS_AHEAD


def _is_with_past(text: str, start: int) -> bool:
    """Whether what starts there came with what is dated by a year of the past: "an embolism in
    2019 after a flight, with an arrest"."""
    dated = _WITH_DATED.search(fold_in_place(text[:start]))
    return dated is not None and _TODAY_TOO.search(dated["between"]) is None


def _of_then(
    part: _Part,
    assertion: Assertion,
    tokens: Sequence[Token],
    text: str,
    timing: Timing,
    age: float | None,
) -> Assertion:
    """The assertion of a finding of a sentence; past if it is told of a time that is over."""
    if part.hpo_id is None or assertion.status is not Status.PRESENT or part.is_now:
        return assertion
    is_over = _was_had(text, *_characters(tokens, part), timing, age)
    return assertion.also("historical", timing.onset_text) if is_over else assertion


def _was_had(text: str, start: int, end: int, timing: Timing, age: float | None) -> bool:
    """Whether what stands at the characters [start, end) of a sentence is over: somebody had it
    then ("she had depression in 2009", "tuvo anemia en el ingreso de marzo"), until an age, or
    until a treatment of a year."""
    folded = fold_in_place(text)
    behind = re.split(r"[;.]", folded[end:])[0]
    bout = folded[max(0, start - _BOUT_BEFORE) : end + _BOUT_BEHIND]
    if _ENDED_THEN.match(behind) or (_DATED.match(behind) and _BOUT.search(bout)):
        return not _WENT_ON.search(behind)
    until = _UNTIL_AGE.match(behind)
    onset, ago = timing.onset_years, timing.onset_ago
    if until and age is not None:
        return (number_of(until["age"]) or 0) + 1 < age
    is_old = ago is not None and ago >= HAD_YEARS
    is_old = is_old or (onset is not None and age is not None and age - onset >= HAD_YEARS)
    is_old = is_old or _STAY_OF_THEN.match(behind) is not None
    return is_old and _HAD.search(folded[:start]) is not None and not _WENT_ON.search(behind)


def _is_over(mark: _Mark, timing: Timing, age: float | None) -> bool:
    """Whether a sign was so long ago that it is over; a pregnancy lasts for months."""
    if "pregnan" in mark.finding and timing.onset_ago is not None:
        return timing.onset_ago > PREGNANCY_YEARS
    return is_long_ago(timing, age)


def _queried(assertion: Assertion, note: str, start: int) -> Assertion:
    """The assertion; in doubt behind a question mark that begins a clause ("? RA")."""
    return assertion.also("uncertain", "?") if _QUERY.search(note[:start][-6:]) else assertion


def _kept(assertion: Assertion, words: str) -> Assertion:
    """The assertion; a sense that was lost years ago is still lost ("lost his sense of smell ten
    years ago"), unless it came back; and what is called a stop has not stopped ("ha dejado de
    sonreír")."""
    if "stopped" in assertion.kinds and _STOPPING.match(fold_in_place(words)):
        assertion = replace(assertion, kinds=assertion.kinds - {"stopped"})
    if assertion.kinds == {"historical"} and _LOST_SENSE.search(fold_in_place(words)):
        return replace(assertion, kinds=frozenset())
    return assertion


def _answered(assertion: Assertion, note: str, end: int) -> Assertion:
    """The assertion; a denial if what ends here is a question that the note answers with no."""
    if _NO.match(note, end) is None:
        return assertion
    return replace(assertion, kinds=assertion.kinds - {"uncertain"} | {"negation"})


def _begins_line(note: str, sentence: Sentence) -> bool:
    """Whether a sentence is the first of its line."""
    ahead = note[: sentence.start].rstrip(" \t")
    text = note[sentence.start : sentence.end]
    return not ahead or ahead.endswith("\n") or "\n" in text[: len(text) - len(text.lstrip())]


def _is_inline(note: str, sentence: Sentence) -> bool:
    """Whether a heading stands within a line, or in a note that is a single line."""
    return "\n" not in note.strip() or not _begins_line(note, sentence)


def _length_of(analysis: _Analysis, *, is_inline: bool) -> int:
    """How many sentences a section lasts at most, with that of its heading. Within a line, a
    history of the family is told in one sentence: what follows without naming a relative is the
    patient's, so that no emergency is taken for a relative's."""
    if analysis.begins == "family_section":
        is_list = not analysis.denies_family_history and (
            analysis.has_heading_alone or not is_inline
        )
    else:
        is_list = analysis.begins == "tests_section" or analysis.has_heading_alone
    return SECTION_SENTENCES if is_list else 1


def _sections(
    note: str, sentences: Sequence[tuple[Sentence, str, str | None, _Analysis]]
) -> list[Reading]:
    """What a note says of the family and of tests done, each as one reading of kind section."""
    readings: list[Reading] = []
    for name, kind in (("family_history", "family_section"), ("tests_done", "tests_section")):
        parts = [
            (sentence.start, sentence.end)
            for sentence, _, section, analysis in sentences
            if (section == kind and not (name == "tests_done" and analysis.is_planned))
            or (name == "family_history" and section is None and analysis.is_about_family)
            or (name == "tests_done" and section is None and analysis.is_about_tests)
        ]
        readings.extend(
            Reading(
                start,
                end,
                name,
                None,
                "section",
                None,
                1.0,
                Assertion(frozenset({"family"} if name == "family_history" else ())),
                Timing(),
                (start, end),
            )
            for start, end in parts
        )
    return readings
