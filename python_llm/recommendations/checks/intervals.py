"""The first control of a drug that is new: a level of lithium after a year comes too late (rows
`interval` of order_limits; docs/recommendations.md)."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import NamedTuple

from python_llm.recommendations.drugs.history import TAKES
from python_llm.recommendations.knowledge import Knowledge
from python_llm.recommendations.record.conditions import names
from python_llm.recommendations.wording.phrases import clauses

_NUMBERS = {
    **dict.fromkeys(("a", "an", "one", "un", "una"), 1),
    **dict.fromkeys(("two", "dos"), 2),
    **dict.fromkeys(("three", "tres"), 3),
    **dict.fromkeys(("four", "cuatro"), 4),
    **dict.fromkeys(("five", "cinco"), 5),
    **dict.fromkeys(("six", "seis"), 6),
    **dict.fromkeys(("eight", "ocho"), 8),
    **dict.fromkeys(("nine", "nueve"), 9),
    **dict.fromkeys(("ten", "diez"), 10),
    **dict.fromkeys(("twelve", "doce"), 12),
}
_DAYS = {"d": 1, "w": 7, "s": 7, "m": 30, "y": 365, "a": 365}
_TIME = re.compile(
    rf"\b(?:in|after|every|each|en|tras|cada|a los|dentro de|not before|within|al cabo de)"
    rf" (\d{{1,3}}|{'|'.join(_NUMBERS)})?"
    r" ?(days?|weeks?|months?|years?|dias?|semanas?|mes(?:es)?|anos?)\b"
)
_ADVERBS = re.compile(r"\b(?:(yearly|annual(?:ly)?|anual(?:es|mente)?|al ano)|(?:next year))\b")
_YEAR = 365


class Interval(NamedTuple):
    """A row `interval`: what is measured of a drug, and after how many days at most."""

    drugs: frozenset[str]
    measured: re.Pattern[str]
    days: float
    subject: str

    @classmethod
    def read(cls, row: Mapping[str, str]) -> Interval:
        """A row of order_limits."""
        return cls(
            frozenset(names(row["against"])),
            re.compile(rf"\b(?:{'|'.join(names(row['phrases']))})\b"),
            float(row["high"]),
            row["subject"].replace("_", " "),
        )


class Intervals:
    """Finds controls of a drug that is started which come too late."""

    def __init__(self, knowledge: Knowledge) -> None:
        self._book = knowledge.book
        rows = [row for row in knowledge.tables["order_limits"] if row["kind"] == "interval"]
        self._intervals = [Interval.read(row) for row in rows]

    def problems(
        self, text: str, others: Sequence[str], findings: Collection[str]
    ) -> Iterator[str]:
        """What a text measures too late. others: every action of the recommendation. A control that
        another action makes in time is no first one."""
        for interval in self._intervals:
            late = _latest(interval, text)
            if not late or any(_is_in_time(interval, other) for other in others):
                continue
            if self._started(others, findings) & interval.drugs:
                yield f"{interval.subject}: the first control is due within {interval.days:g} days"

    def _started(self, texts: Sequence[str], findings: Collection[str]) -> set[str]:
        """The drugs and classes that a recommendation gives anew."""
        ordered = {m.concept for text in texts for m in self._book.named(text) if m.affirmed}
        new = {concept for concept in ordered if TAKES + concept not in findings}
        return {name for concept in new for name in self._book.closures[concept]}


def _latest(interval: Interval, text: str) -> bool:
    """Whether a clause measures what is of the row only after its days."""
    return any(
        days and min(days) > interval.days and interval.measured.search(plain)
        for plain, days in _timed(text)
    )


def _is_in_time(interval: Interval, text: str) -> bool:
    """Whether a clause measures what is of the row within its days."""
    return any(
        days and min(days) <= interval.days and interval.measured.search(plain)
        for plain, days in _timed(text)
    )


def _timed(text: str) -> Iterator[tuple[str, list[float]]]:
    """Each clause, and after how many days what it orders is done."""
    for tokens in clauses(text):
        plain = " ".join(tokens)
        days = [
            _NUMBERS.get(count, 1) * _DAYS[unit[0]]
            if not count.isdigit()
            else int(count) * _DAYS[unit[0]]
            for count, unit in _TIME.findall(plain)
        ]
        days += [_YEAR for _ in _ADVERBS.findall(plain)]
        yield plain, [float(day) for day in days]
