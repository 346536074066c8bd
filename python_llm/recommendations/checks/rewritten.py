"""A recommendation as the checks read it: with plain amounts, and without the asides that call
something else needless."""

from __future__ import annotations

import re
from collections import Counter

from python_llm.recommendations.checks.verdicts import Outcome, Verdict
from python_llm.recommendations.knowledge import Knowledge
from python_llm.recommendations.schema import Patient, Recommendation, has_a_word
from python_llm.recommendations.wording.amounts import of_order, of_record

# The end of a sentence, or what opens a clause of its own.
_ENDS = re.compile(
    r"(?<=[;!?\n,])|(?<=\.)(?=\s|$)|(?=[(\[])|(?<=[)\]])"
    r"|\s(?=(?:because|since|as(?! soon as\b| (?:well|needed|required)\b)|porque|ya que|pues"
    r"|puesto que|dado que)\s)",
    re.IGNORECASE,
)
_GIVES_REASON = re.compile(
    r"\W*(?:because|since|as|porque|ya que|pues|puesto que|dado que)\b", re.IGNORECASE
)
_JOINED = re.compile(r"\s(?:and|but|or|nor|y|e|o|ni|pero)\s", re.IGNORECASE)
_OF_ITSELF = re.compile(
    r"\W*(?:because |since |as |porque |ya que |pues )?"
    r"(?:it|they|this|these|that|which|ya no|este|esta|estos|estas|ello|lo)\b",
    re.IGNORECASE,
)
# How many words a member of a list has before its "and": "isolation, masks and gowns".
_IN_A_LIST = 4


def with_plain_amounts(
    recommendation: Recommendation, patient: Patient | None
) -> tuple[Recommendation, list[Verdict]]:
    """A recommendation with its thousands written without a sign, and a verdict on each amount that
    may be read in two ways."""
    whole = recommendation.model_copy(deep=True)
    beside = " ".join(
        [*(patient.notes if patient else ()), *(a.action for a in whole.recommended_actions)]
    )
    held: list[Verdict] = []

    def read(text: str, item: str) -> str:
        read_text, unsure = of_order(text, beside)
        for amount in unsure:
            reason = f"not checked: “{amount}” may be thousands or a decimal"
            held.append(Verdict("contraindication_coverage", Outcome.NOT_CHECKABLE, reason, item))
        return read_text if has_a_word(read_text) else text

    for number, action in enumerate(whole.recommended_actions, 1):
        action.action = read(action.action, f"action {number}")
    for number, escalation in enumerate(whole.when_to_escalate, 1):
        escalation.action = read(escalation.action, f"escalation {number}")
    for row in whole.evidence_table:
        row.statement = of_record([row.statement], beside)[0]
    for check in whole.contraindications_checked:
        check.medication = of_record([check.medication], beside)[0]
    return whole, held


class Asides:
    """Finds the clauses of an order that call something else needless: "consent is not needed", "no
    hace falta aislamiento". They deny their own subject, never the order beside them."""

    def __init__(self, knowledge: Knowledge) -> None:
        lexicon = knowledge.lexicon
        self._book = knowledge.book
        self._needless = lexicon.pattern("called_needless")
        verbs = f"{lexicon.alternatives('order_verb')}|{lexicon.alternatives('order_verb_spanish')}"
        self._orders = re.compile(rf"\W*(?:{verbs})\b", re.IGNORECASE)

    def without(self, recommendation: Recommendation) -> Recommendation | None:
        """The recommendation without its asides; None if it has none."""
        bare = recommendation.model_copy(deep=True)
        is_changed = False
        for action in bare.recommended_actions:
            rest = self.left_by(action.action)
            if rest != action.action and has_a_word(rest):
                action.action, is_changed = rest, True
        return bare if is_changed else None

    def left_by(self, text: str) -> str:
        """A text without its asides."""
        if not self._needless.search(text):
            return text
        kept: list[str] = []
        for part in (part for part in _ENDS.split(text) if part):
            cue = self._needless.search(part)
            if cue is None or _OF_ITSELF.match(part):
                kept.append(part)
                continue
            joined = _JOINED.search(part, 0, cue.start())
            is_ordered = self._orders.match(part) and not self._needless.match(part.strip())
            if is_ordered and joined is None:
                kept.append(part)
                continue
            if is_ordered and joined:
                kept.append(part[: joined.start()])
            elif joined:
                while len(kept) > 1 and self._is_listed(kept[-1]):
                    kept.pop()
        rest = " ".join(part.strip() for part in kept).strip(" ,")
        return text if self._is_about_itself(text, rest) else rest

    def _is_listed(self, part: str) -> bool:
        """Whether a part is one of a list: "isolation," before "masks and gowns are not needed"."""
        is_short = len(part.split()) <= _IN_A_LIST
        return part.rstrip().endswith(",") and is_short and not self._orders.match(part)

    def _is_about_itself(self, text: str, rest: str) -> bool:
        """Whether what is called needless is a drug of the order, or the reason why one is
        stopped."""
        left = self._book.named(rest)
        stays = Counter(mention.concept for mention in left)
        gone = Counter(mention.concept for mention in self._book.named(text)) - stays
        is_stopped = any(not mention.affirmed for mention in left)
        gives_reason = any(_GIVES_REASON.match(part) for part in _ENDS.split(text) if part)
        return not stays.keys().isdisjoint(gone) or (is_stopped and gives_reason)
