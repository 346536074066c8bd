"""What a guideline allows a day or more for: the operation of a broken hip on the day after
admission, an endoscopy within a day (rows `limit` of order_limits). What comes within the limit is
not put off."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from python_llm.recommendations.knowledge import Knowledge
from python_llm.recommendations.record.conditions import Condition, names
from python_llm.recommendations.wording.phrases import Phrases

_CLAUSE = re.compile(r"[;!?\n]|\.(?=\s|$)")
_NUMBERS = {
    **dict.fromkeys(("a", "an", "one", "un", "una", "1"), 1),
    **dict.fromkeys(("two", "dos"), 2),
    **dict.fromkeys(("three", "tres"), 3),
    **dict.fromkeys(("four", "cuatro"), 4),
    **dict.fromkeys(("five", "cinco"), 5),
}
_COUNT = rf"(?P<count>\d{{1,3}}|{'|'.join(name for name in _NUMBERS if name != '1')})"
# What comes after the deed, or once more, is not the deed: "review six weeks after surgery".
_AFTERWARDS = re.compile(
    r"\b(?:repeat\w*|again|after(?:wards)?|follow[- ]?up|second|since|post-?op\w*|clinic|review"
    r"|repetir|control|tras|despu[eé]s|posoperatori\w+|postoperatori\w+|revisi[oó]n|consulta)\b",
    re.IGNORECASE,
)
# Hours of a unit: an hour, a day, a week.
_UNITS = {"h": 1, "d": 24, "w": 168, "s": 168}
# Tomorrow is some 36 hours away at most, the day after tomorrow 60.
_TOMORROW, _DAY_AFTER_TOMORROW, _NEXT_WEEK = 36, 60, 168
_TIMES = (
    (
        re.compile(r"\b(?:the )?day after tomorrow\b|\bpasado ma[nñ]ana\b", re.IGNORECASE),
        _DAY_AFTER_TOMORROW,
    ),
    (
        re.compile(
            r"\b(?:for |by |on )?(?:the )?(?:tomorrow(?:'s)?(?: (?:morning|afternoon))?"
            r"|next (?:day|morning)|day after(?: admission)?)\b"
            r"|\b(?:para )?(?<!por la )(?<!cada )(?<!esta )ma[nñ]ana(?: por la ma[nñ]ana)?\b"
            r"|\bal d[ií]a siguiente\b|\bel d[ií]a despu[eé]s\b",
            re.IGNORECASE,
        ),
        _TOMORROW,
    ),
    (
        re.compile(
            r"\bnext week\b|\b(?:la )?(?:semana que viene|pr[oó]xima semana)\b", re.IGNORECASE
        ),
        _NEXT_WEEK,
    ),
)
_WITHIN = re.compile(
    rf"\b(?:within|in|in under|inside|en|dentro de|antes de|en menos de|en las primeras|in the"
    rf"|within the)(?: the)?(?: next| first| las| pr[oó]ximas)? {_COUNT}[ -]?"
    r"(?P<unit>h|hrs?|hours?|horas?|days?|d[ií]as?|weeks?|semanas?)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class Limit:
    """One row: what is done within so many hours, for whom, and what must be done beside it."""

    subject: str
    applies: Condition
    flags: frozenset[str]
    hours: float

    @classmethod
    def read(cls, row: Mapping[str, str]) -> Limit:
        """A row of order_limits."""
        return cls(
            row["subject"],
            Condition.read(row["applies_when"]),
            frozenset(names(row["against"])),
            float(row["high"]),
        )


class Limits:
    """Finds what a recommendation does in time, though not today."""

    def __init__(self, knowledge: Knowledge) -> None:
        rows = [row for row in knowledge.tables["order_limits"] if row["kind"] == "limit"]
        self._limits = {row["subject"]: Limit.read(row) for row in rows}
        self._done = _finder(knowledge, rows, "phrases")
        self._beside = _finder(knowledge, rows, "safe_with")
        self._needs_beside = {row["subject"] for row in rows if row["safe_with"]}

    def held(self, texts: Sequence[str], findings: Collection[str]) -> list[Limit]:
        """The limits that apply to a patient, and of which the texts have what must stand beside
        them."""
        beside = set().union(*(self._beside.affirmed(text) for text in texts))
        return [
            limit
            for name, limit in self._limits.items()
            if limit.applies.holds(set(findings))
            and (name in beside or name not in self._needs_beside)
        ]

    def in_time(self, text: str, limits: Sequence[Limit]) -> list[Limit]:
        """The limits that a text keeps in so many words: "operate tomorrow"."""
        kept = []
        for clause in _CLAUSE.split(text):
            done = self._done.affirmed(clause)
            times = [hours for _, hours in _times(clause)]
            kept += [
                limit
                for limit in limits
                if limit.subject in done and times and max(times) <= limit.hours
            ]
        return kept

    def exceeded(self, text: str, findings: Collection[str]) -> str:
        """The words of time of what comes after its limit; empty if there are none."""
        for clause in _CLAUSE.split(text):
            times = [(hours, span) for span, hours in _times(clause)]
            if _AFTERWARDS.search(_without(clause, [span for _, span in times])):
                continue
            for name in self._done.affirmed(clause) if times else ():
                limit = self._limits[name]
                hours, span = max(times)
                if hours > limit.hours and limit.applies.holds(set(findings)):
                    return clause[span[0] : span[1]]
        return ""

    def without_times(self, text: str, limits: Sequence[Limit]) -> str:
        """A text without the words of time of what comes within its limit."""
        for clause in _CLAUSE.split(text):
            if self.in_time(clause, limits):
                text = text.replace(clause, _without(clause, [span for span, _ in _times(clause)]))
        return text


def _without(clause: str, spans: Sequence[tuple[int, int]]) -> str:
    for start, end in sorted(spans, reverse=True):
        clause = f"{clause[:start]} {clause[end:]}"
    return clause


def _finder(knowledge: Knowledge, rows: Sequence[Mapping[str, str]], column: str) -> Phrases:
    phrases = [(row["subject"], phrase) for row in rows for phrase in names(row[column])]
    return knowledge.advice_phrases(phrases)


def _times(clause: str) -> list[tuple[tuple[int, int], float]]:
    """Where a clause tells when something is done, and after how many hours at most."""
    times: list[tuple[tuple[int, int], float]] = []
    rest = clause
    for pattern, hours in _TIMES:
        for match in pattern.finditer(rest):
            times.append((match.span(), float(hours)))
        # "the day after tomorrow" is no "tomorrow"
        rest = pattern.sub(lambda match: "_" * len(match[0]), rest)
    for match in _WITHIN.finditer(rest):
        count = match["count"].lower()
        number = _NUMBERS.get(count) or float(count)
        times.append((match.span(), number * _UNITS[match["unit"][0].lower()]))
    return times
