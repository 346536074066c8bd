"""Rows out of whatever people keep tables in: CSV, Excel, JSON lines, Parquet.

Every reader yields `(line, row)`, `row` a dict of column name to text (or list of texts), and
reports what it could not read through `reject(line, field, reason)`. No reason ever quotes a value:
it may be clinical text.
"""

import csv
import io
import json
import math
import unicodedata
from collections.abc import Callable, Iterator
from datetime import date, datetime
from functools import lru_cache
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
from python_calamine import CalamineError, CalamineWorkbook, PasswordError

from python_llm.test_sets.store import CaseImportError

Reject = Callable[[int | None, str, str], None]
Rows = Iterator[tuple[int, dict[str, Any]]]

SEPARATORS = ",;\t|"
LONGEST_FIELD = 16 * 2**20
EXCEL = (".xlsx", ".xlsm", ".xlsb", ".xls", ".ods")
# how far down a header may stand
HEADER_ROWS = 20


def decode(content: bytes) -> str:
    """Text of a file: UTF-8 (with or without mark), UTF-16 with its mark, otherwise Windows-1252.

    UTF-8 that decodes is UTF-8 for all practical purposes, and hospital exports that are not are
    Latin-1 or its superset Windows-1252; what that leaves undefined is read as Latin-1.
    """
    if content[:2] in (b"\xff\xfe", b"\xfe\xff"):
        return content.decode("utf-16", errors="replace")
    for encoding in ("utf-8-sig", "cp1252"):
        try:
            return content.decode(encoding)
        except UnicodeDecodeError:
            # a letter cut in half at the very end means a truncated file, not another encoding
            if encoding == "utf-8-sig":
                try:
                    return content[:-4].decode(encoding) + content[-4:].decode("utf-8", "ignore")
                except UnicodeDecodeError:
                    continue
    return content.decode("latin-1")


def read_rows(file: Path, content: bytes, wanted: set[str], reject: Reject) -> Rows:
    """All rows of a table; `wanted`, folded column names, tell the header and the separator."""
    suffix = file.suffix.lower()
    if suffix in EXCEL:
        return _excel(file, content, wanted, reject)
    if suffix in (".parquet", ".pq"):
        return _parquet(file, content)
    if suffix in (".jsonl", ".ndjson", ".json"):
        return read_json(file, content, reject)
    return _csv(file, decode(content), wanted, reject)


@lru_cache(maxsize=10_000)
def fold(name: Any) -> str:
    """A column name as it is compared: lower case, no accents, runs of anything else one space."""
    plain = unicodedata.normalize("NFKD", str(name))
    plain = "".join(letter for letter in plain if not unicodedata.combining(letter)).lower()
    return " ".join("".join(c if c.isalnum() else " " for c in plain).split())


def read_json(file: Path, content: bytes, reject: Reject) -> Rows:
    """Objects of a JSON-lines file, or of one JSON array or object; a faulty line is rejected."""
    text = decode(content)
    try:
        whole = json.loads(text)
    except json.JSONDecodeError:
        whole = None
    if isinstance(whole, list | dict):
        for place, item in enumerate(whole if isinstance(whole, list) else [whole], 1):
            if isinstance(item, dict):
                yield place, item
            else:
                reject(place, "record", "not a JSON object")
        return
    for line, written in enumerate(text.splitlines(), 1):
        if not written.strip():
            continue
        try:
            item = json.loads(written)
        except json.JSONDecodeError as error:
            reject(line, "record", f"no valid JSON: {error.msg} at character {error.pos + 1}")
            continue
        if isinstance(item, dict):
            yield line, item
        else:
            reject(line, "record", "not a JSON object")


def _csv(file: Path, text: str, wanted: set[str], reject: Reject) -> Rows:
    csv.field_size_limit(LONGEST_FIELD)
    text = text.replace("\x00", "")
    separator, n_before = _dialect(file, text, wanted)
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=separator, strict=True)
    for _ in range(n_before):
        next(reader)
    header = _unique([name.strip() for name in next(reader)])
    while True:
        line = reader.line_num + 1
        try:
            fields = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            if reader.line_num >= line and "end of data" in str(error):
                reject(
                    line,
                    "record",
                    f"a quote opened here is never closed: lines {line} to {reader.line_num} lost",
                )
                return
            reject(line, "record", f"not read: {error}")
            continue
        if not any(field.strip() for field in fields):
            continue
        while len(fields) > len(header) and not fields[-1].strip():
            fields.pop()
        if fields == header:
            reject(line, "record", "the header again")
        elif len(fields) != len(header):
            reject(line, "record", f"{len(fields)} fields where the header has {len(header)}")
        else:
            yield line, dict(zip(header, fields, strict=True))


