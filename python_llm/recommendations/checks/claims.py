"""What an action says of the patient and the record tells otherwise: "EF 25 %" where the echo gave
60 %, "as the ECG shows AF" in sinus rhythm. Both texts are shown (docs/specification.md#grounds).

Values are compared by the rows `measure` of the seed order_limits, states by its
rows `claim`, what was excluded by its rows `exclusion`; any
other finding that is given as a reason must not be one that the record only denies.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import NamedTuple

from python_llm.recommendations.knowledge import Knowledge
from python_llm.recommendations.record.conditions import names
from python_llm.recommendations.record.inputs import noted_values, vital_signs, weight_of
from python_llm.recommendations.schema import Patient
from python_llm.recommendations.wording.phrases import Cues, clauses, words

# Words between a measurement and its value; a claim of what is often a target says "is".
_TOLD = (
    r"(?: (?:is|are|was|were|of|at|only|just|now|today|es|era|de|hoy|ahora|measured|reads?|a"
    r"|en)){0,3}"
)
_SAYS = (
    r"(?: (?:now|today|only|just))? (?:is|was|are|were|reads?|es|era|esta)"
    r"(?: (?:only|just|now|at|de|en)){0,2}"
)
# What must follow a value: a unit, or a second number ("BP 178/100").
_FOLLOWED_BY = {"": "", "kg": r"(?= kg\b)", "number": r"(?= \d{2,3}\b)"}
_ALONE = r"(?! (?:to|a|y|and|or|mg|g|ml|mcg|units|hours?|minutes?) \d)"


class Measure(NamedTuple):
    """A row `measure`: how orders and records tell a measurement, between which values it is one,
    and how far two values may lie apart (a share, an amount)."""

    name: str
    claimed: re.Pattern[str]
    recorded: re.Pattern[str]
    low: float
    high: float
    share: float
    amount: float

    @classmethod
    def of(cls, row: Mapping[str, str]) -> Measure:
        called = "|".join(names(row["phrases"]))
        value = rf"(\d{{1,3}}(?:\.\d)?){_FOLLOWED_BY[row['safe_with']]}\b{_ALONE}"
        between = _SAYS if row["against"] == "says" else _TOLD
        return cls(
            row["subject"],
            re.compile(rf"\b(?:{called}){between} {value}"),
            re.compile(rf"\b(?:{called}){_TOLD} {value}"),
            *(float(row[name]) for name in ("low", "high", "alarm_low", "alarm_high")),
        )

    def is_near(self, value: float, known: float) -> bool:
        """Whether two values may be the same measurement."""
        return abs(value - known) <= max(self.amount, self.share * known)

    def in_record(self, plain: str) -> Iterator[float]:
        """The values that the words of a record tell."""
        for told in self.recorded.findall(plain):
            if self.low <= float(told) <= self.high:
                yield float(told)


# "Come back with rigors, a rash or fever": of several, one may come; none is said to be there
_MAY_COME = re.compile(
    r"\b(?:with|for|con|ante|por) [^.;]*\b(?:or|o|u) [^.;]*"
    r"|(?<=\burgencias )por [^.;]*|(?<=\bdepartment )(?:for|with) [^.;]*",
    re.IGNORECASE,
)
_SNIPPET, _AROUND, _STEM = 60, 5, 5
_FEW = r"(?: (?!,)\S+){0,3}?"
_WORD = r" (?!,)\S+"


class State(NamedTuple):
    """A row `claim`: what contradicts a state that an action tells."""

    subject: str
    otherwise: re.Pattern[str] | None
    measures: tuple[str, ...]
    low: float
    high: float


# "yellow fever vaccine" tells of no fever
_VACCINE = re.compile(
    r"\b(?:[\w-]+ ){1,2}vaccin\w*"
    r"|\bvacuna\w* (?:de |contra |frente a )(?:la |el )?[\w-]+(?: amarilla)?",
    re.IGNORECASE,
)


class Claims:
    """Compares what orders say of the patient with the record; pure functions of both."""

    def __init__(self, knowledge: Knowledge) -> None:
        self._knowledge = knowledge
        self._cues = Cues(knowledge.tables["assertion_cues"], "finding")
        limits = knowledge.tables["order_limits"]
        rows = [row for row in limits if row["kind"] == "claim"]
        self._measures = [Measure.of(row) for row in limits if row["kind"] == "measure"]
        self._states = {
            row["subject"]: State(
                row["subject"],
                _in_order(names(row["record_phrases"])),
                tuple(names(row["against"])),
                float(row["low"] or "-inf"),
                float(row["high"] or "inf"),
            )
            for row in rows
        }
        self._exclusions = [
            (self._excluding(row), _in_order(names(row["record_phrases"])))
            for row in limits
            if row["kind"] == "exclusion"
        ]
        self._not_yet = knowledge.lexicon.pattern("not_yet_excluded")
        phrases = [(row["subject"], phrase) for row in rows for phrase in names(row["phrases"])]
        self._told = knowledge.record_phrases(phrases)
        self._suspected = knowledge.record_phrases(phrases, suspected=True)
        self._open = knowledge.lexicon.pattern("claims_nothing")
        self._because = knowledge.lexicon.words("gives_reason")
        self._leads = self._because | knowledge.lexicon.words("names_reason")
        self._denies = knowledge.lexicon.words("denies_what_follows")
        self._opens = knowledge.lexicon.words("opens_reason")
        self._habits = knowledge.lexicon.words("habit")
        self._wished = knowledge.lexicon.words("is_wished")

    def untrue(self, text: str, patient: Patient) -> Iterator[str]:
        """What a text says of the patient, with what the record says instead."""
        contradicted = dict.fromkeys(
            pair
            for tokens in clauses(_VACCINE.sub("vaccine", text))
            for pair in (
                *self._values(" ".join(tokens), patient),
                *self._of_states(tokens, patient),
                *self._excluded(" ".join(tokens), patient),
                *self._denied(tokens, patient),
            )
        )
        for claim, record in contradicted:
            yield f"it says “{claim}”, the record “{record}”"

    def untrue_in_escalation(self, text: str, patient: Patient) -> Iterator[str]:
        """As `untrue`, of an escalation, which lists what may yet come."""
        return self.untrue(_MAY_COME.sub(" ", text), patient)

    def unfounded(self, text: str, patient: Patient, findings: Collection[str]) -> Iterator[str]:
        """Each finding that a text gives as its reason, where the record neither has nor denies
        it: whether it is so is not known."""
        texts = [*patient.notes, *patient.conditions]
        record = {word[:_STEM] for told in texts for word in words(told)}
        for tokens in clauses(text):
            for finding, start, end in self._knowledge.told_findings(tokens):
                lead = tokens[max(0, start - _AROUND) : start]
                # "treat as a STEMI equivalent" gives no reason
                pairs = zip(lead, tokens[max(0, start - _AROUND) + 1 : start + 1], strict=False)
                leads = any(
                    t in self._because and (t != "as" or n in self._opens) for t, n in pairs
                )
                if not leads or self._is_open(tokens, start, end) or finding in self._habits:
                    continue
                named = {word[:_STEM] for word in tokens[start:end]}
                is_told = finding.removesuffix("_stated") in findings or finding in findings
                is_told = is_told or named <= record
                if not is_told and not self._knowledge.only_denied(finding, patient):
                    yield f"the record does not tell “{' '.join(tokens[start:end])}”"

    def _values(self, plain: str, patient: Patient) -> Iterator[tuple[str, str]]:
        for measure in self._measures:
            for match in measure.claimed.finditer(plain):
                around = words(plain[max(0, match.start() - 30) : match.end() + 12])
                if self._wished & set(around):
                    continue
                value, known = float(match[1]), self._measured(measure, patient)
                is_one = measure.low <= value <= measure.high
                if is_one and known and not any(measure.is_near(value, v) for v in known):
                    yield match[0], f"{_plain(measure.name)} {', '.join(f'{v:g}' for v in known)}"

    def _measured(self, measure: Measure, patient: Patient) -> list[float]:
        """Every value of a measurement in the record, those of history too."""
        values = [
            value
            for name, value in [*vital_signs(patient).items(), *patient.measurements.items()]
            if name == measure.name
        ]
        if measure.name == "weight_kg" and (weight := weight_of(patient)):
            values.append(weight)
        values += [v for n, v in noted_values(patient.notes, self._cues) if n == measure.name]
        for note in patient.notes:
            for tokens in clauses(note):
                values += measure.in_record(" ".join(tokens))
        return list(dict.fromkeys(values))

    def _of_states(self, tokens: list[str], patient: Patient) -> Iterator[tuple[str, str]]:
        for mention in self._told.in_clause(tokens):
            if not mention.affirmed or self._is_open(tokens, mention.start, mention.end):
                continue
            if tokens[mention.start] in self._wished:  # "to raise the blood pressure"
                continue
            state = self._states[mention.concept]
            texts = [*patient.notes, *patient.conditions]
            if any(state.subject in self._suspected.affirmed(text) for text in texts):
                continue
            otherwise = self._contradicted(state, patient)
            if otherwise:
                yield " ".join(tokens[mention.start : mention.end]), otherwise

    def _excluding(self, row: Mapping[str, str]) -> re.Pattern[str]:
        """How a text says that what a row `exclusion` names was excluded."""
        lexicon, thing = self._knowledge.lexicon, "|".join(names(row["phrases"]))
        return re.compile(
            rf"\b{lexicon.alternatives('excludes')}{_FEW} (?:{thing})\b"
            rf"|\b(?:{thing}){_FEW} {lexicon.alternatives('is_excluded')}\b"
        )

    def _excluded(self, plain: str, patient: Patient) -> Iterator[tuple[str, str]]:
        """What a text says was excluded, and the words of the record that show it."""
        for excluding, shown in self._exclusions:
            claim = excluding.search(plain)
            if claim is None or self._not_yet.search(plain[: claim.end()]):
                continue
            if record := self._in_record(shown, patient):
                yield claim[0], record

    def _contradicted(self, state: State, patient: Patient) -> str:
        """The words or values of the record that contradict a state; empty if none do."""
        values = self._known(patient)
        known = [(name, v) for name in state.measures for v in values.get(name, [])]
        if any(not state.low <= value <= state.high for _, value in known):
            return ""
        if told := self._in_record(state.otherwise, patient):
            return told
        return f"{_plain(known[0][0])} {known[0][1]:g}" if known else ""

    def _in_record(self, pattern: re.Pattern[str] | None, patient: Patient) -> str:
        """The words of a record that match a pattern, as of today and not denied; empty if none
        do."""
        # "sinus rhythm 74, as last year" tells of today before the comma
        parts = (p for note in patient.notes for t in clauses(note) for p in " ".join(t).split(","))
        for part in parts if pattern else ():
            match = pattern.search(part) if pattern else None
            # "no filling defects" does not contradict that an embolism was excluded
            if match and self._denies & set(part[: match.start()].split()[-_AROUND:]):
                continue
            if match and not self._knowledge.tells_history(part.split()):
                return match[0][:_SNIPPET]
        return ""

    def _known(self, patient: Patient) -> Mapping[str, list[float]]:
        values = dict(self._knowledge.labs(patient)[0])
        told = list(noted_values(patient.notes, self._cues))
        told += [(m.name, value) for m in self._measures for value in self._measured(m, patient)]
        for name, value in told:
            values[name] = [*values.get(name, []), value]
        return values

    def _denied(self, tokens: list[str], patient: Patient) -> Iterator[tuple[str, str]]:
        """Each finding that is given as a reason, where the record only denies it."""
        for finding, start, end in self._knowledge.told_findings(tokens):
            lead = tokens[max(0, start - _AROUND) : start]
            if not self._leads & set(lead) or self._is_open(tokens, start, end):
                continue
            if denied := self._knowledge.only_denied(finding, patient):
                yield " ".join(tokens[max(0, start - 1) : end]), denied[:_SNIPPET]

    def _is_open(self, tokens: Sequence[str], start: int, end: int) -> bool:
        """Whether a state is only watched for, feared or a condition."""
        before = tokens[max(0, start - 2 * _AROUND) : start]
        # "check the pulse, as she is in AF": what leads the reason is told
        last = max((n for n, token in enumerate(before) if token in self._because), default=0)
        return bool(self._open.search(" ".join([*before[last:], *tokens[end : end + 3]])))


def _plain(name: str) -> str:
    return name.replace("_", " ")


def _in_order(phrases: Sequence[str]) -> re.Pattern[str] | None:
    """Finds the words of a phrase in their order, with a few others between them."""
    if not phrases:
        return None
    patterns = (
        rf"(?:{_WORD}){{0,6}}? ".join(re.escape(word).replace(r"\*", r"\w*") for word in words_of)
        for words_of in (phrase.split() for phrase in phrases)
    )
    return re.compile(rf"\b(?:{'|'.join(patterns)})\b")
