"""Rows of a table, each with its number, and how a person finds them in a file."""

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

# line of a text file, row of a sheet, place of an item; field; reason
Reject = Callable[[int | None, str, str], None]


class Row(NamedTuple):
    """One row. `number` is its line in a text file, its row in a sheet, otherwise its place from 1
    on; `values` has texts by column name, from JSON and Parquet any value."""

    number: int
    values: dict[str, Any]


Rows = Iterator[Row]
EXCEL = (".xlsx", ".xlsm", ".xlsb", ".xls", ".ods")
PARQUET = (".parquet", ".pq")
JSON_LINES = (".jsonl", ".ndjson")
HEADER_AGAIN = "the header again, which is no case: nothing is lost by it"
SHEET_UNREAD = "sheet"  # field of a report on a sheet that is not read
# the column that says which sheet a row is of, where several are one table
SHEET = "sheet"


def place(file: Path | str, number: int | None) -> str:
    """Where something stands, as a person finds it: 'a.csv, line 3', 'a.xlsx, row 3'. The macro
    place_in_file says it the same way in the marts."""
    name = file if isinstance(file, str) else file.name
    return name if number is None else f"{name}, {numbered(file, number)}"


def sheet_of(values: Mapping[str, Any]) -> str:
    """What to say behind a reason of the sheet a row is of, where several are one table and each
    has a row of its number; '' for others."""
    name = str(values.get(SHEET) or "").strip()
    return f" (sheet '{name[:40]}')" if name else ""


def numbered(file: Path | str, number: int) -> str:
    """'line 3', 'row 3' or 'item 3', as the kind of file counts."""
    suffix = Path(file).suffix.lower()
    unit = "row" if suffix in (*EXCEL, *PARQUET) else "item" if suffix == ".json" else "line"
    return f"{unit} {number}"
