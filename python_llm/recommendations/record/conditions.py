"""Conditions over findings, and lists in a seed."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property


def names(text: str | None) -> list[str]:
    """The items of a list in a seed, separated by semicolons."""
    return [part.strip() for part in (text or "").split(";") if part.strip()]


@dataclass(frozen=True)
class Condition:
    """`a & !b | c`: holds if all findings of an alternative match (`!`: the finding is absent)."""

    alternatives: tuple[tuple[tuple[str, bool], ...], ...]

    @classmethod
    def read(cls, text: str | None) -> Condition:
        """A condition from its text; an empty text gives one that never holds."""
        return cls(
            tuple(
                tuple((part.strip().lstrip("! "), "!" not in part) for part in piece.split("&"))
                for piece in (text or "").split("|")
                if piece.strip()
            )
        )

    def holds(self, findings: set[str]) -> bool:
        """Whether the condition holds; an empty one never does."""
        return any(
            present <= findings and absent.isdisjoint(findings) for present, absent in self._sides
        )

    @cached_property
    def names(self) -> frozenset[str]:
        """Every finding and problem that the condition mentions."""
        return frozenset(name for alternative in self.alternatives for name, _ in alternative)

    @cached_property
    def _sides(self) -> list[tuple[frozenset[str], frozenset[str]]]:
        """What each alternative needs and what it needs to be absent."""
        return [
            (
                frozenset(name for name, is_wanted in alternative if is_wanted),
                frozenset(name for name, is_wanted in alternative if not is_wanted),
            )
            for alternative in self.alternatives
        ]
