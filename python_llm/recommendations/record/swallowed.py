"""An overdose that is told by the number of tablets taken, and not by its name."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from python_llm.recommendations.record.kin import is_of_a_relative, of_the_patient
from python_llm.recommendations.record.numerals import spelled
from python_llm.recommendations.wording.lexicon import Lexicon
from python_llm.recommendations.wording.phrases import clauses

# More than a day's tablets of anything: 16 of paracetamol 500 mg are twice its daily limit.
MANY = 16
_BETWEEN, _BEHIND, _BEFORE = 6, 6, 4
_NOT_A_COUNT = frozenset(
    (
        *("mg", "g", "mcg", "ml", "units", "iu", "hours", "h", "minutes", "min", "days", "weeks"),
        *("months", "years", "horas", "minutos", "dias", "semanas", "meses", "anos", "am", "pm"),
    )
)


class Swallowed:
    """Finds a count of tablets that were taken at once. is_drug: whether tokens name a drug."""

    def __init__(self, lexicon: Lexicon, is_drug: Callable[[str], bool]) -> None:
        self._lexicon, self._is_drug = lexicon, is_drug

    def is_told(self, notes: Iterable[str]) -> bool:
        """Whether a note tells that the patient took far more tablets than are taken in a day."""
        return any(
            self._in_clause(tokens) for note in notes for tokens in clauses(of_the_patient(note))
        )

    def _in_clause(self, tokens: Sequence[str]) -> bool:
        plain = " ".join(tokens)
        if self._lexicon.pattern("course_of_tablets").search(plain):
            return False
        for verb in self._lexicon.pattern("swallowed").finditer(plain):
            before = plain[: verb.start()].split()
            is_denied = bool(self._lexicon.words("not_swallowed") & set(before[-_BEFORE:]))
            if is_denied or is_of_a_relative(tokens, len(before)):
                continue
            if self._counts(plain[verb.end() :].split()):
                return True
        return False

    def _counts(self, tokens: Sequence[str]) -> bool:
        """Whether a large number or a whole pack stands in the first tokens, before tablets."""
        for at in range(min(_BETWEEN, len(tokens))):
            if tokens[at] == "," or tokens[at] in self._lexicon.words("not_swallowed"):
                return False
            if pack := self._lexicon.pattern("whole_pack").match(" ".join(tokens[at:])):
                return self._are_tablets(tokens[at + len(pack[0].split()) :])
            if number := _number(tokens, at):
                value, end = number
                is_count = not _NOT_A_COUNT & set(tokens[end : end + 1])
                return value >= MANY and is_count and self._are_tablets(tokens[end:])
        return False

    def _are_tablets(self, tokens: Sequence[str]) -> bool:
        near = list(tokens[:_BEHIND])
        near = near[: near.index(",")] if "," in near else near
        return bool(self._lexicon.words("tablets") & set(near)) or self._is_drug(" ".join(near))


def _number(tokens: Sequence[str], at: int) -> tuple[float, int] | None:
    """A count in digits or words, and where it ends."""
    if tokens[at].isdigit():
        return float(tokens[at]), at + 1
    return spelled(tokens, at)
