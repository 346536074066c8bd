"""Whether the ranks of gold diagnoses are counted from 1, with 0 for absent, or from 0."""

import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from python_llm.errors import FileError
from python_llm.imports.numbered_rows import Row
from python_llm.parsing.folding import name_key
from python_llm.parsing.ordinals import RANK_NOUNS
from python_llm.registries.label_spelling import says_nothing

A_NUMBER = re.compile(r"(-?\d{1,2})(?:[.,]0+)?")
A_SIGN = re.compile(
    rf"^\s*(?:#|n[º°o]\.?|nr\.|{RANK_NOUNS}\s)\s*(?=\d)",
    re.IGNORECASE,
)  # of a number: #2, 'Rank 2'
ABSENT = "P0"


class Cell(NamedTuple):
    """What a column says of a list, and at which ranks the list has the gold diagnosis by name."""

    row: Row
    written: str
    ranks: Sequence[int]


def ranks_by_name(golds: Iterable[str], diagnoses: Iterable[tuple[int, str]]) -> list[int]:
    """The ranks at which a list has one of the gold names, word for word."""
    names = {name_key(gold) for gold in golds}
    return [rank for rank, diagnosis in diagnoses if name_key(diagnosis) in names]


def first_rank(cells: Sequence[Cell], column: str, file: str, asked: int | None) -> int:
    """The number of the first rank in a column of bare numbers: as `asked` (--ranks-from), or 1.
    Raises FileError where the numbers are counted from 0, or may be, and nobody said so."""
    numbers = [(cell, number) for cell in cells if (number := _number(cell.written)) is not None]
    if asked is not None or not any(number == 0 for _, number in numbers):
        return 1 if asked is None else asked
    either = (
        "say --ranks-from 0 if 0 is the first diagnosis, or --ranks-from 1 if 0 means that the "
        "gold diagnosis is absent."
    )
    if any(number < 0 for _, number in numbers):
        raise FileError(f"{file}: '{column}' has 0 and -1, so 0 may be the first rank: {either}")
    n_later = sum(number + 1 in cell.ranks for cell, number in numbers)
    n_there = sum(number in cell.ranks for cell, number in numbers)
    if n_later > n_there:
        raise FileError(
            f"{file}: in {n_later} of {len(numbers)} lists the gold diagnosis stands by name one "
            f"rank behind the number in '{column}', as if the first rank were 0: {either}"
        )
    is_open = any(says_nothing(cell.written) for cell in cells)
    if is_open and not n_there and len(numbers) == sum(map(_is_bare, cells)):
        raise FileError(
            f"{file}: '{column}' has 0 beside empty cells, and either may be what stands for a "
            f"diagnosis that is absent: {either}"
        )
    return 1


def as_grade(written: str, first: int) -> str:
    """A bare number as a grading that counts from 1; what is none is returned unchanged."""
    number = _number(written)
    if number is None:
        return written
    if number < 0:
        return ABSENT
    return f"P{number + 1}" if first == 0 else written


def _number(written: str) -> int | None:
    match = A_NUMBER.fullmatch(A_SIGN.sub("", written).strip())
    return int(match[1]) if match and int(match[1]) >= -1 else None


def _is_bare(cell: Cell) -> bool:
    return not says_nothing(cell.written)
