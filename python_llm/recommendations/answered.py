"""Whether a recommendation answers the urgent red flags that the patient's notes tell of."""

from __future__ import annotations

import re
from collections.abc import Iterator

from python_llm.phenotyping.alarms import Alarm
from python_llm.recommendations.knowledge import Knowledge
from python_llm.recommendations.phrases import words
from python_llm.recommendations.schema import Escalation, Recommendation
from python_llm.recommendations.urgency import is_at_once
from python_llm.recommendations.verdicts import Outcome

# Concepts of clinical_actions up to this urgency are done at once.
_URGENT_LEVEL = 2
_CLAUSE = re.compile(r"[;!?\n]|\.(?=\s|$)")
_PART = re.compile(r",|\b(?:and|but|then|y|pero|luego)\b", re.IGNORECASE)
# What is done only for something that has yet to come.
_ONLY_IF = re.compile(
    r"\b(?:if|when|should|unless|in case|whenever|si|cuando|en caso)\b.*", re.IGNORECASE
)
_SHORTEST, _STEM = 4, 5


class Answers:
    """Finds what answers an emergency: a call, an admission, an urgent test or treatment."""

    def __init__(self, knowledge: Knowledge) -> None:
        self._knowledge = knowledge
        self._in = knowledge.lexicon.pattern

    def unanswered(
        self, recommendation: Recommendation, alarms: tuple[Alarm, ...]
    ) -> Iterator[tuple[Alarm, Outcome]]:
        """Each alarm with what its lack of an answer means: nothing is wrong with one that any
        urgent deed answers; a treatment without a word of time cannot be judged."""
        texts = [action.action for action in recommendation.recommended_actions]
        is_answered = any(map(self.is_urgent, texts))
        is_treated = any(map(self._treats, texts))
        for alarm in alarms:
            if is_answered or any(
                self._is_about(escalation, alarm) for escalation in recommendation.when_to_escalate
            ):
                yield alarm, Outcome.PASSED
            else:
                yield alarm, Outcome.NOT_CHECKABLE if is_treated else Outcome.UNSAFE

    def is_urgent(self, text: str) -> bool:
        """Whether a text orders something that answers an emergency now."""
        return any(self._is_urgent_part(part) for part in _parts(text))

    def _is_urgent_part(self, part: str) -> bool:
        if self._is_no_answer(part):
            return False
        concepts = self._knowledge.recommended(part) & self._knowledge.actions.keys()
        # what the patient takes anyway answers nothing, unless it keeps alive
        level = 1 if self._in("carries_on").search(part) else _URGENT_LEVEL
        return bool(
            any(self._is_urgent_concept(name, level) for name in concepts)
            or is_at_once(part)
            or self._in("takes_in").search(part)
        )

    def _treats(self, text: str) -> bool:
        """Whether a text orders a treatment or a test that is more than comfort."""
        knowledge = self._knowledge
        return any(
            not self._is_no_answer(part)
            and not self._in("carries_on").search(part)
            and (
                knowledge.book.affirmed(part)
                or knowledge.recommended(part) & knowledge.actions.keys()
                or self._in("looked_for").search(part)
            )
            for part in _parts(text)
        )

    def _is_no_answer(self, part: str) -> bool:
        """Whether a part of a text denies, puts off or sends away, or gives comfort alone."""
        if any(self._in(kind).search(part) for kind in ("puts_off", "sends_away", "calls_benign")):
            return True
        if self._in("answers_nothing").search(part):
            return True
        book = self._knowledge.book
        affirmed = book.affirmed(part)
        # a class is named only where none of its drugs is
        drugs = affirmed & book.drugs.keys() or affirmed
        comforts = self._in("comforts")
        if drugs:
            return all(
                any(
                    comforts.search(name.replace("_", " "))
                    for name in book.closures.get(drug, {drug})
                )
                for drug in drugs
            )
        return bool(comforts.search(part))

    def _is_urgent_concept(self, name: str, level: int) -> bool:
        row = self._knowledge.actions[name]
        return row["category"] == "escalation" or int(row["urgency"] or 4) <= level

    def _is_about(self, escalation: Escalation, alarm: Alarm) -> bool:
        """Whether an escalation is made at once for what the alarm tells, and not for what may yet
        come."""
        if escalation.urgency != "immediate":
            return False
        trigger = words(escalation.trigger)
        if trigger == words(escalation.action):
            return self.is_urgent(escalation.action)
        if self._in("yet_to_come").search(escalation.trigger):
            return False
        return bool(_stems(trigger) & _stems(words(f"{alarm.flag_name} {alarm.words}")))


def _parts(text: str) -> Iterator[str]:
    """The parts of a text without what they order only for something that has yet to come."""
    for clause in _CLAUSE.split(text):
        for part in _PART.split(_ONLY_IF.sub(" ", clause)):
            if part.strip():
                yield part


def _stems(tokens: list[str]) -> set[str]:
    return {token[:_STEM] for token in tokens if len(token) >= _SHORTEST} - {"signs", "acute"}
