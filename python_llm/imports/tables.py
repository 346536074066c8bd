"""Rows out of whatever people keep tables in: CSV, Excel, JSON, JSON lines, Parquet.

`read_rows` and `read_table` go on after a row that cannot be read and report it; `read_table` stops
at it if nobody takes the reports. No text about a row ever quotes a value: it may be clinical text.
"""

import io
import math
import re
from collections.abc import Callable, Collection, Iterable, Mapping
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from python_llm.errors import FileError
from python_llm.files import check_regular
from python_llm.imports import latex_tables, markup_tables
from python_llm.imports.cells import as_written, without_marks
from python_llm.imports.encodings import decode
from python_llm.imports.file_kinds import refuse_other_kinds
from python_llm.imports.header_rows import (
    HEADER_ROWS,
    is_header,
    n_known,
    names_of_header,
    without_header,
)
from python_llm.imports.json_rows import read_json
from python_llm.imports.markup_tables import is_markup
from python_llm.imports.numbered_rows import (
    EXCEL,
    HEADER_AGAIN,
    JSON_LINES,
    PARQUET,
    SHEET_UNREAD,
    Reject,
    Row,
    Rows,
    place,
)
from python_llm.imports.separated import LONGEST_FIELD, csv_rows, without_directives
from python_llm.imports.workbooks import sheet_rows
from python_llm.parsing.folding import column_key
from python_llm.parsing.json_text import flaw_of

LEAST_USABLE = 0.5  # share of rows below which a file is not what it is taken for
MOST_COLUMNS = 16_384  # as many as a sheet of Excel has
_CONTROL = re.compile(r"[\x01-\x08\x0e-\x1f]")  # no text has them


def read(file: Path) -> bytes:
    """The bytes of a file somebody brings. Raises FileError if there is no such file, nothing in
    it, or no file that ends (files.check_regular)."""
    check_regular(file)
    if not file.exists():
        raise FileError(f"{file} does not exist: check the path.")
    if file.is_dir():
        raise FileError(f"{file.name} is a folder: give a file, one import each.")
    content = file.read_bytes()
    if not content.strip():
        raise FileError(f"{file.name} is empty: give the file with its rows.")
    return content


def read_table(
    file: Path,
    wanted: Iterable[str],
    reject: Reject | None = None,
    note: Callable[[str], None] | None = None,
) -> list[Row]:
    """Every row of a table, every value as text: '' for none, 1 rather than 1.0, JSON for lists.

    `wanted` are the column names that may be met, the likeliest first; they tell the header and the
    separator. A JSON object around one list is that list. A row that cannot be read goes to
    `reject`, and what is said of a sheet to `note`. Raises FileError, with the line, for the first
    such row where there is no `reject` or more than half of the rows are such, and for a file that
    cannot be read at all.
    """
    unreadable: list[tuple[int | None, str, str]] = []

    def refused(number: int | None, field: str, reason: str) -> FileError:
        return FileError(f"{place(file, number)}: {field}: {reason}; correct it.")

    def set_aside(number: int | None, field: str, reason: str) -> None:
        if field == SHEET_UNREAD:
            if note is not None:
                note(f"{reason[0].upper()}{reason[1:]}.")
            return
        if reject is None:
            raise refused(number, field, reason)
        unreadable.append((number, field, reason))

    content = read(file)
    names = list(dict.fromkeys(column_key(name) for name in wanted))
    rows = list(read_rows(file, content, names, set_aside))
    n_given = len(rows) + len(unreadable)
    if unreadable and len(rows) < LEAST_USABLE * n_given:
        share = f"{len(unreadable)} of {n_given} rows cannot be read; the first: "
        raise FileError(f"{share if n_given > 1 else ''}{refused(*unreadable[0])}")
    if reject is not None:
        for number, field, reason in unreadable:
            reject(number, field, reason)
    if file.suffix.lower() == ".json" and len(rows) == 1:
        lists = [item for item in rows[0].values.values() if isinstance(item, list) and item]
        if len(lists) == 1 and all(isinstance(item, dict) for item in lists[0]):
            rows = [Row(number, item) for number, item in enumerate(lists[0], 1)]
    if not rows:
        raise FileError(f"{file.name} has no rows: nothing to import.")
    twice = [name for name in rows[0].values if f"{name} (2)" in rows[0].values]
    if twice:
        raise FileError(f"{file.name}: the column '{twice[0]}' is there twice: rename one.")
    return [
        Row(number, {str(name): without_marks(as_written(value)) for name, value in cells.items()})
        for number, cells in rows
    ]


def read_rows(file: Path, content: bytes, wanted: Collection[str], reject: Reject) -> Rows:
    """All rows of a table; `wanted`, folded column names, tell the header and the separator.

    What a file is, its first bytes say, whatever its name: spreadsheets are called .csv, tables of
    HTML .xls, and CSV .json. Raises FileError for a file that is damaged as a whole, is of another
    kind, has no header or more than MOST_COLUMNS columns. A row with a text of more than
    LONGEST_FIELD goes to `reject`.
    """
    return _bounded(file, _read_rows(file, content, wanted, reject), reject)


def _bounded(file: Path, rows: Rows, reject: Reject) -> Rows:
    """The rows that have neither too many columns nor too long a text."""
    for row in rows:
        # an object of objects is a list of rows by their ids, and not yet a row
        n_columns = sum(not isinstance(value, dict) for value in row.values.values())
        if n_columns > MOST_COLUMNS:
            raise FileError(
                f"{file.name} has {n_columns:,} columns, and at most {MOST_COLUMNS:,} are read: "
                "leave out those that are not needed."
            )
        if _longest(list(row.values.values())) > LONGEST_FIELD:
            reason = f"not read: a text has more than {LONGEST_FIELD:,} characters"
            reject(row.number, "record", reason)
        elif any(isinstance(v, float) and math.isinf(v) for v in row.values.values()):
            reject(row.number, "record", flaw_of(list(row.values.values())) or "")
        else:
            yield row


