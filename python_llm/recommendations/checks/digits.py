"""Which finger, toe, tooth or level of the spine: whether a procedure is for the one of the record
(docs/specification.md#grounds).

The words of each are rows of assertion_cues (`digit_…`). What a record calls healthy, denies or
tells as history is not told; without any that is told, nothing is compared.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from python_llm.parsing.folding import without_accents
from python_llm.recommendations.knowledge import Knowledge
from python_llm.recommendations.schema import Patient
from python_llm.recommendations.wording.phrases import clauses

_KIND = "digit_"
_DENIES = re.compile(r"\b(?:no|not|never|without|sin|nunca|except|spare[sd]?|salvo|excepto)\b")
# "L4/5", "L4-L5", "C5/C6"
_LEVEL = re.compile(r"\b([clt])(\d{1,2})\s?[/–-]\s?[clts]?(\d{1,2})\b")
# a tooth by its number: "tooth 36", "pieza 36", "UR6", "LL7"
_TOOTH = re.compile(
    r"\b(?:tooth|teeth|pieza|diente|muela|molar)s?(?: number| no| n)?\.? ([1-8][1-8])\b"
)
_CLAUSE = re.compile(r"[;!?\n]|\.(?=\s|$)")


class Digits:
    """Finds procedures on another finger, toe, tooth or level; pure functions of the record and the
    seeds."""

    def __init__(self, knowledge: Knowledge) -> None:
        self._knowledge = knowledge
        lexicon = self._lexicon = knowledge.lexicon
        self._named = {
            kind.removeprefix(_KIND): lexicon.pattern(kind) for kind in lexicon.kinds(_KIND)
        }

    def told(self, patient: Patient) -> dict[str, set[str]]:
        """What a record tells of each kind of digit that is diseased."""
        told: dict[str, set[str]] = {}
        for text in [*patient.notes, *patient.conditions]:
            for clause in _CLAUSE.split(text):
                for tokens in clauses(clause):
                    if self._knowledge.tells_history(tokens):
                        break
                else:
                    for part in clause.split(","):
                        if not self._is_healthy(part):
                            for kind, names in self._in(part).items():
                                told.setdefault(kind, set()).update(names)
        return told

    def problems(self, text: str, patient: Patient) -> Iterator[str]:
        """What a text does to a digit of which the record tells nothing, and tells of another."""
        told = self.told(patient) if self._in(text) else {}
        if not told:
            return
        for clause in _CLAUSE.split(text):
            plain = " ".join(token for tokens in clauses(clause) for token in tokens)
            if not self._lexicon.pattern("does_to_a_digit").search(plain):
                continue
            if self._lexicon.pattern("digit_excused").search(plain) or _DENIES.search(plain):
                continue
            for kind, names in self._in(clause).items():
                known = told.get(kind, set())
                if known and not names & known:
                    yield f"it is for the {min(names)}, the record tells the {min(known)}"

    def _is_healthy(self, part: str) -> bool:
        plain = " ".join(token for tokens in clauses(part) for token in tokens)
        words: Sequence[str] = plain.split()
        return bool(
            self._lexicon.words("site_healthy") & set(words)
            or self._lexicon.pattern("site_healthy_in_words").search(plain)
            or self._lexicon.pattern("digit_healthy").search(plain)
        )

    def _in(self, text: str) -> dict[str, set[str]]:
        """The digits that a text names, by kind."""
        plain = without_accents(text.lower())
        named: dict[str, set[str]] = {}
        for name, pattern in self._named.items():
            kind = name.partition("_")[0]
            if kind in ("excused", "healthy"):
                continue
            if pattern.search(plain):
                named.setdefault(kind, set()).add(name.replace("_", " "))
        for level in _LEVEL.finditer(plain):
            named.setdefault("level", set()).add(f"level {level[1]}{level[2]}/{level[3]}")
        for tooth in _TOOTH.finditer(plain):
            named.setdefault("tooth", set()).add(f"tooth {tooth[1]}")
        return named
