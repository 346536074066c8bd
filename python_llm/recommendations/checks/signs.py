"""What the signs of a record stand for: a minor illness that nobody names but the plan (rows
`reason` of order_limits), and a decision rule all of whose items are told and negative (rows
`rule`)."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from itertools import chain

from python_llm.recommendations.checks.deeds import Sentence, Told, phrases_of, situation
from python_llm.recommendations.knowledge import Knowledge
from python_llm.recommendations.record.conditions import Condition, names
from python_llm.recommendations.record.kin import RELATIVES
from python_llm.recommendations.schema import Patient
from python_llm.recommendations.wording.phrases import words

_SENTENCE = re.compile(r"[;!?\n]|\.(?=\s|$)")
_TELLS = re.compile(r"\b(?:says?|said|reports?|tells?|noticed|refiere|dice|cuenta|not[oó])\b", re.I)


@dataclass(frozen=True)
class Sign:
    """One row: the signs that must all be told, for whom, and the drugs they are a reason for."""

    subject: str
    called: tuple[str, ...]
    told: Told
    applies: Condition
    drugs: frozenset[str]

    @classmethod
    def read(cls, row: Mapping[str, str]) -> Sign:
        """A row of order_limits."""
        return cls(
            row["subject"],
            tuple(names(row["phrases"])),
            Told.read(row["record_phrases"]),
            Condition.read(row["applies_when"]),
            frozenset(names(row["against"])),
        )


class Signs:
    """Finds the illnesses that a record tells by their signs, and the rules that exclude."""

    def __init__(self, knowledge: Knowledge) -> None:
        self._closures = knowledge.book.closures
        rows = knowledge.tables["order_limits"]
        self._illnesses = [Sign.read(row) for row in rows if row["kind"] == "reason"]
        self._rules = [Sign.read(row) for row in rows if row["kind"] == "rule"]
        signs = (*self._illnesses, *self._rules)
        self._in_record = knowledge.record_phrases(phrases_of(sign.told for sign in signs))
        self._called = knowledge.advice_phrases(
            (illness.subject, name) for illness in self._illnesses for name in illness.called
        )

    def reasons(self, text: str, patient: Patient, findings: Collection[str]) -> list[Sign]:
        """The illnesses that a text names and the record tells by their signs."""
        called = self._called.affirmed(text)
        if not called:
            return []
        whole = self._whole(patient)
        return [
            illness
            for illness in self._illnesses
            if illness.subject in called
            and illness.applies.holds(set(findings))
            and illness.told.holds(whole)
        ]

    def founded(self, concepts: Collection[str], reasons: Collection[Sign]) -> set[str]:
        """The drugs among concepts for which illnesses are a reason."""
        drugs = set().union(*(illness.drugs for illness in reasons))
        return {concept for concept in concepts if self._closures.get(concept, set()) & drugs}

    def excludes(self, patient: Patient, findings: Collection[str]) -> bool:
        """Whether the record tells every item of a decision rule, and each is negative."""
        whole = self._whole(patient)
        return any(
            rule.applies.holds(set(findings)) and rule.told.holds(whole) for rule in self._rules
        )

    def _whole(self, patient: Patient) -> list[Sentence]:
        """What all sentences together tell of the patient, and not of a relative."""
        sentences = chain.from_iterable(map(_SENTENCE.split, patient.notes))
        own = [
            text for text in sentences if _TELLS.search(text) or not RELATIVES & set(words(text))
        ]
        return [
            frozenset().union(
                *situation(self._in_record, patient.model_copy(update={"notes": own}))
            )
        ]
