"""Which of many patterns can match a sentence, told by its words before any pattern is tried."""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from re import _constants as kinds  # type: ignore[attr-defined]
from re import _parser as parser  # type: ignore[attr-defined]
from typing import Any

_LETTERS = frozenset(b"abcdefghijklmnopqrstuvwxyz0123456789")
_WORD = re.compile("[a-z0-9]+")
# by how many of its first letters a text is looked up
_KEY = 3
# how often it pays to look whether a pattern can match before it is compiled
_OFTEN = 8


# what is said of him or her, patients say of themselves
_THIRD_PERSON = re.compile(r"\bhis\|her\b(?!\|my)")
_THIRD_PERSON_ES = re.compile(r"(?<![\w\\])le (?=[\w(])")
# "hace como una hora", "hace unos veinte minutos"
_AGO_ES = re.compile(r"(?<=hace )\(\?:(?=\\d)")
_ABOUT_ES = "(?:(?:como|casi|unas?|unos|apenas|cosa de|mas o menos|aproximadamente) ){0,2}(?:"
# "ha dejado de ver", "he dejado de ver"
_HAS_ES = re.compile(r"(?<![\w\\])ha (?=[\w()])")
_SEES_ES = re.compile(r"(?<![\w\\])ve (?=[\w(])")
# "no puedo orinar", "no siento las piernas"
_VERBS_ES = {"puede": "pued[eo]", "siente": "sient[eo]", "mueve": "muev[eo]", "nota": "not[ao]"}
_VERB_ES = re.compile(rf"(?<![\w\\])({'|'.join(_VERBS_ES)})(?![\w\[?*+{{])")
# as it is written in haste: "grey n clammy", "hangin out", "l arm", "cant breathe"
_BEGINS = r"(?:(?<=\\b)|(?<![\w\\]))"  # a word within a pattern
_AND = re.compile(rf"{_BEGINS}and (?=[\w(\[])")
_ENDS_IN_ING = re.compile(r"(?<=[a-z]{3}ing)(?=[ )|]|\\b|$)")
_SIDES = re.compile(r"(?<![\w\\])(?:left\|right|right\|left)(?=[|)])")
_NOT = re.compile(rf"{_BEGINS}(is|are|was|has|have|had|does|do|did|could|would) not (?=[\w(\[])")
_CANNOT = re.compile(rf"{_BEGINS}cannot(?=[ |)])")
_LOOKBEHIND = re.compile(r"(\(\?<[=!](?:[^()\\]|\\.|\((?:[^()\\]|\\.)*\))*\))")
# "cant breathe", "hes blue"
_APOSTROPHE = re.compile(r"(?<=[a-z])'(?=(?:t|s|m|re|ve)\b)")


def in_first_person(pattern: str) -> str:
    """A pattern that matches what patients write of themselves, too ("in my chest", "me falta el
    aire"), with or without apostrophes and as it is written in haste."""
    pattern = _in_haste(pattern)
    pattern = _APOSTROPHE.sub("'?", pattern)
    pattern = _VERB_ES.sub(lambda verb: _VERBS_ES[verb[1]], pattern)
    pattern = _THIRD_PERSON_ES.sub("(?:le|me) ", _THIRD_PERSON.sub("his|her|my", pattern))
    pattern = _AGO_ES.sub(lambda _: _ABOUT_ES, pattern)
    return _SEES_ES.sub("veo? ", _HAS_ES.sub("h[ae] ", pattern))


def _in_haste(pattern: str) -> str:
    """A pattern that matches short forms, too. What looks back must have one width and stays."""
    pieces = _LOOKBEHIND.split(pattern)
    return "".join(piece if n % 2 else _with_short_forms(piece) for n, piece in enumerate(pieces))


def _with_short_forms(pattern: str) -> str:
    pattern = _AND.sub("(?:and|n|&) ", pattern)
    pattern = _ENDS_IN_ING.sub("?", pattern)
    pattern = _SIDES.sub(lambda sides: f"{sides[0]}|l|r|lt|rt", pattern)
    pattern = _NOT.sub(r"\1(?: not|n't) ", pattern)
    return _CANNOT.sub("(?:cannot|can't)", pattern)


# What a match holds: each of these texts, and of each tuple all of one of its needs.
Needs = Sequence["str | tuple[Needs, ...]"]


