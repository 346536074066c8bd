"""What cannot wait: the urgent needs of a patient, and whether a recommendation meets them first
and in time."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from python_llm.recommendations.record.conditions import Condition, names
from python_llm.recommendations.schema import Recommendation
from python_llm.recommendations.wording.phrases import words

Row = Mapping[str, str]
# Rows of guideline_rule_requirements with these prefixes are needs beside the twelve rules: what
# cannot wait, and what defines the treatment of a condition.
PREFIX, DEFINING = "urgent_", "defining_"
_AT_ONCE = (
    *("now", "immediately", "immediate", "at once", "without delay", "stat", "urgent", "urgently"),
    *("emergency", "emergently", "emergent", "promptly", "right away", "straight away", "as soon"),
    *("within minutes", "within the hour", "within one hour", "within an hour", "within 1 hour"),
    *("do not delay", "do not wait", "first dose", "inmediatamente", "ahora", "urgente", "ya"),
    *("within 10 minutes", "within 30 minutes", "within 60 minutes", "within 90 minutes"),
    *(
        "within 120 minutes",
        "on arrival",
        "straight to",
        "directly to",
        "directo a",
        "asap",
        "cuanto antes",
        "activate",
        "bolus",
    ),
    *("this minute", "this instant", "this second", "straightaway", "en este momento"),
    *("de inmediato", "inmediata", "enseguida", "en seguida", "sin demora"),
)
_LATER = (
    *("tomorrow", "next week", "next day", "next morning", "in the morning", "later", "elective"),
    *("electively", "routine", "routinely", "in clinic", "outpatient", "after the weekend"),
    *("on monday", "when convenient", "in due course", "eventually", "within 24 hours"),
    *("within 48 hours", "within 72 hours", "within a week", "within days", "at discharge"),
    *("after discharge", "next month", "in a few days", "wait and see", "watchful waiting"),
    *("not urgent", "non urgent", "no hurry", "manana", "proxima semana", "wait until"),
    *("follow up", "weeks", "in six hours", "after 24 hours", "overnight", "non emergent"),
)
_MORNING = re.compile(r"\b(?:por la|cada|esta) mañana\b", re.IGNORECASE)


@dataclass(frozen=True)
class Need:
    """One urgent need: which actions meet it, and the documents that ask for it."""

    name: str
    accepted: tuple[frozenset[str], ...]
    documents: tuple[str, ...]


@dataclass(frozen=True)
class Timing:
    """Whether a need is met, and in time. reason: what is wrong, empty if nothing is."""

    need: str
    reason: str
    is_met: bool


class Urgency:
    """The needs of the seeds with a prefix: the urgent ones, or those that define a treatment."""

    def __init__(
        self, requirements: Sequence[Row], actions: Mapping[str, Row], prefix: str = PREFIX
    ) -> None:
        self._levels = {name: int(row["urgency"] or 4) for name, row in actions.items()}
        self._ranks = {name: rank for rank, name in enumerate(actions)}
        self._needs = [
            (
                Need(
                    row["rule_id"],
                    tuple(
                        frozenset(part.strip() for part in way.split("&"))
                        for way in names(row["accepted_actions"])
                    ),
                    tuple(names(row["documents"])),
                ),
                Condition.read(row["applies_when"]),
                Condition.read(row["unless"]),
            )
            for row in requirements
            if row["rule_id"].startswith(prefix)
        ]

    def needs(self, findings: set[str]) -> list[Need]:
        """What a patient with these findings needs."""
        return [
            need
            for need, when, unless in self._needs
            if when.holds(findings) and not unless.holds(findings)
        ]

    def rank(self, concepts: set[str]) -> tuple[int, int]:
        """Where an action stands in the order of urgency; the most urgent concept of a text
        counts."""
        known = concepts & self._ranks.keys()
        return min(
            ((self._levels[name], self._ranks[name]) for name in known),
            default=(4, len(self._ranks)),
        )

    def is_first(self, needs: Sequence[Need], first: set[str]) -> bool:
        """Whether the first action is as urgent as the most urgent that the patient needs."""
        wanted = {name for need in needs for way in need.accepted for name in way}
        best = min((self._levels[name] for name in wanted), default=4)
        # a call for help may stand before what it is called for
        most_urgent = {name for name in wanted if self._levels[name] == best}
        return bool(first & (most_urgent | {"emergency_escalation", "pert", "icu"}))

    def in_time(
        self, needs: Sequence[Need], texts: Sequence[tuple[set[str], str, bool]]
    ) -> list[Timing]:
        """For each need whether an action meets it, and is said to be done at once.

        texts: the concepts of each action or escalation, its words, and whether its urgency is
        immediate.
        """
        timings = []
        for need in needs:
            meeting = [
                (text, immediate)
                for concepts, text, immediate in texts
                if any(way <= concepts for way in need.accepted)
            ]
            if not meeting:
                timings.append(Timing(need.name, "no action meets it", False))
            elif any(_is_late(text) for text, _ in meeting):
                timings.append(Timing(need.name, "it is put off", True))
            elif not any(now or is_at_once(text) for text, now in meeting):
                timings.append(Timing(need.name, "no word says that it is done at once", True))
            else:
                timings.append(Timing(need.name, "", True))
        return timings


def texts_of(recommendation: Recommendation) -> list[tuple[str, bool]]:
    """The actions and escalations of a recommendation, and whether each is immediate."""
    actions = [(action.action, False) for action in recommendation.recommended_actions]
    return actions + [
        (escalation.action, escalation.urgency == "immediate")
        for escalation in recommendation.when_to_escalate
    ]


def _has(text: str, phrases: Sequence[str]) -> bool:
    plain = f" {' '.join(words(text))} "
    return any(f" {phrase} " in plain for phrase in phrases)


def _is_late(text: str) -> bool:
    text = _MORNING.sub(" ", text)
    return _has(text, _LATER) and not _has(text, ("do not wait until", "not later"))


def is_at_once(text: str) -> bool:
    """Whether a text says that something is done now."""
    return _has(text, _AT_ONCE)
