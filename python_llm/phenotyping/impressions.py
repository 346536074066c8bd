"""What a note reads like as a whole, learnt from the project's own notes.

The rules know an emergency or an illness by the words that seeds list; whoever words it otherwise
is not heard. This second reader lists nothing. It has learnt from the seed example_notes: from
notes of an emergency of now, from notes with the same words of the past, denied, of somebody else,
asked about or taught, and from notes of illnesses that can wait. A logistic regression over phrases
and parts of words says how much a note reads like the first, and a linear classifier over parts of
words which emergencies and which illnesses come nearest. How often it is right, on notes it has not
learnt from: benchmarks/impressions.py.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from python_llm.learnt import grams
from python_llm.learnt.grams import (
    BLOCKS,
    PARTS,
    SOLVER,
    Block,
    Word,
    learnt_blocks,
    packed,
    unpacked,
    words_of,
)
from python_llm.learnt.lessons import MARKED, Arrays, Lesson, Row, Weights, as_array, as_texts
from python_llm.parsing import folding
from python_llm.parsing.folding import composed

NOW = "now"  # the status of a note of an emergency of this patient, now
FEWEST_WORDS = 15  # of a note that is judged as a whole: fewer are left to the rules
QUOTED_WORDS = 12  # at most of a note
N_KINDS = 3  # nearest that are named
# how strictly the weights are kept small: chosen on example_notes, out of fold
_URGENCY_C, _KIND_C = 10.0, 0.3


@dataclass(frozen=True, slots=True)
class Impression:
    """How a note reads. urgency: 0 to 1, how much like an emergency of now. emergencies, illnesses:
    the nearest, the nearest first, each with its margin (above 0: more like it than like all
    others). span: the characters of the words that speak most for an emergency. n_words: of the
    note."""

    urgency: float
    emergencies: tuple[tuple[str, float], ...]
    illnesses: tuple[tuple[str, float], ...]
    span: tuple[int, int]
    n_words: int


@dataclass(frozen=True)
class Kinds:
    """Kinds of notes. weights: (part, kind). of_none: (kind,), the margins of an empty note."""

    names: tuple[str, ...]
    weights: npt.NDArray[np.float16]
    of_none: Weights

    def nearest(self, numbers: Sequence[int], values: Weights) -> tuple[tuple[str, float], ...]:
        """The nearest kinds of a note with so much of these parts, with their margins."""
        if not self.names:
            return ()
        margins = values @ self.weights[numbers].astype(np.float32) + self.of_none
        order = np.argsort(-margins, kind="stable")[:N_KINDS]
        return tuple((self.names[kind], float(margins[kind])) for kind in order)


@dataclass(frozen=True)
class Impressions:
    """What was learnt. urgency: of each block, how much each gram speaks for an emergency of now,
    and of_none for a note without any."""

    blocks: tuple[Block, ...]
    urgency: tuple[Weights, ...]
    of_none: float
    emergencies: Kinds
    illnesses: Kinds

    def of(self, note: str) -> Impression | None:
        """How a note reads; None for one of fewer than FEWEST_WORDS words, or none that counts."""
        note = composed(note)
        words = words_of(note)
        n_words = sum(word.text[0].isalpha() for word in words)
        if n_words < FEWEST_WORDS:
            return None
        margin = self.of_none
        by_word = np.zeros(len(words))
        parts: tuple[list[int], Weights] = [], np.zeros(0, np.float32)
        for number, (block, weights) in enumerate(zip(self.blocks, self.urgency, strict=True)):
            numbers, values, places = block.measured(BLOCKS[number](words))
            shares = values * weights[numbers]
            margin += float(shares.sum())
            for share, stands in zip(shares, places, strict=True):
                for gram in stands:
                    of_each = float(share) / len(stands) / (gram.last - gram.first)
                    by_word[gram.first : gram.last] += of_each
            if number == PARTS:
                parts = numbers, values
        if not parts[0]:
            return None
        return Impression(
            urgency=1 / (1 + math.exp(-margin)),
            emergencies=self.emergencies.nearest(*parts),
            illnesses=self.illnesses.nearest(*parts),
            span=_most_telling(words, by_word),
            n_words=n_words,
        )


def _most_telling(words: Sequence[Word], weights: npt.NDArray[np.float64]) -> tuple[int, int]:
    """The characters of the words in a row that together say most, at most QUOTED_WORDS."""
    sums = np.concatenate([[0.0], np.cumsum(weights)])
    _, first, last = max(
        (sums[last] - sums[first], -first, last)
        for first in range(len(words))
        for last in range(first + 1, min(first + QUOTED_WORDS, len(words)) + 1)
    )
    row = words[-first:last]
    spoken = [word for word in row if word.text[0].isalnum()] or row
    return spoken[0].start, spoken[-1].end


def learnt(rows: Sequence[Row]) -> Impressions:
    """What rows of example_notes teach: note, status, emergency and picture, of which the last two
    may be empty."""
    # needed to learn alone: these take a second to import
    from scipy.sparse import hstack
    from sklearn.linear_model import LogisticRegression

    blocks, matrices = learnt_blocks([words_of(composed(row["note"])) for row in rows])
    urgency = LogisticRegression(C=_URGENCY_C, class_weight="balanced", solver=SOLVER)
    urgency.fit(hstack(matrices).tocsr(), [row["status"] == NOW for row in rows])
    of_gram = urgency.coef_[0].astype(np.float32)
    n_phrases = matrices[0].shape[1]
    return Impressions(
        blocks=blocks,
        urgency=(of_gram[:n_phrases], of_gram[n_phrases:]),
        of_none=float(urgency.intercept_[0]),
        emergencies=_kinds(matrices[PARTS], [first_of(row["emergency"]) for row in rows]),
        illnesses=_kinds(matrices[PARTS], [row["picture"] or "" for row in rows]),
    )


def first_of(emergencies: str | None) -> str:
    """The first of the emergencies that a row names; empty if it names none."""
    return (emergencies or "").partition(";")[0]


def _kinds(parts: Any, kinds: Sequence[str]) -> Kinds:
    """What notes with these parts (a sparse matrix) teach of their kinds; a note without a kind
    teaches nothing."""
    from sklearn.svm import LinearSVC

    named = [number for number, kind in enumerate(kinds) if kind]
    if len({kinds[number] for number in named}) < 3:  # of two kinds it keeps one row of weights
        return Kinds((), np.zeros((parts.shape[1], 0), np.float16), np.zeros(0, np.float32))
    machine = LinearSVC(C=_KIND_C, random_state=0)
    machine.fit(parts[named], [kinds[number] for number in named])
    return Kinds(
        tuple(map(str, machine.classes_)),
        np.ascontiguousarray(machine.coef_.T, np.float16),
        machine.intercept_.astype(np.float32),
    )


def _packed(made: Impressions) -> dict[str, Any]:
    arrays = packed(made.blocks) | {"of_none": np.array(made.of_none)}
    arrays |= {f"urgency_{number}": weights for number, weights in enumerate(made.urgency)}
    for name, kinds in (("emergencies", made.emergencies), ("illnesses", made.illnesses)):
        arrays |= {
            name: as_array(kinds.names),
            f"{name}_weights": kinds.weights,
            f"{name}_of_none": kinds.of_none,
        }
    return arrays


def _unpacked(arrays: Arrays) -> Impressions:
    def kinds(name: str) -> Kinds:
        weights = arrays[f"{name}_weights"]
        return Kinds(tuple(as_texts(arrays[name])), weights, arrays[f"{name}_of_none"])

    return Impressions(
        blocks=unpacked(arrays),
        urgency=tuple(arrays[f"urgency_{number}"] for number in range(len(BLOCKS))),
        of_none=float(arrays["of_none"]),
        emergencies=kinds("emergencies"),
        illnesses=kinds("illnesses"),
    )


LESSON = Lesson(
    name="impressions",
    columns=("note", "status", "emergency", "picture"),
    is_of=lambda row: row["status"] != MARKED,
    code=(Path(__file__), Path(grams.__file__), Path(folding.__file__)),
    learnt=learnt,
    packed=_packed,
    unpacked=_unpacked,
)
