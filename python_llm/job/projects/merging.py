"""Puts a user's changes of a file and those of a release together, where they do not collide.

Both know the file as it was before (`before`). None means that a person has to look.
"""

import csv
import io
from collections import Counter
from collections.abc import Sequence
from difflib import SequenceMatcher
from itertools import pairwise
from typing import NamedTuple

Rows = list[tuple[str, ...]]


class Edit(NamedTuple):
    """These lines take the place of those from `start` to `end`."""

    start: int
    end: int
    lines: tuple[str, ...]


def merged_lines(before: bytes, own: bytes, now: bytes) -> bytes | None:
    """Of a text: the release's with the lines that the user has changed; None if both have changed
    the same lines, or lines without one between them."""
    try:
        texts = [content.decode().splitlines(keepends=True) for content in (before, own, now)]
    except UnicodeDecodeError:
        return None
    old, mine, theirs = texts
    edits = sorted({*_edits(old, mine), *_edits(old, theirs)})
    if any(first.end >= second.start for first, second in pairwise(edits)):
        return None
    for edit in reversed(edits):
        old[edit.start : edit.end] = edit.lines
    return "".join(old).encode()


def merged_rows(before: bytes, own: bytes, now: bytes) -> bytes | None:
    """Of a table: the release's with the rows that the user has added and without those the user
    has taken out, wherever they stand. A column that the release has added is empty in the user's
    rows. None if the release has changed a row that the user has changed, if both have added a row
    of one first value, or if the columns are not those the user saw.
    """
    try:
        tables = [_table(content) for content in (before, own, now)]
    except (UnicodeDecodeError, csv.Error, StopIteration):
        return None
    (columns, old), (own_columns, mine), (columns_now, theirs) = tables
    if own_columns != columns or not {*columns} <= {*columns_now}:
        return None
    removed = Counter(old) - Counter(mine)
    added = [row for row, n in (Counter(mine) - Counter(old)).items() for _ in range(n)]
    indexes = [columns_now.index(name) for name in columns]
    rows = []
    for row in theirs:
        as_known = tuple(row[index] for index in indexes)
        if removed[as_known]:
            removed[as_known] -= 1
        else:
            rows.append(row)
    is_key = len({row[0] for row in theirs}) == len(theirs)
    names = {row[0] for row in rows}
    if +removed or (is_key and any(row[0] in names for row in added)):
        return None
    for row in added:
        values = dict(zip(columns, row, strict=True))
        rows.append(tuple(values.get(name, "") for name in columns_now))
    return _written(columns_now, rows, now)


def _edits(before: Sequence[str], after: Sequence[str]) -> list[Edit]:
    matcher = SequenceMatcher(a=before, b=after, autojunk=False)
    return [
        Edit(start, end, tuple(after[first:last]))
        for tag, start, end, first, last in matcher.get_opcodes()
        if tag != "equal"
    ]


def _table(content: bytes) -> tuple[list[str], Rows]:
    rows = csv.reader(io.StringIO(content.decode(), newline=""), strict=True)
    columns = next(rows)
    return columns, [tuple(row) for row in rows if len(row) == len(columns)]


def _written(columns: Sequence[str], rows: Rows, like: bytes) -> bytes:
    """A table with the line ends of `like`."""
    written = io.StringIO()
    writer = csv.writer(written, lineterminator="\r\n" if b"\r\n" in like else "\n")
    writer.writerows([columns, *rows])
    return written.getvalue().encode()
