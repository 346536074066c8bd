"""How far apart the filled cells of a workbook lie: the table between them is laid out whole."""

import io
import re
import zipfile
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

from python_llm.errors import FileError
from python_llm.imports.file_kinds import DAMAGED

MOST_CELLS = 20_000_000  # that a sheet may be laid out to, or MOST_EMPTY for each filled one
MOST_EMPTY = 20
# a cell of a sheet that is not empty
_CELL = re.compile(rb"<(?:\w+:)?c\s[^>]*?\br=[\"']([A-Z]{1,3})(\d{1,7})[\"'][^>]*(?<!/)>")
_OF_ODF = re.compile(rb"<table:(table-row|table-cell|covered-table-cell|table)(?=[\s/>])([^>]*)>")
_REPEATED = re.compile(rb"number-(?:rows|columns)-repeated=[\"'](\d{1,8})[\"']")
# of the records of .xlsb: the one that begins a row, and those of cells that are not empty
_ROW_RECORD, _CELL_RECORDS = 0, range(2, 12)

Cells = Iterator[tuple[int, int]]  # row and column, from 1 on


def check(file: Path, content: bytes) -> None:
    """Raise FileError for a sheet whose cells lie so far apart that what is between them would not
    fit in memory."""
    if not content.startswith(b"PK"):
        return
    with suppress(*DAMAGED), zipfile.ZipFile(io.BytesIO(content)) as archive:
        for name in archive.namelist():
            cells_in = next((read for part, read in _READERS if re.fullmatch(part, name)), None)
            if cells_in:
                _check_sheet(file, cells_in(archive.read(name)))


def _check_sheet(file: Path, cells: Cells) -> None:
    n_cells, top, bottom, left, right = 0, MOST_CELLS, 0, MOST_CELLS, 0
    for row, column in cells:
        n_cells += 1
        top, bottom = min(top, row), max(bottom, row)
        left, right = min(left, column), max(right, column)
    if n_cells and (bottom - top + 1) * (right - left) > max(MOST_CELLS, MOST_EMPTY * n_cells):
        raise FileError(
            f"{file.name} has {n_cells:,} filled cells as far apart as row {bottom:,} and column "
            f"{_name_of_column(right)}: delete the cells far from the table, and save it."
        )


def _in_xml(sheet: bytes) -> Cells:
    """The filled cells of a sheet of .xlsx."""
    for cell in _CELL.finditer(sheet):
        column = 0
        for letter in cell[1]:
            column = column * 26 + letter - ord("A") + 1
        yield int(cell[2]), column


def _in_odf(document: bytes) -> Cells:
    """The first and the last of the cells that .ods writes as one, all sheets on top of each
    other."""
    row = column = n_rows = 0
    for element in _OF_ODF.finditer(document):
        repeated = _REPEATED.search(element[2])
        n_times = int(repeated[1]) if repeated else 1
        if element[1] == b"table":
            row = n_rows = 0
        elif element[1] == b"table-row":
            row, column, n_rows = row + n_rows, 0, n_times
        else:
            if b"value-type" in element[2]:
                yield row + 1, column + 1
                yield row + n_rows, column + n_times
            column += n_times


def _in_binary(sheet: bytes) -> Cells:
    """The filled cells of a sheet of .xlsb: records of a kind and a length, of 7 bits a byte."""
    row = position = 0
    with suppress(IndexError):
        while position < len(sheet):
            kind, position = _number_at(sheet, position, 2)
            length, position = _number_at(sheet, position, 4)
            first = int.from_bytes(sheet[position : position + 4], "little")
            if kind == _ROW_RECORD:
                row = first + 1
            elif kind in _CELL_RECORDS:
                yield row, first + 1
            position += length


def _number_at(sheet: bytes, position: int, most_bytes: int) -> tuple[int, int]:
    number = 0
    for at in range(most_bytes):
        byte = sheet[position + at]
        number |= (byte & 0x7F) << 7 * at
        if byte < 0x80:
            return number, position + at + 1
    return number, position + most_bytes


_READERS: tuple[tuple[str, Callable[[bytes], Cells]], ...] = (
    (r"xl/worksheets/[^/]+\.xml", _in_xml),
    (r"xl/worksheets/[^/]+\.bin", _in_binary),
    (r"content\.xml", _in_odf),
)


def _name_of_column(number: int) -> str:
    """1 is 'A', 16,384 'XFD'."""
    name = ""
    while number:
        number, rest = divmod(number - 1, 26)
        name = chr(ord("A") + rest) + name
    return name