class PatternBook:
    """Patterns over folded sentences, by name. A sentence is tried against those of which it holds
    what they cannot match without, and against those that need nothing: of nine hundred signs a
    sentence meets a handful."""

    def __init__(
        self,
        patterns: Iterable[tuple[str, str]],
        completed: Callable[[str, str], str] = lambda name, pattern: pattern,
    ) -> None:
        """patterns: name and regular expression, without flags; several may have one name.
        completed: what a pattern is put into before it is tried, from its name and itself."""
        self._patterns = [*patterns]
        self._completed = completed
        self._needs = [needs_of(pattern) for _, pattern in self._patterns]
        self._telling: list[Sequence[str]] = [sorted(most_telling(n)) for n in self._needs]
        self._index()

    def _index(self) -> None:
        self._compiled: dict[int, re.Pattern[str]] = {}
        self._n_tried: Counter[int] = Counter()
        self._of_word: dict[str, frozenset[int]] = {}
        self._always: list[int] = []
        self._by_key: dict[str, list[tuple[str, int]]] = {}
        for number, telling in enumerate(self._telling):
            if not telling:
                self._always.append(number)
            for text in telling:
                self._by_key.setdefault(text[:_KEY], []).append((text, number))

    def packed(self) -> list[tuple[str, str, Needs, Sequence[str]]]:
        """The patterns, what they need and what tells of it, as JSON has it; none of them is
        completed."""
        rows = zip(self._patterns, self._needs, self._telling, strict=True)
        return [(*pair, needs, telling) for pair, needs, telling in rows]

    @classmethod
    def unpacked(cls, packed: Iterable[tuple[str, str, Needs, Sequence[str]]]) -> "PatternBook":
        """What `packed` gave."""
        book = cls(())
        for name, pattern, needs, telling in packed:
            book._patterns.append((name, pattern))
            book._needs.append(needs)
            book._telling.append(telling)
        book._index()
        return book

    def matches_in(self, folded: str) -> Iterator[tuple[str, re.Match[str]]]:
        """Every match, with the name of its pattern, in the order of the patterns."""
        numbers = set(self._always)
        for word in set(_WORD.findall(folded)):
            numbers |= self._raised_by(word)
        for number in sorted(numbers):
            name, text = self._patterns[number]
            pattern = self._compiled.get(number)
            if pattern is None:
                # a note needs few of them, and to compile all takes half a second
                self._n_tried[number] += 1
                if self._n_tried[number] < _OFTEN and not _meets(self._needs[number], folded):
                    continue
                pattern = self._compiled[number] = re.compile(self._completed(name, text))
            for match in pattern.finditer(folded):
                yield name, match

    def _raised_by(self, word: str) -> frozenset[int]:
        known = self._of_word.get(word)
        if known is None:
            known = self._of_word[word] = frozenset(
                number
                for start in range(len(word))
                for end in range(start + 1, min(start + _KEY, len(word)) + 1)
                for text, number in self._by_key.get(word[start:end], ())
                if word.startswith(text, start)
            )
        return known


def _meets(needs: Needs, folded: str) -> bool:
    return all(
        need in folded if isinstance(need, str) else any(_meets(branch, folded) for branch in need)
        for need in needs
    )


def needs_of(pattern: str) -> Needs:
    """What every match of a pattern holds, in small letters and digits; nothing if a match may do
    without any."""
    return _needs(parser.parse(pattern))


def _needs(sequence: parser.SubPattern) -> Needs:
    needs: list[str | tuple[Needs, ...]] = []
    literal = ""
    for kind, value in (*sequence.data, (None, None)):
        if kind is kinds.LITERAL and value in _LETTERS:
            literal += chr(value)
            continue
        if literal:
            needs.append(literal)
            literal = ""
        needs.extend(_needs_by(kind, value))
    return needs


def _needs_by(kind: Any, value: Any) -> Needs:
    if kind is kinds.SUBPATTERN:
        return _needs(value[-1])
    if kind is kinds.BRANCH:
        branches = tuple(_needs(branch) for branch in value[1])
        return [branches] if all(branches) else []
    if kind in (kinds.MAX_REPEAT, kinds.MIN_REPEAT) and value[0]:
        return _needs(value[2])
    if kind is kinds.ASSERT:
        return _needs(value[1])
    return []


def most_telling(needs: Needs) -> frozenset[str]:
    """Texts of which a match holds one: of all that it needs, those whose shortest is the longest;
    none if it needs nothing."""
    options = [
        frozenset((need,))
        if isinstance(need, str)
        else frozenset().union(*(most_telling(branch) for branch in need))
        for need in needs
    ]
    return max(options, key=_telling, default=frozenset())


def _telling(texts: frozenset[str]) -> tuple[int, int]:
    return min(map(len, texts)), -len(texts)
