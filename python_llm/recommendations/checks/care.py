"""Plain care: what needs no knowledge of a drug or a procedure to be safe.

To look, measure, write down, ask, warn or refer harms nobody. To rest, eat, walk, explain or leave
out harms nobody who is stable. A text is plain care if each of its parts is, or names something of
the field that the other checks judge (cues `watches`, `counsels`, `refers`, `supports`,
`measured_by` and `aftercare` of assertion_cues).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection

from python_llm.recommendations.checks.understood import Understood
from python_llm.recommendations.knowledge import Knowledge
from python_llm.recommendations.wording.phrases import words

_CLAUSE = re.compile(r"[;!?\n:]\s|[;!?\n]|\.(?=\s|$)")
_PART = re.compile(r",|\b(?:and|then|but|y|e|luego|pero)\b", re.IGNORECASE)
# What a part leaves out begins so, behind the words that lead an order.
_LEAVES_OUT = re.compile(
    r"^(?:please |do |you |que |se |ya )*"
    r"(?:no|not|never|avoid\w*|without|nothing|nada|nunca|evit\w+|sin|ni|tampoco)\b"
)
# "without a feeding tube"
_DENIED = re.compile(
    r"\b(?:no|sin|without|avoid\w*|evit\w+|nor|ni)\b(?:\s+[\w-]+){1,3}", re.IGNORECASE
)
# Why a text without any term of the field is out of scope.
NOTHING_OF_THE_FIELD = (
    "it names nothing of cardiopulmonary medicine: write the drug, the test, the measure or the "
    "reason for it"
)
# Whose fixed words say what is done for anybody, and for whoever is stable.
_DONE_BY_ANYBODY = ("watches", "counsels", "supports", "enlists")
_REASSURES = ("calls_benign", "makes_light", "reassures_falsely")
_OF_ANYBODY = ("watches", "refers", "nurses")


class Care:
    """Finds whether a text orders plain care alone."""

    def __init__(
        self,
        knowledge: Knowledge,
        understood: Understood,
        out_of_scope: Callable[[str], str | None],
    ) -> None:
        self._knowledge = knowledge
        self._understood = understood
        self._out_of_scope = out_of_scope
        self._in = knowledge.lexicon.pattern

    def is_plain(self, text: str, founded: Collection[str], *, is_stable: bool) -> bool:
        """Whether each part of a text is plain care or of the field, and the text names no unknown
        drug and gives none but these.

        is_stable: the patient has quiet vital signs and no emergency, or comfort is all that is
        wanted.
        """
        book = self._knowledge.book
        if book.unknown_drugs(text):
            return False
        drugs = {m.concept for m in book.named(text) if m.affirmed and book.needs_check(m.concept)}
        if not drugs <= set(founded):
            return False
        clauses = [clause for clause in _CLAUSE.split(text) if words(clause)]
        return all(
            self._is_plain_clause(clause, is_stable=is_stable)
            # "…; her sister stays with her": why, behind an order
            or (is_stable and bool(number) and self._is_no_order(clause))
            for number, clause in enumerate(clauses)
        )

    def _is_no_order(self, clause: str) -> bool:
        """Whether a clause has no verb of orders, and nothing of another field or of a drug."""
        is_order = any(
            self._understood.begins_with_a_verb(words(part)) for part in _PART.split(clause)
        )
        is_bare = not self._knowledge.book.named(clause) and not self._in("invasive").search(clause)
        # "Polish the antlers" may be an order with a verb that nobody has read
        has_subject = words(clause)[0] in self._knowledge.lexicon.words("opens_reason")
        return is_bare and has_subject and not is_order and self._is_of_no_field(clause)

    def _is_of_no_field(self, clause: str) -> bool:
        """Whether a clause names nothing of another field."""
        return self._out_of_scope(clause) in (None, NOTHING_OF_THE_FIELD)

    def _is_plain_clause(self, clause: str, *, is_stable: bool) -> bool:
        is_put_off = bool(self._in("once_better").search(" ".join(words(clause))))
        clause = self._understood.without_condition(clause)
        tokens = words(clause)
        # "refer for endoscopy": whoever does it judges it, once the patient is stable
        if self._begins("refers", tokens) and (is_stable or self._is_of_no_field(clause)):
            return True
        if self._in("remedies").search(clause) and not self._in("protects_skin").search(clause):
            return False
        if self._begins("enlists", tokens):
            return self._lets_care(tokens)
        if self._in("upkeep").search(clause):
            return True
        if is_stable and self._in("screens").search(" ".join(tokens)):
            return True
        if self._in("invasive").search(_DENIED.sub(" ", clause)):
            return False
        if is_stable and self._in("aftercare").search(clause):
            return True
        parts = [words(part) for part in _PART.split(clause)]
        is_noun = not any(map(self._understood.begins_with_a_verb, parts))
        if is_noun and self._in("measured_by").search(" ".join(words(clause))):
            return True
        is_led = False
        for part in _PART.split(clause):
            tokens = words(part)
            if not tokens:
                continue
            goes_on = is_led and not self._understood.begins_with_a_verb(tokens)
            if goes_on or self._is_plain_part(tokens, is_stable=is_stable or is_put_off):
                is_led = True
            elif self._out_of_scope(part) is not None:
                return False
        return True

    def _lets_care(self, tokens: list[str]) -> bool:
        """Whether a person who is asked in is to do plain care: "the nurse to dress the wound", and
        not "the nurse to push the potassium"."""
        begins = [
            position
            for position in range(1, len(tokens))
            if tokens[position] != "nurse" and self._understood.is_verb(tokens[position])
        ]
        plain = " ".join(tokens)
        return not self._in("invasive").search(plain) and all(
            any(self._in(kind).match(" ".join(tokens[at:])) for kind in _DONE_BY_ANYBODY)
            for at in begins
        )

    def _is_plain_part(self, tokens: list[str], *, is_stable: bool) -> bool:
        if any(self._begins(kind, tokens) for kind in _OF_ANYBODY):
            return True
        if self._begins("counsels", tokens):
            plain = " ".join(tokens)
            # "tell him that it is harmless" reassures
            if any(self._in(kind).search(plain) for kind in _REASSURES):
                return False
            return is_stable or not self._in("tells").search(plain)
        return is_stable and (
            self._begins("supports", tokens) or bool(_LEAVES_OUT.search(" ".join(tokens)))
        )

    def _begins(self, kind: str, tokens: list[str]) -> bool:
        """Whether the main clause begins with a cue of a kind."""
        plain = " ".join(self._understood.main(tokens))
        return bool(self._in(kind).match(plain)) or bool(self._in(kind).match(" ".join(tokens)))