def _longest(value: Any) -> int:
    """How many characters the longest text in a value has, at any depth."""
    longest, left = 0, [value]
    while left:
        match left.pop():
            case str() as written:
                longest = max(longest, len(written))
            case dict() as fields:
                left.extend(fields.values())
            case list() as items:
                left.extend(items)
    return longest


def _read_rows(file: Path, content: bytes, wanted: Collection[str], reject: Reject) -> Rows:
    refuse_other_kinds(file, content)
    suffix = file.suffix.lower()
    is_named_excel = suffix in EXCEL and content.startswith((b"PK", b"\xd0\xcf"))
    if is_named_excel or content.startswith((b"PK\x03\x04", b"\xd0\xcf\x11\xe0")):
        return sheet_rows(file, content, wanted, reject)
    if content.startswith(b"PAR1"):
        return _parquet(file, content)
    if is_markup(content):
        page = decode(content, file.name)
        if entity := markup_tables.undefined(page):
            raise FileError(
                f"{file.name}, line {entity[1]}: HTML has no entity {entity[0]}, so its text "
                "would be lost: write the text itself there, or &amp; for an ampersand."
            )
        rows = markup_tables.rows_of(page)
        is_xml = not rows and b"<html" not in content[:4096].lower()
        return _of_cells(file, rows, wanted, reject, "XML without a table" if is_xml else "")
    text = decode(content, file.name).strip("\ufeff").replace("\x00", "")
    if latex_tables.is_latex(text):
        return _of_cells(file, latex_tables.rows_of(text), wanted, reject)
    of_json = suffix in (*JSON_LINES, ".json") and re.search(r"^\s*\{", text, re.MULTILINE)
    if of_json or text.lstrip()[:1] in ("{", "["):
        return read_json(file, content, reject)
    if _is_yaml(suffix, text):
        raise without_header(file, wanted, "YAML")
    if suffix in (*EXCEL, *PARQUET) and _CONTROL.search(text[:4096]):
        return (
            _parquet(file, content)
            if suffix in PARQUET
            else sheet_rows(file, content, wanted, reject)
        )
    return csv_rows(file, without_directives(text), wanted, reject)


def _is_yaml(suffix: str, text: str) -> bool:
    """Whether a text is YAML, by its name and first line: '- id: 1', 'cases:', '---'."""
    first = next((line for line in text.splitlines() if line.strip("- ")), "")
    is_field = re.match(r"\s*(?:- )?[\w ]+:(?:\s|$)", first) is not None
    return suffix in (".yaml", ".yml") and is_field


def roles(
    rows: Iterable[Row], known: Mapping[str, Iterable[str]], assigned: Mapping[str, str]
) -> dict[str, str]:
    """Which column plays which role: as `assigned` (role: column), otherwise the first of the
    `known` names of the role that is there. Raises FileError for a role or a column that is not."""
    present = list(dict.fromkeys(name for row in rows for name in row.values))
    for role, column in assigned.items():
        if role not in known:
            raise FileError(f"--column {role}=…: use one of {', '.join(known)}.")
        if column not in present:
            raise FileError(
                f"--column {role}={column}: there is no such column; there are "
                f"{', '.join(sorted(present))}."
            )
    by_name = {column_key(name): name for name in reversed(present)}
    columns = {
        role: next((by_name[name] for name in names if name in by_name), None)
        for role, names in known.items()
    }
    return {role: name for role, name in {**columns, **assigned}.items() if name is not None}


def read_sheet(
    file: Path, content: bytes, sheet: str, wanted: Collection[str], reject: Reject
) -> Rows:
    """The rows of one sheet of a workbook, as `read_rows` gives those of all that are alike."""
    return _bounded(file, sheet_rows(file, content, wanted, reject, sheet), reject)


def _of_cells(
    file: Path,
    rows: list[tuple[int, list[str]]],
    wanted: Collection[str],
    reject: Reject,
    kind: str = "",
) -> Rows:
    """The rows of a table of a page, of XML of Excel 2003, which many systems call .xls, or of
    LaTeX; `kind` is what the file is if it has none."""
    cells = [texts for _, texts in rows]
    known, behind = max(
        ((n_known(texts, wanted), -index) for index, texts in enumerate(cells[:HEADER_ROWS])),
        default=(0, 0),
    )
    if not known:
        raise without_header(file, wanted, kind)
    header, n_rows = names_of_header(cells[: 2 - behind], -behind, wanted)
    for number, texts in rows[n_rows - behind :]:
        row = {name: text for name, text in zip(header, texts, strict=False) if name}
        if is_header(row.values(), row):
            reject(number, "record", HEADER_AGAIN)
        elif any(row.values()):
            yield Row(number, row)


def _parquet(file: Path, content: bytes) -> Rows:
    try:
        table = pq.read_table(io.BytesIO(content))
    except (pa.ArrowInvalid, OSError) as error:
        raise FileError(
            f"{file.name} is not a readable Parquet file (cut off or damaged): export it again."
        ) from error
    line = 0
    for batch in table.to_batches(max_chunksize=10_000):
        for row in batch.to_pylist():
            line += 1
            yield Row(line, row)
