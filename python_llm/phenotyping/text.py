"""A clinical note as words and sentences, positions counted in characters of the note."""

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from typing import NamedTuple

LONGEST_NOTE = 1_000_000  # characters: a longer one is refused by whoever reads one patient


def word_set(words: str) -> frozenset[str]:
    """The words of a text as a set."""
    return frozenset(words.split())


# a word, a number or a sign; wards write "-ve" and "+ve" for negative and positive
_TOKEN = re.compile(r"[-+]ve\b|\d+(?:[.,]\d+)*|[^\W\d_]+(?:'[^\W\d_]+)?|[^\w\s]|_")
_WORD = re.compile(r"[^\W_]")
_STOP = re.compile(r"[.!?…]+[\"')\]]*(?=\s)|\n")
_BULLET = re.compile(r"\s*(?:[-*•·–+]\s|\(?\d{1,2}[.)]\s|[A-ZÁÉÍÓÚÑÜ¿¡])")
# a line that tells the age or sex begins anew where the line ahead is a heading ("Triage")
_WHO = re.compile(
    r"\s*\d{1,3} ?(?:[MFVHmfvh]\b|[- ]?(?:years?|yrs?|yo|y/o|y|months?|weeks?|days?|años?|meses|"
    r"semanas|días|a)\b)"
)
_LONGEST_HEADING = 45
_HEADING = re.compile(r"\s*[^\W\d_][^:.;,\n]{1,45}:")
# a line that ends in one of these continues on the next
_UNFINISHED = re.compile(
    r"(?:[,;:/(-]|\b(?:and|or|with|of|the|no|y|o|con|de|del|la|el|sin|ni))\s*$"
)
_ABBREVIATIONS = word_set(
    "dr dra sr sra srta mr mrs ms vs approx aprox fig st e.g i.e eg ie ej p.ej izq dcho dcha pte "
    "pt hx dx tx rx prof ing cf ca"
)
# these end a sentence too, unless a small letter follows ("labio sup. y lengua")
_SHORTENED = word_set(
    "sup inf izdo izda izqdo izqda ext int lat ant post bilat abd aprox antec incl resp temp est"
)
# characters; a sentence without an end (a list, a scanned page) is cut here
LONGEST_SENTENCE = 1500


class Token(NamedTuple):
    """A word of a note: its characters [start, end) and its folded form."""

    start: int
    end: int
    word: str


class Sentence(NamedTuple):
    """A sentence of a note: its characters [start, end). `is_heading`: it opens a section
    ("Examination: …"). `follows_blank`: an empty line precedes it."""

    start: int
    end: int
    is_heading: bool
    follows_blank: bool


def tokens_of(folded: str) -> list[Token]:
    """The words and signs of a folded text."""
    return [Token(match.start(), match.end(), match.group()) for match in _TOKEN.finditer(folded)]


def _ends(note: str) -> Iterator[int]:
    """Where each sentence ends, in characters; the end of the note comes last."""
    since = 0
    for stop in _STOP.finditer(note):
        end = stop.end()
        if stop.group() == "\n":
            # the end of the line is enough: no word that leaves it hanging is longer
            line = note[max(since, stop.start() - 80) : stop.start()].rstrip()[-8:]
            after = note[end : end + 40]
            if after.strip(" \t") and not after.lstrip(" \t").startswith("\n"):
                is_heading_ahead = stop.start() - since <= _LONGEST_HEADING and _WHO.match(after)
                goes_on = not _BULLET.match(after) or _UNFINISHED.search(line.lower())
                if goes_on and not _HEADING.match(after) and not is_heading_ahead:
                    continue
        elif stop.group() == ".":
            before = note[max(since, stop.start() - 12) : stop.start()]
            word = next(reversed(before[before.rfind("(") + 1 :].split()), "").lower()
            if word in _ABBREVIATIONS or (len(word) == 1 and word.isalpha()):
                continue
            if word in _SHORTENED and note[stop.end() : stop.end() + 2].strip()[:1].islower():
                continue
        while end - since > LONGEST_SENTENCE:
            cut = note.rfind(" ", since + 1, since + LONGEST_SENTENCE)
            since = cut if cut > since else since + LONGEST_SENTENCE
            yield since
        yield end
        since = end
    while len(note) - since > LONGEST_SENTENCE:
        cut = note.rfind(" ", since + 1, since + LONGEST_SENTENCE)
        since = cut if cut > since else since + LONGEST_SENTENCE
        yield since
    yield len(note)


def sentences_of(note: str) -> Iterator[Sentence]:
    """The sentences of a composed note in order, without those that hold no word.

    A line break ends a sentence if the next line begins like one (a capital, a bullet, a heading)
    and this line is not left hanging; lines wrapped by a machine stay together.
    """
    start = 0
    was_blank = False
    for end in _ends(note):
        if _WORD.search(note, start, end):
            is_heading = _HEADING.match(note, start, end) is not None
            yield Sentence(start, end, is_heading, was_blank)
            was_blank = False
        elif start < end:
            was_blank = True
        start = end


def covering(tokens: Sequence[Token], start: int, end: int) -> tuple[int, int]:
    """The half-open range of tokens that characters [start, end) of their text touch."""
    starts = [token.start for token in tokens]
    first = bisect_left(starts, start)
    if first and tokens[first - 1].end > start:
        first -= 1
    return first, bisect_left(starts, end)
