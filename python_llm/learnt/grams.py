"""The phrases and the parts of words of a text, as numbers that a linear model learns from."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from python_llm.learnt.lessons import Arrays, Weights, as_array, as_texts
from python_llm.parsing.folding import fold_in_place

MOST_WORDS = 3  # of a phrase
PART_LENGTH = 4  # characters of a part of a word
RAREST = 2  # texts that a phrase or a part must stand in to count
# of a logistic regression on grams: the default stops before it is there, by how much depends on
# the rows
SOLVER = "newton-cg"

# a word, a number, or a sign that changes what a sentence says
_WORD = re.compile(r"[a-z]+(?:'[a-z]+)?|\d+(?:[.,/]\d+)*|[?!:]")
_CLAUSE_END = re.compile(r"[.;,](?=\s|$)|\b(?:but|pero)\b")
_DENIALS = frozenset(("no", "not", "without", "never", "nor", "sin", "nunca", "ni", "niega"))
_DIGIT = re.compile(r"\d")


@dataclass(frozen=True, slots=True)
class Word:
    """A word, a number or a sign at characters [start, end) of a text."""

    start: int
    end: int
    text: str  # folded; every digit is a #
    is_denied: bool


@dataclass(frozen=True, slots=True)
class Gram:
    """A phrase or a part of a word, and the words [first, last) that it is of."""

    text: str
    first: int
    last: int


def words_of(text: str) -> list[Word]:
    """The words of a composed text, and after each clause a full stop."""
    folded = fold_in_place(text)
    words: list[Word] = []
    ends = [match.start() for match in _CLAUSE_END.finditer(folded)]
    for first, last in pairwise([0, *ends, len(folded)]):
        is_denied = False
        for match in _WORD.finditer(folded, first, last):
            name = _DIGIT.sub("#", match[0])
            words.append(Word(*match.span(), name, is_denied))
            is_denied = is_denied or name in _DENIALS or name.endswith("n't")
        words.append(Word(last, last, ".", is_denied=False))
    return words


def phrases(words: Sequence[Word]) -> Iterator[Gram]:
    """Up to MOST_WORDS words in a row; one behind a denial in its clause is another word."""
    texts = [f"!{word.text}" if word.is_denied else word.text for word in words]
    for length in range(1, MOST_WORDS + 1):
        for first in range(len(words) - length + 1):
            yield Gram(" ".join(texts[first : first + length]), first, first + length)


def parts(words: Sequence[Word]) -> Iterator[Gram]:
    """The parts of every word, whose edges are blanks: what its inflections share."""
    for number, word in enumerate(words):
        text = f" {word.text} "
        for at in range(len(text) - PART_LENGTH + 1):
            yield Gram(text[at : at + PART_LENGTH], number, number + 1)


# each is weighed apart, so that the many parts do not drown the phrases
BLOCKS: tuple[Callable[[Sequence[Word]], Iterator[Gram]], ...] = (phrases, parts)
PARTS = BLOCKS.index(parts)


@dataclass(frozen=True)
class Block:
    """numbers: of the grams that count. rarity: of each gram, the rarer the higher."""

    numbers: Mapping[str, int]
    rarity: Weights

    def measured(self, grams: Iterable[Gram]) -> tuple[list[int], Weights, list[list[Gram]]]:
        """The numbers of the grams of one note that count, how much it has of each (a vector of
        length 1), and where each stands."""
        places: dict[int, list[Gram]] = {}
        for gram in grams:
            if (number := self.numbers.get(gram.text)) is not None:
                places.setdefault(number, []).append(gram)
        counts = np.array([len(stands) for stands in places.values()], np.float32)
        values = (1 + np.log(counts)) * self.rarity[[*places]]
        length = float(np.sqrt(values @ values))
        return [*places], values / (length or 1), [*places.values()]


def learnt_blocks(texts: Sequence[Sequence[Word]]) -> tuple[tuple[Block, ...], list[Any]]:
    """The blocks of grams that texts teach, and of each block the (text, gram) matrix, sparse."""
    # needed to learn alone: it takes a second to import
    from sklearn.feature_extraction.text import TfidfVectorizer

    blocks, matrices = [], []
    for grams_of in BLOCKS:
        vectors = TfidfVectorizer(
            analyzer=lambda words, of=grams_of: [gram.text for gram in of(words)],
            sublinear_tf=True,
            min_df=RAREST,
            dtype=np.float32,
        )
        matrices.append(vectors.fit_transform(texts))
        names = vectors.get_feature_names_out().tolist()
        blocks.append(
            Block(dict(zip(names, range(len(names)), strict=True)), vectors.idf_.astype(np.float32))
        )
    return tuple(blocks), matrices


def packed(blocks: Iterable[Block]) -> dict[str, Any]:
    """Blocks as arrays."""
    arrays: dict[str, Any] = {}
    for number, block in enumerate(blocks):
        arrays |= {f"grams_{number}": as_array(block.numbers), f"rarity_{number}": block.rarity}
    return arrays


def unpacked(arrays: Arrays) -> tuple[Block, ...]:
    """The blocks that `packed` was given."""
    grams = [as_texts(arrays[f"grams_{number}"]) for number in range(len(BLOCKS))]
    return tuple(
        Block(dict(zip(names, range(len(names)), strict=True)), arrays[f"rarity_{number}"])
        for number, names in enumerate(grams)
    )
