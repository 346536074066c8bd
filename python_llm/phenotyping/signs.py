"""Which of many patterns can match a sentence, told by its words before any pattern is tried."""

import re
from collections.abc import Callable, Iterable, Iterator
from re import _constants as kinds  # type: ignore[attr-defined]
from re import _parser as parser  # type: ignore[attr-defined]
from typing import Any

_LETTERS = frozenset(b"abcdefghijklmnopqrstuvwxyz0123456789")
_WORD = re.compile("[a-z0-9]+")
# longer beginnings of a text to look for than this tell the words apart no better
_KEY = 3


# what is said of him or her, patients say of themselves
_THIRD_PERSON = re.compile(r"\bhis\|her\b(?!\|my)")
_THIRD_PERSON_ES = re.compile(r"(?<![\w\\])le (?=[\w(])")
# "hace como una hora", "hace unos veinte minutos"
_AGO_ES = re.compile(r"(?<=hace )\(\?:(?=\\d)")
_ABOUT_ES = "(?:(?:como|casi|unas?|unos|apenas|cosa de|mas o menos|aproximadamente) ){0,2}(?:"
_SEES_ES = re.compile(r"(?<![\w\\])ve (?=[\w(])")


def in_first_person(pattern: str) -> str:
    """A pattern that matches what patients write of themselves, too ("in my chest", "me falta el
    aire")."""
    pattern = _THIRD_PERSON_ES.sub("(?:le|me) ", _THIRD_PERSON.sub("his|her|my", pattern))
    pattern = _AGO_ES.sub(lambda _: _ABOUT_ES, pattern)
    return _SEES_ES.sub("veo? ", pattern)


class PatternBook:
    """Patterns over folded sentences, by name. A sentence is tried against those of which it holds
    a word or a part of one that they cannot match without, and against those that need none: of
    five hundred signs a sentence meets a handful."""

    def __init__(
        self,
        patterns: Iterable[tuple[str, str]],
        completed: Callable[[str, str], str] = lambda name, pattern: pattern,
    ) -> None:
        """patterns: name and regular expression, without flags; several may have one name.
        completed: what a pattern is put into before it is tried, from its name and itself."""
        self._patterns = [*patterns]
        self._completed = completed
        self._compiled: dict[int, re.Pattern[str]] = {}
        self._always: list[int] = []
        self._by_key: dict[str, list[tuple[str, int]]] = {}
        for number, (_, pattern) in enumerate(self._patterns):
            needed = needed_texts(pattern)
            if not needed:
                self._always.append(number)
            for text in needed:
                self._by_key.setdefault(text[:_KEY], []).append((text, number))
        self._of_word: dict[str, frozenset[int]] = {}

    def matches_in(self, folded: str) -> Iterator[tuple[str, re.Match[str]]]:
        """Every match, with the name of its pattern, in the order of the patterns."""
        numbers = set(self._always)
        for word in set(_WORD.findall(folded)):
            numbers |= self._raised_by(word)
        for number in sorted(numbers):
            name, text = self._patterns[number]
            # a note needs few of them, and to compile all takes half a second
            pattern = self._compiled.get(number) or self._compiled.setdefault(
                number, re.compile(self._completed(name, text))
            )
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


def needed_texts(pattern: str) -> frozenset[str]:
    """Texts of small letters and digits of which every match of a pattern holds at least one; none
    if there are no such texts."""
    return _needed(parser.parse(pattern)) or frozenset()


def _needed(sequence: parser.SubPattern) -> frozenset[str] | None:
    """Of all that stands behind one another in a pattern, what tells most: texts whose shortest is
    the longest."""
    best: frozenset[str] | None = None
    literal = ""
    for kind, value in (*sequence.data, (None, None)):
        if kind is kinds.LITERAL and value in _LETTERS:
            literal += chr(value)
            continue
        for option in (frozenset((literal,)) if literal else None, _needed_by(kind, value)):
            if option and (best is None or _telling(option) > _telling(best)):
                best = option
        literal = ""
    return best


def _needed_by(kind: Any, value: Any) -> frozenset[str] | None:
    if kind is kinds.SUBPATTERN:
        return _needed(value[-1])
    if kind is kinds.BRANCH:
        branches = [_needed(branch) for branch in value[1]]
        return None if None in branches else frozenset().union(*branches)  # type: ignore[arg-type]
    if kind in (kinds.MAX_REPEAT, kinds.MIN_REPEAT) and value[0]:
        return _needed(value[2])
    if kind is kinds.ASSERT:
        return _needed(value[1])
    return None


def _telling(texts: frozenset[str]) -> tuple[int, int]:
    return min(map(len, texts)), -len(texts)