def _dialect(file: Path, text: str, wanted: set[str]) -> tuple[str, int]:
    """The separator, and how many rows stand before the header."""
    best = (0, 0, "", 0)
    for separator in SEPARATORS:
        reader = csv.reader(io.StringIO(text[: 2**20], newline=""), delimiter=separator)
        try:
            for n_before, fields in zip(range(HEADER_ROWS), reader, strict=False):
                known = len({fold(field) for field in fields} & wanted)
                best = max(best, (known, len(fields), separator, -n_before))
        except csv.Error:
            continue
    known, _, separator, n_before = best
    if not known:
        raise CaseImportError(
            f"{file.name} has no header with any of the columns expected "
            f"({', '.join(sorted(wanted)[:8])}): give the file a header line, or a mapping file "
            "with --mapping that names its columns."
        )
    return separator, -n_before


def _excel(file: Path, content: bytes, wanted: set[str], reject: Reject) -> Rows:
    try:
        book = CalamineWorkbook.from_filelike(io.BytesIO(content))
        sheets = [
            book.get_sheet_by_index(number).to_python(skip_empty_area=False, nrows=HEADER_ROWS)
            for number in range(len(book.sheet_names))
        ]
    except PasswordError as error:
        raise CaseImportError(
            f"{file.name} is locked with a password: save it without one."
        ) from error
    except (CalamineError, OSError) as error:
        raise CaseImportError(
            f"{file.name} is no readable Excel file (cut off or damaged): export it again."
        ) from error
    # the sheet and row that look most like the header
    best: tuple[int, int, int] = (0, 0, 0)
    for number, rows in enumerate(sheets):
        for place, cells in enumerate(rows):
            known = len({fold(cell) for cell in cells} & wanted)
            best = max(best, (known, -number, -place))
    if not best[0]:
        raise CaseImportError(
            f"{file.name} has no sheet with a header of the columns expected "
            f"({', '.join(sorted(wanted)[:8])}): add one, or name its columns in a --mapping file."
        )
    sheet, header_place = book.get_sheet_by_index(-best[1]), -best[2]
    rows = sheet.to_python(skip_empty_area=False)
    header = _unique([str(name).strip() for name in rows[header_place]])
    _fill_merged(rows, sheet.merged_cell_ranges or [], header_place)
    for number, cells in enumerate(rows[header_place + 1 :], header_place + 2):
        row = {name: text(cell) for name, cell in zip(header, cells, strict=False) if name}
        if any(value is not None for value in row.values()):
            yield number, row


def _fill_merged(
    rows: list[list[Any]], areas: list[tuple[tuple[int, int], tuple[int, int]]], header_place: int
) -> None:
    """A merged cell holds its value once: give it to every row it spans. What begins in or above
    the header is a heading, no value of the rows below it; an empty row stays empty."""
    for (top, left), (bottom, _) in areas:
        if top > header_place:
            for row in rows[top + 1 : bottom + 1]:
                if any(text(cell) is not None for cell in row):
                    row[left] = rows[top][left]


def _parquet(file: Path, content: bytes) -> Rows:
    try:
        table = pq.read_table(io.BytesIO(content))
    except (pa.ArrowInvalid, OSError) as error:
        raise CaseImportError(
            f"{file.name} is no readable Parquet file (cut off or damaged): export it again."
        ) from error
    line = 0
    for batch in table.to_batches(max_chunksize=10_000):
        for row in batch.to_pylist():
            line += 1
            yield line, row


def text(value: Any) -> str | None:
    """A cell as text: whole numbers without a point, ISO dates, blanks and NaN as nothing."""
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return None
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    if isinstance(value, datetime | date):
        return value.isoformat()
    written = str(value).strip()
    return None if written.lower() in ("", "nan", "null", "none", "#n/a") else written


def texts(value: Any, separator: str | None) -> list[str] | None:
    """A list of texts, whether it comes as a list or as one text with separators."""
    if isinstance(value, list | tuple):
        parts = [text(item) for item in value]
    else:
        whole = text(value)
        if whole is None:
            return None
        if whole.startswith("["):
            try:
                return texts(json.loads(whole.replace("'", '"')), separator)
            except json.JSONDecodeError:
                whole = whole.strip("[]")
        parts = [text(part) for part in (whole.split(separator) if separator else [whole])]
    kept = [part for part in parts if part]
    return kept or None


def _unique(header: list[str]) -> list[str]:
    """Column names without repeats: a second 'TA' is 'TA (2)'."""
    seen: dict[str, int] = {}
    names = []
    for name in header:
        seen[name] = seen.get(name, 0) + 1
        names.append(name if seen[name] == 1 or not name else f"{name} ({seen[name]})")
    return names
