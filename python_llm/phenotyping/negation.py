"""What a sentence asserts of a finding: present, denied, resolved, someone else's, or in doubt.

Cue words with a scope, after NegEx (Chapman 2001, doi:10.1006/jbin.2001.1029) and ConText
(Harkema 2009, doi:10.1016/j.jbi.2009.05.002): a cue reaches forward or backward over the words of
its sentence, up to a word that ends the clause. The cues are data (seed note_cues).
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any

from python_llm.errors import UserError
from python_llm.phenotyping.text import Token, tokens_of, word_set

KINDS = frozenset(
    (
        *("negation", "pseudo", "terminator", "family", "family_section", "informant"),
        *("informant_verb", "resolved", "not_resolved", "uncertain", "normal", "not_normal"),
        *("impaired", "historical", "not_historical", "planned", "conditional", "trigger"),
        "stopped",
    )
)
DIRECTIONS = frozenset(("forward", "backward", "both", "none"))
# in a cue: a sign or the end must follow, which tells "Fever: no." from "No fever"
CLAUSE_END = "$"
ENDING_SIGNS = frozenset((";", ".", "!", "?", "•", "·"))
CLOSING_SIGNS = frozenset((",", ";", ".", ")", "!", "?", "-", "/", "•"))
# before a colon: what follows the colon belongs to what precedes it
ANNOUNCING = frozenset(("following", "siguiente", "siguientes"))
# words between a relative and what that relative reported ("the mother has also noticed")
INFORMANT_GAP = 3
# the kinds of one group compete for the same words; another group reads them anew
_GROUPS = (
    frozenset(
        (
            *("negation", "pseudo", "terminator", "resolved", "not_resolved", "uncertain"),
            *("planned", "conditional", "trigger", "stopped"),
        ),
    ),
    frozenset(("historical", "not_historical")),
    frozenset(("family", "family_section", "informant")),
    frozenset(("informant_verb",)),
    frozenset(("normal", "not_normal", "impaired")),
)

# "not" denies an action as often as a finding
_VERBAL = word_set(
    "not never cannot can't doesn't didn't isn't wasn't aren't weren't hasn't hadn't haven't don't "
    "couldn't wouldn't nunca tampoco jamas excludes excluye"
)
_AUXILIARIES = word_set(
    "hay existe existen se ha han habia le les me have has had having been be any un una no not "
    "never nunca tampoco does did do also tambien"
)
# a verb keeps a finding and its predicate in one clause, a conjunction does not
_CONJUNCTIONS = word_set("but however although though except pero aunque salvo excepto sino yet")
# words after a finding within which its own resolution may still be stated
_SAME_SUBJECT = 6
_JOINTS = frozenset(("and", "or", "nor", "y", "e", "o", "u", "ni"))
# an unnamed finding is a few words, within one list
_MOST_UNNAMED = 5
_FARTHEST = 40
_SHORT = 3


class CueError(UserError):
    """A cue that cannot be used; the message names the seed, the cue and the remedy."""


@dataclass(frozen=True, slots=True)
class Effect:
    """What one row of note_cues does. max_words: how far it reaches, in words; None: to the end of
    its clause."""

    kind: str
    direction: str
    is_soft: bool
    max_words: int | None


@dataclass(frozen=True, slots=True)
class Cue:
    """A cue in a sentence: its tokens [first, last) and what they do."""

    first: int
    last: int
    effect: Effect


class Status(StrEnum):
    """What a note asserts of one mention of a finding; every mention has exactly one
    (docs/specification.md#status-of-a-mention)."""

    PRESENT = "present"
    PAST = "past"
    RELATIVE = "relative"
    PLANNED = "planned"
    CONDITIONAL = "conditional"
    TRIGGER = "trigger"
    DENIED = "denied"
    IN_DOUBT = "in_doubt"
    STOPPED = "stopped"


# the status a cue of each kind gives; of several the first decides
_STATUS_OF = {
    "family": Status.RELATIVE,
    "trigger": Status.TRIGGER,
    "conditional": Status.CONDITIONAL,
    "planned": Status.PLANNED,
    "uncertain": Status.IN_DOUBT,
    "resolved": Status.PAST,
    "stopped": Status.STOPPED,
    "negation": Status.DENIED,
    "historical": Status.PAST,
}


@dataclass(frozen=True, slots=True)
class Assertion:
    """What a sentence asserts of one finding.

    kinds: the kinds of the cues that reach it (keys of _STATUS_OF); is_soft: denied without
    certainty (unlikely); cue: the words that decided.
    """

    kinds: frozenset[str] = frozenset()
    is_soft: bool = False
    cue: str | None = None

    @property
    def status(self) -> Status:
        """The one status that the cues add up to."""
        decisive = (status for kind, status in _STATUS_OF.items() if kind in self.kinds)
        return next(decisive, Status.PRESENT)

    @property
    def is_denied(self) -> bool:
        """Whether a denial reaches it, whatever else does."""
        return "negation" in self.kinds

    @property
    def is_absent(self) -> bool:
        """Whether the finding is not there now, whoever it is about: denied or resolved."""
        return not self.kinds.isdisjoint(("negation", "resolved"))

    @property
    def is_present(self) -> bool:
        """Whether the patient has it or had it."""
        return self.status in (Status.PRESENT, Status.PAST)

    @property
    def is_ongoing(self) -> bool:
        """Whether the patient has it and nothing says that it is over."""
        return self.is_present and "resolved" not in self.kinds

    def also(self, kind: str, cue: str | None = None) -> "Assertion":
        """The assertion once a cue of this kind reaches it too."""
        return replace(self, kinds=self.kinds | {kind}, cue=cue or self.cue)


class CueBook:
    """The cues of one language; the longest match wins."""

    def __init__(self, rows: Iterable[Mapping[str, Any]], language: str) -> None:
        """rows: cue, language, kind, direction, certainty, max_words. Raises CueError."""
        self._groups: list[dict[str, list[tuple[tuple[str, ...], list[Effect]]]]] = []
        phrases: list[dict[tuple[str, ...], list[Effect]]] = [{} for _ in _GROUPS]
        for row in rows:
            if row["language"] != language:
                continue
            effect, words = _effect(row)
            group = next(n for n, kinds in enumerate(_GROUPS) if effect.kind in kinds)
            phrases[group].setdefault(words, []).append(effect)
        for effects_of in phrases:
            by_first: dict[str, list[tuple[tuple[str, ...], list[Effect]]]] = {}
            for words, effects in effects_of.items():
                by_first.setdefault(words[0], []).append((words, effects))
            for entries in by_first.values():
                entries.sort(key=lambda entry: -len(entry[0]))
            self._groups.append(by_first)
        self._beginnings = frozenset().union(*self._groups)

    def find(self, words: Sequence[str]) -> list[Cue]:
        """Every cue among the words of a sentence, in order. A relative who only reports what the
        patient has ("the mother noticed seizures") is not a cue."""
        positions = [n for n, word in enumerate(words) if word in self._beginnings]
        main, before, people, verbs, normal = (
            self._scan(by_first, words, positions) for by_first in self._groups
        )
        reporting = [cue.first for cue in verbs]
        family = []
        informed = [cue for cue in people if cue.effect.kind == "informant"]
        for cue in people:
            if cue.effect.kind == "informant":
                continue
            is_reporting = any(0 <= verb - cue.last <= INFORMANT_GAP for verb in reporting)
            is_informant = any(i.first - 2 <= cue.first <= i.last + 1 for i in informed)
            if cue.effect.kind == "family_section" or not (is_reporting or is_informant):
                family.append(cue)
        return sorted(main + before + family + normal, key=lambda cue: cue.first)

    @staticmethod
    def _scan(
        by_first: Mapping[str, list[tuple[tuple[str, ...], list[Effect]]]],
        words: Sequence[str],
        positions: Sequence[int],
    ) -> list[Cue]:
        cues: list[Cue] = []
        n_words, begin = len(words), 0
        for position in positions:
            if position < begin:
                continue
            for phrase, effects in by_first.get(words[position], ()):
                length = len(phrase)
                if phrase[-1] == CLAUSE_END:
                    length -= 1
                    after = position + length
                    if after < n_words and words[after] not in CLOSING_SIGNS:
                        continue
                if tuple(words[position : position + length]) == phrase[:length]:
                    cues.extend(Cue(position, position + length, effect) for effect in effects)
                    begin = position + length
                    break
        return cues


def _effect(row: Mapping[str, Any]) -> tuple[Effect, tuple[str, ...]]:
    words = tuple(
        word
        for part in row["cue"].split(" ")
        for word in (
            [part] if part == CLAUSE_END else [token.word for token in tokens_of(part)] or [part]
        )
    )
    if not words or not words[0]:
        raise CueError("note_cues.csv: a row has no cue; add one or remove the row.")
    if row["kind"] not in KINDS or row["direction"] not in DIRECTIONS:
        raise CueError(
            f"note_cues.csv, cue '{row['cue']}': kind {row['kind']} or direction "
            f"{row['direction']} is unknown; use one of {', '.join(sorted(KINDS))} and one of "
            f"{', '.join(sorted(DIRECTIONS))}."
        )
    reach = row["max_words"]
    return Effect(
        row["kind"],
        row["direction"],
        row["certainty"] == "soft",
        int(reach) if reach not in (None, "") else None,
    ), words


class Clauses:
    """A sentence with its cues: answers what it asserts of any of its words."""

    def __init__(
        self,
        tokens: Sequence[Token],
        book: CueBook,
        *,
        is_family_section: bool = False,
        spent: frozenset[int] = frozenset(),
    ) -> None:
        """spent: tokens of findings whose name itself contains a denial (absent speech), which
        denies nothing else."""
        self.words = [token.word for token in tokens]
        self.cues = [
            cue
            for cue in book.find(self.words)
            if cue.effect.kind != "negation" or spent.isdisjoint(range(cue.first, cue.last))
        ]
        self._is_family_section = is_family_section
        self._signs = [(n, n + 1) for n, word in enumerate(self.words) if word in ENDING_SIGNS]
        self._ends = [
            (cue.first, cue.last) for cue in self.cues if cue.effect.kind == "terminator"
        ] + self._signs
        self._colons = [
            n
            for n, word in enumerate(self.words)
            if word == ":" and not (n and self.words[n - 1] in ANNOUNCING)
        ]
        self._effective = [cue for cue in self.cues if cue.effect.kind in _STATUS_OF]
        self._states = [c for c in self.cues if c.effect.kind in ("normal", "impaired")]

    @property
    def names_family(self) -> bool:
        """Whether the sentence mentions a relative."""
        return any(cue.effect.kind == "family" for cue in self.cues)

    @property
    def begins_family(self) -> bool:
        """Whether a family history section begins here: its heading stands alone or before a
        colon."""
        return any(
            cue.effect.kind == "family_section"
            and cue.first <= 1
            and (cue.last == len(self.words) or self.words[cue.last] == ":")
            for cue in self.cues
        )

    def _text(self, cue: Cue) -> str:
        return " ".join(self.words[cue.first : cue.last])

    def _is_open(self, start: int, end: int) -> bool:
        """Whether no clause ends within tokens [start, end)."""
        return not any(first < end and last > start for first, last in self._ends)

    def _after_verb(self, position: int) -> int:
        """Where what a cue denies begins, behind its own verb, which opens no other clause ("no
        presenta", "denies having had", "the mother has")."""
        moved = True
        while moved and position < len(self.words):
            moved = False
            if self.words[position] in _AUXILIARIES:
                position, moved = position + 1, True
            for first, last in self._ends:
                if first == position and self.words[position][0].isalnum():
                    position, moved = last, True
        return position

    def _before_verb(self, cue: Cue) -> int:
        """Where what is called normal or impaired ends: "the MRI showed no abnormalities"."""
        position = cue.first
        if cue.effect.kind in ("normal", "impaired"):
            for first, last in self._ends:
                is_verb = self.words[first] not in _CONJUNCTIONS
                if last == position and is_verb and self.words[first][0].isalnum():
                    position = first
        return position

    def reaches(self, cue: Cue, first: int, last: int) -> bool:
        """Whether a cue's scope holds tokens [first, last)."""
        effect = cue.effect
        if effect.direction in ("forward", "both") and cue.first < first < cue.last < last:
            return True  # "sin signos de" before the finding "signos de trombosis"
        if effect.direction in ("forward", "both") and cue.last <= first:
            gap = (min(self._after_verb(cue.last), first), first)
            is_adjective = effect.max_words is not None
            if is_adjective and "," in self.words[gap[0] : gap[1]]:
                return False
        elif effect.direction in ("backward", "both") and cue.first >= last:
            gap = (last, max(self._before_verb(cue), last))
        else:
            return False
        if effect.max_words is not None and gap[1] - gap[0] > effect.max_words:
            return False
        # "Fever: no" and "negative for: fever" are one clause, "not done. Diagnosis: fever" is two
        touching = (cue.last, cue.first - 1)
        if any(gap[0] <= n < gap[1] and n not in touching for n in self._colons):
            return False
        if effect.kind == "resolved" and cue.first >= last and gap[1] - gap[0] <= _SAME_SUBJECT:
            # "fever was present but has resolved": the subject is still the fever
            return not any(gap[0] <= n < gap[1] for n, _ in self._signs)
        return self._is_open(*gap)

    def about(self, first: int, last: int) -> Assertion:
        """What the sentence asserts of the finding in tokens [first, last)."""
        seen = {
            cue.effect.kind: cue
            for cue in reversed(self._effective)
            if self.reaches(cue, first, last)
        }
        decisive = next((seen[kind] for kind in _STATUS_OF if kind in seen), None)
        denied = seen.get("negation")
        kinds = frozenset(seen)
        return Assertion(
            kinds=kinds | {"family"} if self._is_family_section else kinds,
            is_soft=denied is not None and denied.effect.is_soft,
            cue=None if decisive is None else self._text(decisive),
        )

    def state_of(self, first: int, last: int) -> tuple[str, str] | None:
        """('normal' or 'impaired', the deciding words) of the function or examination in tokens
        [first, last); the nearest words decide. None if the sentence does not say."""
        near = [
            (max(cue.first - last, first - cue.last), cue)
            for cue in self._states
            if self.reaches(cue, first, last)
        ]
        if not near:
            return None
        cue = min(near, key=lambda distance_and_cue: distance_and_cue[0])[1]
        return cue.effect.kind, self._text(cue)

    def _names_family(self, first: int, last: int) -> bool:
        return any(
            cue.effect.kind == "family" and cue.first < last and cue.last > first
            for cue in self.cues
        )

    def unnamed(self, taken: frozenset[int]) -> list[tuple[int, int, Cue]]:
        """Denied findings that no dictionary knows: tokens [first, last) right behind a denial, up
        to a comma, a conjunction or the end of the clause, none of them in `taken`; and the cue."""
        denials = []
        for cue in self.cues:
            if cue.effect.kind != "negation" or cue.effect.direction != "forward":
                continue
            if " ".join(self.words[cue.first : cue.last]) in _VERBAL:
                continue
            first = begin = self._after_verb(cue.last)
            for position in range(begin, min(len(self.words), begin + _FARTHEST) + 1):
                is_end = position == len(self.words) or not self._is_open(begin, position + 1)
                if (
                    is_end
                    or not self.words[position][0].isalnum()
                    or self.words[position] in _JOINTS
                ):
                    words = self.words[first:position]
                    if (
                        0 < position - first <= _MOST_UNNAMED
                        and not taken.intersection(range(first, position))
                        and not self._names_family(first, position)
                        and any(len(word) > _SHORT and word.isalpha() for word in words)
                    ):
                        denials.append((first, position, cue))
                    first = position + 1
                    if is_end or (position < len(self.words) and self.words[position] in ".;:"):
                        break
        return denials
