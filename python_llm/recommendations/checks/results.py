"""What a recommendation itself concludes of its checks: a contraindication that it found and says
nothing more of, and a result in words that are not known."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

from python_llm.recommendations.checks.verdicts import Outcome, Verdict, judged
from python_llm.recommendations.knowledge import Knowledge
from python_llm.recommendations.schema import Contraindication
from python_llm.recommendations.wording.phrases import words

_REMEDY = "write “none found”, or what was found and what follows from it"


class Results:
    """Reads the results of checks; a pure function of them and the seeds."""

    def __init__(self, knowledge: Knowledge) -> None:
        self._book, self._lexicon = knowledge.book, knowledge.lexicon

    def verdicts(
        self, entries: Sequence[Contraindication], recommended: Collection[str]
    ) -> Iterator[Verdict]:
        """A verdict for each check of which the result stands against a recommended drug, or is
        not understood."""
        for entry in entries:
            names = {mention.concept for mention in self._book.named(entry.medication)}
            is_given = any(
                self._book.are_related(drug, name) for drug in recommended for name in names
            )
            outcome, problem = self._complaint(entry, is_given=is_given)
            if problem:
                item = f"check of {entry.medication}"
                yield judged("contraindication_coverage", problem, "", item, outcome)

    def _complaint(self, entry: Contraindication, *, is_given: bool) -> tuple[Outcome, str]:
        for text in (entry.checked_against, entry.result):
            if not self._is_understood(text):
                return Outcome.NOT_CHECKABLE, f"not understood: “{text[:60]}”: {_REMEDY}"
        tokens = [token for token in words(entry.result) if token != ","]
        bare = self._lexicon.words("check_found")
        at = next((n for n, token in enumerate(tokens) if token in bare), None)
        is_denied = bool(self._lexicon.words("check_none") & set(tokens[:at]))
        is_handled = self._lexicon.pattern("check_handled").search(" ".join(tokens))
        if at is None or is_denied or is_handled or not is_given:
            return Outcome.PASSED, ""
        reason = f"the check itself says “{entry.result[:60]}”, and not what follows: {_REMEDY}"
        is_alone = not self._book.knows(token for token in tokens if token not in bare)
        return (Outcome.UNSAFE if is_alone else Outcome.NOT_CHECKABLE), reason

    def _is_understood(self, text: str) -> bool:
        tokens = set(words(text)) - self._lexicon.words("check_unclear")
        known = self._lexicon.words("check_found") | self._lexicon.words("check_none")
        is_handled = self._lexicon.pattern("check_handled").search(" ".join(words(text)))
        return bool(tokens & known or is_handled) or self._book.knows(tokens)
