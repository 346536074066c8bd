"""What a check concludes of a recommendation, and what its conclusions come to together."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum


class Outcome(StrEnum):
    """unsafe: what was read speaks against it; not_checkable: something is missing, unknown or not
    understood. The worst stands first."""

    UNSAFE = "unsafe"
    NOT_CHECKABLE = "not_checkable"
    PASSED = "passed"


@dataclass(frozen=True)
class Verdict:
    """The result of one check. item: what it examined (an action, a red flag, a stage)."""

    check: str
    outcome: Outcome
    reason: str
    item: str = ""

    @property
    def passed(self) -> bool:
        """Whether nothing is wrong."""
        return self.outcome is Outcome.PASSED

    @property
    def told(self) -> str:
        """What was examined with the reason, as a person reads it, each thing once."""
        subject, _, rest = self.item.partition(": ")
        if rest and rest in self.reason:
            is_named = self.reason.startswith(f"not checked: {subject}")
            return self.reason if is_named else f"{subject}: {self.reason}"
        return f"{self.item}: {self.reason}" if self.item else self.reason


def judged(
    check: str, problem: str, fine: str, item: str = "", otherwise: Outcome = Outcome.UNSAFE
) -> Verdict:
    """A verdict that passes, told by `fine`, if there is no problem."""
    return Verdict(check, otherwise if problem else Outcome.PASSED, problem or fine, item)


def passed(verdicts: list[Verdict]) -> dict[str, bool]:
    """Whether all verdicts of each check passed."""
    return {
        check: all(v.passed for v in verdicts if v.check == check)
        for check in dict.fromkeys(v.check for v in verdicts)
    }


def outcome_of(verdicts: Iterable[Verdict]) -> Outcome:
    """The worst outcome of the verdicts."""
    outcomes = {verdict.outcome for verdict in verdicts}
    return next((outcome for outcome in Outcome if outcome in outcomes), Outcome.PASSED)
