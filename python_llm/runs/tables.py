"""Rows of a file that somebody brings: CSV, JSON lines, JSON, Parquet or Excel, all as text."""

import csv
import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

LONGEST_FIELD = 16 * 1024 * 1024  # characters of one field
READERS = {
    ".csv": "CSV",
    ".tsv": "CSV",
    ".jsonl": "JSON lines",
    ".ndjson": "JSON lines",
    ".json": "JSON",
    ".parquet": "Parquet",
    ".xlsx": "Excel",
}


class RunFileError(ValueError):
    """A file that cannot be imported; the text names file, row and remedy."""


@dataclass(frozen=True)
class Row:
    """One row: `number` is its line in a text file, otherwise its position, header not counted."""

    number: int
    values: dict[str, str]


def read_rows(path: Path) -> list[Row]:
    """All rows of `path`, every value as text: '' for null, 1 rather than 1.0.

    Raises RunFileError for a file that is missing, empty, of an unknown kind or broken.
    """
    kind = READERS.get(path.suffix.lower())
    if not path.is_file():
        raise RunFileError(f"{path.name} is not there: check the path {path}.")
    if kind is None:
        raise RunFileError(
            f"{path.name} is of an unknown kind '{path.suffix}': save it as one of "
            f"{', '.join(sorted(READERS))}."
        )
    read = {"CSV": _csv, "JSON lines": _json_lines, "JSON": _json, "Parquet": _parquet}
    try:
        rows = list(read.get(kind, _excel)(path))
    except UnicodeDecodeError as error:
        raise RunFileError(
            f"{path.name} is not UTF-8 (byte {error.start}): save it as UTF-8 and import it again."
        ) from error
    if not rows:
        raise RunFileError(f"{path.name} has no rows: nothing to import.")
    return rows


def _csv(path: Path) -> Iterator[Row]:
    csv.field_size_limit(LONGEST_FIELD)
    with path.open(encoding="utf-8-sig", newline="") as handle:
        header_line = handle.readline()
        handle.seek(0)
        delimiter = max("\t;,", key=header_line.count)
        reader = csv.reader(handle, delimiter=delimiter, strict=True)
        try:
            header = [name.strip() for name in next(reader, [])]
            _check_header(header, path)
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
    with path.open(encoding="utf-8-sig") as handle:
        for line, text in enumerate(handle, 1):
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
        value = json.loads(path.read_text(encoding="utf-8-sig"))
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


def _excel(path: Path) -> Iterator[Row]:
    import zipfile

    import openpyxl
    from openpyxl.utils.exceptions import InvalidFileException

    try:
        book = openpyxl.load_workbook(path, read_only=True, data_only=True)
    except (InvalidFileException, zipfile.BadZipFile, KeyError, OSError) as error:
        raise RunFileError(f"{path.name} is no readable .xlsx file: save it again.") from error
    lines = book.worksheets[0].iter_rows(values_only=True)
    # a sheet may begin with empty rows
    first, header = next(
        (
            (number, texts)
            for number, cells in enumerate(lines, 1)
            if any(texts := [_text(cell).strip() for cell in cells])
        ),
        (1, []),
    )
    while header and not header[-1]:
        header.pop()
    _check_header(header, path)
    for number, cells in enumerate(lines, first + 1):
        values = [_text(cell) for cell in cells[: len(header)]]
        if any(value.strip() for value in values):
            values += [""] * (len(header) - len(values))
            yield Row(number, dict(zip(header, values, strict=True)))
    book.close()


def _check_header(header: list[str], path: Path) -> None:
    repeated = {name for name in header if name and header.count(name) > 1}
    if repeated:
        raise RunFileError(
            f"{path.name}, line 1: column '{sorted(repeated)[0]}' is there twice: rename one."
        )


def _text(value: Any) -> str:
    if value is None or (isinstance(value, float) and value != value):
        return ""
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    if isinstance(value, list | dict):
        return json.dumps(value, ensure_ascii=False, default=str)
    return str(value)
