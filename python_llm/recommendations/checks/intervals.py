"""Controls of a drug that come too late: the first one of a drug that is new (a level of lithium
after a year), and the next one of a drug that is taken (rows `interval` of order_limits;
docs/recommendations.md)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from python_llm.recommendations.drugs.history import TAKES
from python_llm.recommendations.knowledge import Knowledge
from python_llm.recommendations.record.conditions import Condition, names
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
    rf"\b(?:in|after|every|each|en|tras|cada|a los|dentro de|not before|within|al cabo de|another"
    r"|other|for|otr[oa]s?|hasta dentro de)"
    rf" (\d{{1,3}}|{'|'.join(_NUMBERS)})?"
    r" ?(days?|weeks?|months?|years?|dias?|semanas?|mes(?:es)?|anos?)\b"
)
_ADVERBS = re.compile(
    r"\b(?:(yearly|annual(?:ly)?|anual(?:es|mente)?|al ano)|(?:next year)|el ano que viene"
    r"|proximo ano|ano proximo|once a year|una vez al ano)\b"
)
_YEAR = 365
# "added yesterday", "started two weeks ago"
_BEGUN = re.compile(
    r"\b(?:start|add|beg|introduc|initiat|prescri|put on|given|new|inici|empez|anadi|introdu"
    r"|pauta)\w*"
)
_LATELY = re.compile(
    r"\b(?:today|yesterday|just|new(?:ly)?|recently|this (?:week|morning)|last (?:week|month)"
    r"|days? ago|(?:a|one|two|three|four|1|2|3|4) weeks? ago|hoy|ayer|recien\w*|nuev[oa]"
    r"|esta semana|la semana pasada|hace (?:\w+ )?(?:dias?|semanas?))\b"
)


class Interval(NamedTuple):
    """A row `interval`: what is measured of a drug, after how many days at most once it is new, and
    after how many once it is taken. present: what else the patient has."""

    drugs: frozenset[str]
    measured: re.Pattern[str]
    days: float
    days_taken: float | None
    present: Condition | None
    subject: str

    @classmethod
    def read(cls, row: Mapping[str, str]) -> Interval:
        """A row of order_limits."""
        return cls(
            frozenset(names(row["against"])),
            re.compile(rf"\b(?:{'|'.join(names(row['phrases']))})\b"),
            float(row["high"]),
            float(row["alarm_high"]) if row["alarm_high"] else None,
            Condition.read(row["applies_when"]) if row["applies_when"] else None,
            row["subject"].replace("_", " "),
        )


class Intervals:
    """Finds controls of a drug that come too late."""

    def __init__(self, knowledge: Knowledge) -> None:
        self._book = knowledge.book
        rows = [row for row in knowledge.tables["order_limits"] if row["kind"] == "interval"]
        self._intervals = [Interval.read(row) for row in rows]

    def problems(
        self,
        text: str,
        others: Sequence[str],
        findings: set[str],
        notes: Sequence[str] = (),
    ) -> Iterator[str]:
        """What a text measures too late. others: every action of the recommendation. A control that
        another action makes in time is no first one."""
        for interval in self._intervals:
            if interval.present is not None and not interval.present.holds(findings):
                continue
            limits = [(interval.days, "first", self._started(others, findings, notes))]
            if interval.days_taken is not None:
                limits.append((interval.days_taken, "next", _taken(interval, findings)))
            for days, which, drugs in limits:
                if not _is_late(interval, days, text) or not drugs & interval.drugs:
                    continue
                if not any(_is_in_time(interval, days, other) for other in others):
                    yield f"{interval.subject}: the {which} control is due within {days:g} days"
                    break

    def _started(self, texts: Sequence[str], findings: set[str], notes: Sequence[str]) -> set[str]:
        """The drugs and classes that a recommendation gives anew, or that the notes call new."""
        ordered = {m.concept for text in texts for m in self._book.named(text) if m.affirmed}
        new = {concept for concept in ordered if TAKES + concept not in findings}
        for note in notes:
            for tokens in clauses(note):
                plain = " ".join(tokens)
                if _BEGUN.search(plain) and _LATELY.search(plain):
                    new |= {mention.concept for mention in self._book.named(plain)}
        return {name for concept in new for name in self._book.closures[concept]}


def _taken(interval: Interval, findings: set[str]) -> set[str]:
    return {name for name in interval.drugs if TAKES + name in findings}


def _is_late(interval: Interval, limit: float, text: str) -> bool:
    """Whether a clause measures what is of the row only after these days."""
    return any(
        days and min(days) > limit and interval.measured.search(plain)
        for plain, days in _timed(text)
    )


def _is_in_time(interval: Interval, limit: float, text: str) -> bool:
    """Whether a clause measures what is of the row within these days."""
    return any(
        days and min(days) <= limit and interval.measured.search(plain)
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
