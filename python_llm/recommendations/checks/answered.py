"""Whether a recommendation answers the urgent red flags that the patient's notes tell of.

A call, an admission or a transfer answers any of them. What else is done at once answers the flags
to which it belongs: flags and deeds meet in the cues `alarm_…` and `answers_…` of assertion_cues
(an ultrasound belongs to a painful testis, an ECG does not). A flag of no such kind is answered by
any urgent deed.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from python_llm.phenotyping.alarms import Alarm
from python_llm.recommendations.checks.quiet import Quiet
from python_llm.recommendations.checks.urgency import is_at_once
from python_llm.recommendations.checks.verdicts import Outcome
from python_llm.recommendations.knowledge import Knowledge
from python_llm.recommendations.schema import Escalation, Recommendation
from python_llm.recommendations.wording.phrases import clauses, words

# Concepts of clinical_actions up to this urgency are done at once.
_URGENT_LEVEL = 2
_CLAUSE = re.compile(r"[;!?\n]|\.(?=\s|$)")
_PART = re.compile(r",|\b(?:and|but|then|y|pero|luego)\b", re.IGNORECASE)
# What is done only for something that has yet to come.
_ONLY_IF = re.compile(
    r"\b(?:if|when|should|unless|in case|whenever|si|cuando|en caso)\b.*", re.IGNORECASE
)
_SHORTEST, _STEM = 4, 5
# What escalations of any patient name: "worse pain", "más dolor".
_GENERIC = frozenset(("signs", "acute", "pain", "dolor", "worse", "mayor", "since", "desde"))
# What makes a faint a simple one: what led to it, and a normal ECG.
_SIMPLE_FAINT = ("leads_to_a_faint", "ecg_normal_in_a_note")
# What has been so for years is no history.
_SO_FAR = re.compile(r"\bdesde hace (?:\w+ ){0,2}?(?:anos|meses)\b|\bde \d+ anos\b")
# How far before what is severe a denial may stand.
_AROUND = 4
_ALARM, _ANSWERS = "alarm_", "answers_"
# The alarms that are reason enough for each drug that answers them; breathlessness is none, as
# what helps one cause of it harms another.
_NAMED_BY_DRUG = frozenset(("answers_heart", "answers_allergy"))


class Answers:
    """Finds what answers an emergency: a call, an admission, an urgent test or treatment."""

    def __init__(self, knowledge: Knowledge) -> None:
        self._knowledge = knowledge
        self._in = knowledge.lexicon.pattern
        self._quiet = Quiet(knowledge)

    def unanswered(
        self, recommendation: Recommendation, alarms: tuple[Alarm, ...]
    ) -> Iterator[tuple[Alarm, Outcome]]:
        """Each alarm with what its lack of an answer means: a treatment of it without a word of
        time, or something else that is done at once, cannot be judged."""
        texts = [action.action for action in recommendation.recommended_actions]
        urgent = [part for text in texts for part in _parts(text) if self._is_urgent_part(part)]
        treated = [part for text in texts for part in _parts(text) if self._treats(part)]
        for alarm in alarms:
            if any(self._belongs(part, alarm) for part in urgent) or any(
                self._is_about(escalation, alarm) for escalation in recommendation.when_to_escalate
            ):
                yield alarm, Outcome.PASSED
            elif urgent or any(self._belongs(part, alarm) for part in treated):
                yield alarm, Outcome.NOT_CHECKABLE
            else:
                yield alarm, Outcome.UNSAFE

    def is_answered(self, recommendation: Recommendation, alarms: tuple[Alarm, ...]) -> bool:
        """Whether actions, and not what is to be done later, answer each of the alarms."""
        now = recommendation.model_copy(update={"when_to_escalate": []})
        outcomes = [outcome for _, outcome in self.unanswered(now, alarms)]
        return bool(outcomes) and all(outcome is Outcome.PASSED for outcome in outcomes)

    def overlooked(
        self, recommendation: Recommendation, notes: Sequence[str], *, is_excluded: bool = False
    ) -> str:
        """Why a plan that only comforts, advises or sees the patient later cannot be judged: the
        notes tell something severe ("screams", "se desmayó"), which may be an emergency that no
        flag knows, or nothing that is mild, normal or settled. Empty for any other plan.

        is_excluded: a decision rule whose items are all told says that it can wait."""
        texts = [action.action for action in recommendation.recommended_actions]
        if any(self._is_urgent_part(p) or self._treats(p) for text in texts for p in _parts(text)):
            return ""
        if severe := self._told_today("severe", notes):
            return f"the notes tell something severe (“{severe}”), and nothing is done for it now"
        is_settled = (
            is_excluded or self._told_today("settled", notes) or self._quiet.is_quiet(notes)
        )
        if notes and not is_settled:
            return "nothing in the notes says that it can wait, and nothing is done for it now"
        return ""

    def _told_today(self, kind: str, notes: Sequence[str]) -> str:
        """The first cue of a kind in notes that is neither denied nor history; empty if none is."""
        denies = self._knowledge.lexicon.words("denies_what_follows")
        for note in notes:
            whole = " ".join(words(note))
            is_simple = all(self._in(name).search(whole) for name in _SIMPLE_FAINT)
            for tokens in clauses(note):
                plain = " ".join(tokens)
                for match in self._in(kind).finditer(plain):
                    if is_simple and self._in("faints").fullmatch(match[0]):
                        continue
                    before = set(plain[: match.start()].split()[-_AROUND:])
                    if kind == "settled":  # "no fever, chest clear"
                        before = set(plain[: match.start()].rpartition(",")[2].split()[-_AROUND:])
                    told = words(_SO_FAR.sub(" ", plain)) if kind == "settled" else tokens
                    if not denies & before and not self._knowledge.tells_history(told):
                        return match[0]
        return ""

    def answers(self, text: str, alarms: tuple[Alarm, ...]) -> bool:
        """Whether a text orders now what belongs to one of the alarms by its kind."""
        urgent = [part for part in _parts(text) if self._is_urgent_part(part)]
        return any(
            self._in(kind).search(self._told(part))
            for part in urgent
            for alarm in alarms
            for kind in self._kinds(alarm)
        )

    def is_answer(self, concept: str, alarms: tuple[Alarm, ...]) -> bool:
        """Whether a drug is one that answers an alarm by its kind: aspirin a coronary one."""
        names = " ".join(sorted(self._knowledge.book.closures[concept])).replace("_", " ")
        kinds = {kind for alarm in alarms for kind in self._kinds(alarm)} & _NAMED_BY_DRUG
        return any(self._in(kind).search(names) for kind in kinds)

    def is_urgent(self, text: str) -> bool:
        """Whether a text orders something that answers an emergency now."""
        return any(self._is_urgent_part(part) for part in _parts(text))

    def _is_urgent_part(self, part: str) -> bool:
        if self._is_no_answer(part):
            return False
        # what the patient takes anyway answers nothing, unless it keeps alive
        level = 1 if self._in("carries_on").search(part) else _URGENT_LEVEL
        return bool(
            any(self._is_urgent_concept(name, level) for name in self._concepts(part))
            or is_at_once(part)
            or self._in("acts_now").search(part)
            or self._in("takes_in").search(part)
        )

    def _concepts(self, part: str) -> set[str]:
        return self._knowledge.recommended(part) & self._knowledge.actions.keys()

    def _belongs(self, part: str, alarm: Alarm) -> bool:
        """Whether what a part of a text orders is for what the alarm tells."""
        concepts = self._concepts(part)
        actions = self._knowledge.actions
        if self._in("takes_in").search(part) or any(
            actions[name]["category"] == "escalation" for name in concepts
        ):
            return True
        answers = self._kinds(alarm)
        told = self._told(part)
        return not answers or any(self._in(kind).search(told) for kind in answers)

    def _kinds(self, alarm: Alarm) -> list[str]:
        """The kinds of cues that tell what answers an alarm."""
        return [
            _ANSWERS + kind.removeprefix(_ALARM)
            for kind in self._knowledge.lexicon.kinds(_ALARM)
            if self._in(kind).search(alarm.flag_name)
        ]

    def _told(self, part: str) -> str:
        """A part of a text with the measures, drugs and classes that it orders."""
        names = " ".join(sorted(self._concepts(part) | self._knowledge.book.affirmed(part)))
        return f"{part} {names.replace('_', ' ')}"

    def _treats(self, part: str) -> bool:
        """Whether a part of a text orders a treatment or a test that is more than comfort."""
        return bool(
            not self._is_no_answer(part)
            and not self._in("carries_on").search(part)
            and (
                self._knowledge.book.affirmed(part)
                or self._concepts(part)
                or self._in("looked_for").search(part)
            )
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
    return {token[:_STEM] for token in tokens if len(token) >= _SHORTEST} - _GENERIC
