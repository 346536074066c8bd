"""What an action says of a report and the record tells otherwise: "CIN 1" where the biopsy showed
CIN 3, "as the HIV test is positive" after a negative one (rows `grade` and `test` of order_limits;
docs/specification.md#grounds)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from python_llm.recommendations.knowledge import Knowledge
from python_llm.recommendations.record.conditions import names
from python_llm.recommendations.schema import Patient
from python_llm.recommendations.wording.phrases import clauses

_ROMAN = {"i": "1", "ii": "2", "iii": "3", "iv": "4", "v": "5"}
_VALUE = r"(?:\d{1,2}|iv|v|i{1,3})[abc]?"
_BETWEEN = (
    r"(?: (?:grade|grado|score|stage|estadio|class|clase|category|categoria|type|tipo|group|grupo"
    r"|of|de|is|was|es)){0,2}"
)
# A scale that is the sum of two patterns: "Gleason 4+3=7".
_SUM_OF_TWO = 5
# How many words may stand between a test and its result.
_REACH = r"(?: (?!,)\S+){0,4}?"
# A load that cannot be measured is no negative test.
_LOADS = re.compile(r"\b(?:rna|load|carga|copies|copias)\b")
_AROUND = 60
# a value, and the words that tell it
Told = tuple[str, str]


@dataclass(frozen=True)
class Grade:
    """A row `grade`: the scale, behind which its value stands, and words that are a value."""

    scale: re.Pattern[str] | None
    in_words: tuple[tuple[re.Pattern[str], str], ...]
    is_sum: bool

    @classmethod
    def read(cls, row: Mapping[str, str]) -> Grade:
        """A row of order_limits; `words=value` in record_phrases."""
        called = "|".join(re.escape(name) for name in names(row["phrases"]))
        pairs = (pair.split("=") for pair in names(row["record_phrases"]))
        return cls(
            re.compile(rf"\b(?:{called}){_BETWEEN} ?({_VALUE}(?: {_VALUE}){{0,2}})\b")
            if called
            else None,
            tuple((re.compile(rf"\b{words}\b"), value) for words, value in pairs),
            row["against"] == "sum",
        )

    def values(self, plain: str) -> Iterator[Told]:
        """The values that a clause tells."""
        for match in self.scale.finditer(plain) if self.scale else ():
            values = [_arabic(value) for value in match[1].split()]
            if self.is_sum and len(values) > 1:
                values = [str(sum(int(v) for v in values[:2] if v.isdigit()))]
            for value in values:
                if not self.is_sum or int(value.rstrip("abc")) > _SUM_OF_TWO:
                    yield value, match[0]
        for pattern, value in self.in_words:
            if written := pattern.search(plain):
                yield value, written[0]


@dataclass(frozen=True)
class Test:
    """A row `test`: its names, and what is said of it that is positive or negative."""

    behind: re.Pattern[str]
    before: re.Pattern[str]
    negative: re.Pattern[str]

    @classmethod
    def read(cls, row: Mapping[str, str], positive: str, negative: str) -> Test:
        """A row of order_limits; record_phrases and against are words of its own for a positive
        and a negative result."""
        own = "|".join(names(row["against"]))
        negative = rf"(?:{own}|{negative})" if own else negative
        own = "|".join(names(row["record_phrases"]))
        result = rf"(?:{negative}|{own}|{positive})" if own else rf"(?:{negative}|{positive})"
        called = "|".join(re.escape(name) for name in names(row["phrases"]))
        return cls(
            re.compile(rf"\b(?:{called}){_REACH} {result}\b"),
            re.compile(rf"\b{result} (?:{called})\b"),
            re.compile(rf"\b{negative}\b"),
        )

    def values(self, plain: str) -> Iterator[Told]:
        """The results that a clause tells."""
        for match in [*self.behind.finditer(plain)] or [*self.before.finditer(plain)]:
            if not _LOADS.search(match[0]):
                is_negative = bool(self.negative.search(match[0]))
                yield "negative" if is_negative else "positive", match[0]


class Reports:
    """Compares what orders say of reports with the record; pure functions of both."""

    def __init__(self, knowledge: Knowledge) -> None:
        self._knowledge = knowledge
        lexicon = knowledge.lexicon
        self._open = lexicon.pattern("claims_nothing")
        self._leads = lexicon.pattern("gives_reason")
        rows = knowledge.tables["order_limits"]
        positive, negative = (
            lexicon.alternatives(kind) for kind in ("test_positive", "test_negative")
        )
        self._scales: list[Grade | Test] = [
            *(Grade.read(row) for row in rows if row["kind"] == "grade"),
            *(Test.read(row, positive, negative) for row in rows if row["kind"] == "test"),
        ]

    def untrue(self, text: str, patient: Patient) -> Iterator[str]:
        """What a text says of a report, with what the record says instead."""
        for tokens in clauses(text):
            plain = " ".join(tokens)
            for scale in self._scales:
                for value, claim in scale.values(plain):
                    before = plain[: plain.index(claim)][-_AROUND:]
                    # "if she bleeds, as the biopsy showed CIN 1": the condition ends at the comma
                    if self._open.search(self._leads.split(before.rpartition(",")[2])[-1]):
                        continue
                    recorded = self._recorded(scale, patient)
                    if recorded and not any(_agree(value, known) for known, _ in recorded):
                        yield f"it says “{claim}”, the record “{recorded[0][1]}”"

    def _recorded(self, scale: Grade | Test, patient: Patient) -> list[Told]:
        """The values of a record; those of history only if there are no others."""
        told = [
            (self._knowledge.tells_history(tokens), pair)
            for text in [*patient.notes, *patient.conditions]
            for tokens in clauses(text)
            for pair in scale.values(" ".join(tokens))
        ]
        return [pair for past, pair in told if not past] or [pair for _, pair in told]


def _arabic(value: str) -> str:
    number = value.rstrip("abc")
    return _ROMAN.get(number, number) + value[len(number) :]


def _agree(value: str, known: str) -> bool:
    """Whether two values may be the same: "2" and "2a" may be."""
    return value.startswith(known) or known.startswith(value)
