"""Rows of a file that somebody brings: CSV, JSON lines, JSON, Parquet or Excel, all as text."""

import contextlib
import csv
import io
import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
from python_calamine import CalamineError, CalamineWorkbook

from python_llm.test_sets.tables import EXCEL, HEADER_ROWS, LONGEST_FIELD, decode

SEPARATORS = ",;\t|"
READERS = {
    ".csv": "CSV",
    ".tsv": "CSV",
    ".jsonl": "JSON lines",
    ".ndjson": "JSON lines",
    ".json": "JSON",
    ".parquet": "Parquet",
    **dict.fromkeys(EXCEL, "Excel"),
}


class RunFileError(ValueError):
    """A file that cannot be imported; the text names file, row and remedy."""


@dataclass(frozen=True)
class Row:
    """One row: `number` is its line in a text file, otherwise its position, header not counted."""

    number: int
    values: dict[str, str]


def read_rows(path: Path, is_known: Callable[[str], bool] = lambda name: False) -> list[Row]:
    """All rows of `path`, every value as text: '' for null, 1 rather than 1.0.

    The header is the row, of the first twenty, in which `is_known` is true of most names; of a
    workbook, in any sheet. Where none is, it is the first row that is not empty. Text that is not
    UTF-8 is read as UTF-16 or Windows-1252. Raises RunFileError for a file that is missing, empty,
    of an unknown kind or broken.
    """
    kind = READERS.get(path.suffix.lower())
    if not path.is_file():
        raise RunFileError(f"{path.name} is not there: check the path {path}.")
    if kind is None:
        raise RunFileError(
            f"{path.name} is of an unknown kind '{path.suffix}': save it as one of "
            f"{', '.join(sorted(READERS))}."
        )
    if kind == "CSV":
        rows = list(_csv(path, is_known))
    elif kind == "Excel":
        rows = list(_excel(path, is_known))
    else:
        rows = list({"JSON lines": _json_lines, "JSON": _json, "Parquet": _parquet}[kind](path))
    if not rows:
        raise RunFileError(f"{path.name} has no rows: nothing to import.")
    return rows


def _header_place(rows: list[list[str]], is_known: Callable[[str], bool]) -> tuple[int, int]:
    """How many names of the likeliest header are known, and which of `rows` it is."""
    known = [sum(map(is_known, {name.strip() for name in names if name.strip()})) for names in rows]
    best = max(known, default=0)
    if best:
        return best, known.index(best)
    return 0, next((n for n, names in enumerate(rows) if any(map(str.strip, names))), 0)


def _csv(path: Path, is_known: Callable[[str], bool]) -> Iterator[Row]:
    csv.field_size_limit(LONGEST_FIELD)
    text = decode(path.read_bytes())
    start = text[: 2**20]
    first_line = start.lstrip().partition("\n")[0]
    found = []
    for order, delimiter in enumerate(SEPARATORS):
        reader = csv.reader(io.StringIO(start, newline=""), delimiter=delimiter)
        with contextlib.suppress(csv.Error):
            n_known, place = _header_place(list(islice(reader, HEADER_ROWS)), is_known)
            found.append((n_known, first_line.count(delimiter), -order, delimiter, place))
    *_, delimiter, n_before = max(found, default=(0, 0, 0, ",", 0))
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    try:
        for _ in range(n_before):
            next(reader)
        header = [name.strip() for name in next(reader, [])]
        _check_header(header, path, reader.line_num)
        before = reader.line_num
        for fields in reader:
            line, before = before + 1, reader.line_num
            if not any(field.strip() for field in fields):
                continue
            if len(fields) != len(header):
                raise RunFileError(
                    f"{path.name}, line {line}: {len(fields)} fields where the header has "
                    f"{len(header)}: quote fields that hold a '{delimiter}' or a line break."
                )
            yield Row(line, dict(zip(header, fields, strict=True)))
    except csv.Error as error:
        raise RunFileError(
            f"{path.name}, line {reader.line_num}: {error}: close the quotes of this row."
        ) from error


def _json_lines(path: Path) -> Iterator[Row]:
    for line, text in enumerate(decode(path.read_bytes()).split("\n"), 1):
        if text.strip():
            yield Row(line, _object(text, path, line))


def _object(text: str, path: Path, line: int) -> dict[str, str]:
    try:
        value = json.loads(text)
    except json.JSONDecodeError as error:
        raise RunFileError(
            f"{path.name}, line {line}: not JSON ({error.msg}): write one object a line."
        ) from error
    if not isinstance(value, dict):
        raise RunFileError(f"{path.name}, line {line}: not an object: write one object a line.")
    return {str(key): _text(item) for key, item in value.items()}


def _json(path: Path) -> Iterator[Row]:
    try:
        value = json.loads(decode(path.read_bytes()))
    except json.JSONDecodeError as error:
        raise RunFileError(
            f"{path.name}, line {error.lineno}: not JSON ({error.msg}): write a list of objects."
        ) from error
    if isinstance(value, dict):  # the rows are often wrapped: {"model": …, "results": [{…}, {…}]}
        lists = [each for each in value.values() if isinstance(each, list) and each]
        value = lists[0] if len(lists) == 1 else value
    if not isinstance(value, list) or not all(isinstance(item, dict) for item in value):
        raise RunFileError(f"{path.name} is not a list of objects: write [{{…}}, {{…}}].")
    for number, item in enumerate(value, 1):
        yield Row(number, {str(key): _text(each) for key, each in item.items()})


def _parquet(path: Path) -> Iterator[Row]:
    try:
        table = pq.read_table(path)
    except (pa.ArrowInvalid, OSError) as error:
        raise RunFileError(
            f"{path.name} is no readable Parquet file ({str(error).splitlines()[0]}): export it "
            "again."
        ) from error
    for number, item in enumerate(table.to_pylist(), 1):
        yield Row(number, {key: _text(each) for key, each in item.items()})


def _excel(path: Path, is_known: Callable[[str], bool]) -> Iterator[Row]:
    try:
        book = CalamineWorkbook.from_filelike(io.BytesIO(path.read_bytes()))
        sheets = [
            [[_text(cell) for cell in cells] for cells in sheet.to_python(skip_empty_area=False)]
            for sheet in map(book.get_sheet_by_index, range(len(book.sheet_names)))
        ]
    except (CalamineError, OSError) as error:
        raise RunFileError(
            f"{path.name} is no readable Excel file (damaged, cut off or locked with a password): "
            "save it again."
        ) from error
    places = [_header_place(rows[:HEADER_ROWS], is_known) for rows in sheets]
    (_, place), rows = max(
        zip(places, sheets, strict=True), key=lambda one: one[0][0], default=((0, 0), [])
    )
    header = [name.strip() for name in rows[place]] if rows else []
    while header and not header[-1]:
        header.pop()
    _check_header(header, path, place + 1)
    for number, cells in enumerate(rows[place + 1 :], place + 2):
        values = cells[: len(header)]
        if any(value.strip() for value in values):
            values += [""] * (len(header) - len(values))
            yield Row(number, dict(zip(header, values, strict=True)))


def _check_header(header: list[str], path: Path, line: int) -> None:
    repeated = {name for name in header if name and header.count(name) > 1}
    if repeated:
        raise RunFileError(
            f"{path.name}, line {line}: column '{sorted(repeated)[0]}' is there twice: rename one."
        )


def _text(value: Any) -> str:
    if value is None or (isinstance(value, float) and value != value):
        return ""
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    if isinstance(value, list | dict):
        return json.dumps(value, ensure_ascii=False, default=str)
    return str(value)
