"""Which row of a table is its header, and what its columns are called."""

from collections import Counter
from collections.abc import Collection, Iterable
from pathlib import Path
from typing import Any

from python_llm.errors import FileError
from python_llm.imports.cells import as_written
from python_llm.parsing.folding import column_key

LONGEST_NAME = 200  # characters of a column name
# how far down a header may stand
HEADER_ROWS = 20


def n_known(fields: Iterable[Any], wanted: Collection[str]) -> int:
    """How many of the names wanted a row has, or names of nothing but such words and numbers."""
    return len(of_wanted(fields, wanted))


def of_wanted(fields: Iterable[Any], wanted: Collection[str]) -> set[str]:
    """Which names of a row are wanted; no name is as long as a text."""
    names = {column_key(field) for field in fields if len(str(field)) <= LONGEST_NAME}
    return {name for name in names if name in wanted or _tells(name.split("_"), wanted)}


def _tells(words: list[str], wanted: Collection[str]) -> bool:
    """Whether a name is made of words that are wanted, numbers aside: 'Evaluador 1'."""
    names_written = [word for word in words if word and not word.isdigit()]
    return bool(names_written) and all(word in wanted for word in names_written)


def without_header(file: Path, wanted: Collection[str], kind: str = "") -> FileError:
    if kind:
        return FileError(
            f"{file.name} is {kind}; CSV, Excel, JSON, JSON lines and Parquet are read: export it "
            "as one of them, or as a table with a row for each case."
        )
    return FileError(
        f"{file.name} has no header with names that are known ({', '.join(list(wanted)[:8])}, …): "
        "give it a first row of column names, or say which column is which with --column "
        "FIELD=NAME."
    )


def is_header(fields: Iterable[str], header: Iterable[str]) -> bool:
    """Whether a row repeats the header, as the pages of a printed table do."""
    return [column_key(field) for field in fields] == [column_key(name) for name in header]


def names_of_header(
    top: list[list[Any]], row_index: int, wanted: Collection[str], *, is_spanned: bool = False
) -> tuple[list[str], int]:
    """Column names, and how many rows they take up, the found row at `row_index` included.
    `is_spanned`: a cell of that row is merged over several columns.

    A header of two rows has a name over several columns: 'Anna' over 'relation' and 'severity' is
    'Anna relation', 'Anna severity'. The row found may be either of the two.
    """
    names = [as_written(cell).strip() for cell in top[row_index]]
    above = [as_written(cell).strip() for cell in top[row_index - 1]] if row_index else []
    below = (
        [as_written(cell).strip() for cell in top[row_index + 1]]
        if len(top) > row_index + 1
        else []
    )
    under_nothing = {below[n] for n, name in enumerate(names[: len(below)]) if not name} - {""}
    # a row of values has its first cells filled, where the names of one column stand
    is_of_names = (
        below[:1] == [""]
        or (below[:1] == names[:1] and names[0] != "")
        or (n_known(below[:1], wanted) and n_known(below, wanted) > 1)
    )
    counts = _counts_ranks(names, below) or _counts_options(names, below)
    if under_nothing and is_of_names and (n_known(below, wanted) or counts or is_spanned):
        over = _spread(names)
        below = ["" if sub == name else sub for sub, name in zip(below, over, strict=False)]
        if not _counts_options(names, below):
            below = [f"rank {sub}" if sub.isdecimal() else sub for sub in below]
        return _unique(
            [
                f"{over[n]} {sub}" if sub else names[n]
                for n, sub in enumerate(_as_long(below, names))
            ]
        ), 2
    if sum(map(bool, above)) > 1 and not n_known(above, wanted) > n_known(names, wanted):
        names = _under(names, _as_long(above, names), wanted)
    repeated = {name for name, n in Counter(names).items() if name and n > 1}
    if repeated and any(above):
        above = _as_long(above, names)
        if _counts_ranks(above[1:], names[1:]):
            names = [f"rank {name}" if name.isdecimal() else name for name in names]
            repeated = {name for name, n in Counter(names).items() if n > 1}
        names = [
            f"{over} {name}".strip() if name in repeated else name or own
            for name, over, own in zip(names, _spread(above), above, strict=True)
        ]
    return _unique(names), 1


def _under(names: list[str], above: list[str], wanted: Collection[str]) -> list[str]:
    """The names of a header whose upper row names columns that the lower one leaves empty ('Caso')
    or says only in part ('Diagnóstico' over 'Principal')."""
    whole = []
    for name, over, own in zip(names, _spread(above), above, strict=True):
        both = f"{over} {name}".strip()
        is_part = name and not n_known([name], wanted) and column_key(both) in wanted
        whole.append(both if is_part else name or own)
    return whole


def _counts_ranks(names: list[str], below: list[str]) -> bool:
    """Whether what stands below names over several columns each counts them from 1."""
    groups: dict[str, list[str]] = {}
    for over, sub in zip(_spread(names), below, strict=False):
        if sub and sub != over:
            groups.setdefault(over, []).append(sub)
    return len(groups) > 1 and all(
        group == [str(n) for n in range(1, len(group) + 1)] for group in groups.values()
    )


def _counts_options(names: list[str], below: list[str]) -> bool:
    """Whether below one name over several columns stand A, B, C … or 1, 2, 3 …, and no other name
    has such."""
    groups: dict[str, list[str]] = {}
    for over, sub in zip(_spread(names), below, strict=False):
        if len(sub) == 1 and sub != over:
            groups.setdefault(over, []).append(sub.upper())
    (group,) = groups.values() if len(groups) == 1 else ([],)
    in_order = "".join(group)
    return len(group) > 2 and in_order in ("ABCDEFGHIJ"[: len(group)], "123456789"[: len(group)])


def _spread(names: list[str]) -> list[str]:
    """Each name over the empty cells right of it too, as it is written once over several."""
    over: list[str] = []
    for name in names:
        over.append(name or (over[-1] if over else ""))
    return over


def _as_long(cells: list[str], others: list[str]) -> list[str]:
    return [*cells, *[""] * (len(others) - len(cells))][: len(others)]


def _unique(header: list[str]) -> list[str]:
    """Column names without repeats: a second 'TA' is 'TA (2)'."""
    seen: dict[str, int] = {}
    names = []
    for name in header:
        seen[name] = seen.get(name, 0) + 1
        names.append(name if seen[name] == 1 or not name else f"{name} ({seen[name]})")
    return names
