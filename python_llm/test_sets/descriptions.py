"""Rows below a header that say what its columns are: the questions of a survey, types, units."""

import re
from collections.abc import Collection, Mapping, Sequence

from python_llm.imports.cells import as_written, text
from python_llm.imports.headings import kind_of, words_of
from python_llm.imports.numbered_rows import Row
from python_llm.parsing.folding import column_key
from python_llm.test_sets.columns import NAMES

REASON = "a row that describes the columns, which is no case: nothing is lost by it"
MOST = 2  # such rows below a header
LEAST_BELOW = 3  # rows that tell what a column holds
MOST_WORDS = 4  # of a title of a column of texts
_NUMBER = re.compile(r"\s*-?\d+(?:[.,]\d+)?\s*")
_IMPORT_ID = re.compile(r"""\s*\{\s*["']+ImportId["']+\s*:""")  # of Qualtrics
_IN_BRACKETS = re.compile(r"\s*(?:\(.*\)|\[.*\]|<.*>)\s*", re.DOTALL)
_TYPES = words_of(
    "str string text free_text int int64 integer float float64 double number numeric"
    " date datetime varchar char character bool boolean factor category object id"
    " texto numero fecha"
)
_GOLDS = {name for names in NAMES["gold_names"] for name in names}


def rows_of(sample: Sequence[Row], columns: Collection[str], golds: Collection[str]) -> set[int]:
    """The lines of such rows among the first ones; `columns`, by folded name, are those that are
    read, and `golds` those of the gold diagnosis."""
    described: set[int] = set()
    for at, (line, values) in enumerate(sample[:MOST]):
        folded = {column_key(name): value for name, value in values.items() if name}
        cells = [written for name in columns if (written := text(folded.get(name)))]
        if any(map(_IMPORT_ID.match, map(as_written, values.values()))):
            described |= {line, *(row.number for row in sample[:at])}
        elif at == len(described) and (
            _are_marks(cells)
            or _is_heading(folded, golds)
            or _names_units([values, *(row.values for row in sample[at + 1 :])])
        ):
            described.add(line)
    return described if len(described) < len(sample) else set()


def _names_units(rows: Sequence[Mapping[str, object]]) -> bool:
    """Whether the first of some rows has a word where all others have numbers ('years'), and a few
    words where they have whole texts ('free text')."""
    first, others = rows[0], rows[1:]
    has_unit = has_title = False
    for name, value in first.items():
        written = text(value)
        below = [cell for row in others if (cell := text(row.get(name)))]
        if not written or len(below) < LEAST_BELOW:
            continue
        if all(map(_NUMBER.fullmatch, below)) and not any(map(str.isdigit, written)):
            has_unit = True
        if (
            len(written.split()) <= MOST_WORDS
            and min(len(cell.split()) for cell in below) > 2 * MOST_WORDS
        ):
            has_title = True
    return has_unit and has_title


def _are_marks(cells: list[str]) -> bool:
    """Whether the cells are all in brackets, or all names of types."""
    return len(cells) > 1 and (
        all(map(_IN_BRACKETS.fullmatch, cells)) or all(column_key(cell) in _TYPES for cell in cells)
    )


def _is_heading(folded: dict[str, object], golds: Collection[str]) -> bool:
    """Whether the gold diagnosis of a row is a heading of one."""
    for written in filter(None, (text(folded.get(name)) for name in golds)):
        kind = kind_of(written)
        if column_key(written) in _GOLDS or (kind and kind[0] == "gold_names"):
            return True
    return False
