"""Rows of the sheets of a workbook: Excel and OpenDocument."""

import io
import re
import zipfile
from collections import Counter
from collections.abc import Collection
from contextlib import suppress
from pathlib import Path
from typing import Any

from python_calamine import CalamineError, CalamineWorkbook, PasswordError, SheetVisibleEnum

from python_llm.errors import FileError
from python_llm.imports import far_cells, formulas
from python_llm.imports.cells import as_written
from python_llm.imports.file_kinds import is_open_document
from python_llm.imports.header_rows import (
    HEADER_ROWS,
    LONGEST_NAME,
    is_header,
    names_of_header,
    of_wanted,
    without_header,
)
from python_llm.imports.numbered_rows import (
    EXCEL,
    HEADER_AGAIN,
    SHEET,
    SHEET_UNREAD,
    Reject,
    Row,
    Rows,
)
from python_llm.parsing.folding import column_key

MOST_UNPACKED_BYTES = 512 * 2**20  # of a sheet: a compressed file may be a thousand times its size
FORMULA = "formulas whose results the file does not hold"  # of a report on a sheet
# what people call a sheet that says what the columns of the others mean
_OF_CODEBOOKS = re.compile(
    r"(?:data_?)?(?:code_?books?|dictionary|diccionario|dictionnaire|legende?|leyenda|variables"
    r"|read_?me|leeme|about|glossary|metadata|codes|codigos|kodierung|description|descripcion"
    r"|instructions|instrucciones|info)(?:_(?:de_)?(?:datos|variables|book|columns))?"
)
_LEAST_NAMED = 0.6  # share of the columns of a sheet that its codebook has


def _check_unpacked(file: Path, content: bytes) -> None:
    """Raise FileError for a sheet that would unpack to more than fits in memory."""
    with suppress(zipfile.BadZipFile), zipfile.ZipFile(io.BytesIO(content)) as archive:
        n_bytes = sum(part.file_size for part in archive.infolist())
        if n_bytes > MOST_UNPACKED_BYTES:
            raise FileError(
                f"{file.name} unpacks to {n_bytes / 2**20:,.0f} MiB, and at most "
                f"{MOST_UNPACKED_BYTES / 2**20:,.0f} are read: save its sheet as CSV, or in parts."
            )


def sheet_names(file: Path, content: bytes) -> list[str]:
    """The sheets of a workbook; none of another file."""
    if not content.startswith((b"PK", b"\xd0\xcf")) or file.suffix.lower() not in EXCEL:
        return []
    try:
        return CalamineWorkbook.from_filelike(io.BytesIO(content)).sheet_names
    except (CalamineError, OSError):
        return []


def first_sheet(file: Path, content: bytes) -> list[list[str]]:
    """Every cell of the first sheet as text, row by row; empty if the file is not a workbook."""
    if not sheet_names(file, content):
        return []
    book, _ = _opened(file, content, None)
    rows = book.get_sheet_by_index(0).to_python(skip_empty_area=False)
    return [[as_written(cell) for cell in row] for row in rows]


def _opened(
    file: Path, content: bytes, only: str | None
) -> tuple[CalamineWorkbook, list[list[list[Any]]]]:
    """A workbook, and the first rows of each sheet, of `only` one if it is named."""
    _check_unpacked(file, content)
    far_cells.check(file, content)
    try:
        book = CalamineWorkbook.from_filelike(io.BytesIO(content))
        sheets = [
            book.get_sheet_by_index(number).to_python(skip_empty_area=False, nrows=HEADER_ROWS)
            if only in (None, name)
            else []
            for number, name in enumerate(book.sheet_names)
        ]
    except PasswordError as error:
        raise FileError(f"{file.name} is locked with a password: save it without one.") from error
    except (CalamineError, OSError) as error:
        if is_open_document(content):
            raise FileError(
                f"{file.name} is not a readable OpenDocument spreadsheet: save its sheet "
                "as CSV, or the file as Excel (.xlsx)."
            ) from error
        raise FileError(
            f"{file.name} is not a readable Excel file (cut off or damaged): export it again."
        ) from error
    return book, sheets


def sheet_rows(
    file: Path, content: bytes, wanted: Collection[str], reject: Reject, only: str | None = None
) -> Rows:
    book, sheets = _opened(file, content, only)
    # in every sheet the row that looks most like a header
    headers = [
        max(
            ((of_wanted(cells, wanted), -row_index) for row_index, cells in enumerate(rows)),
            key=lambda header: (len(header[0]), header[1]),
            default=(set(), 0),
        )
        for rows in sheets
    ]
    codebooks = _codebooks(book.sheet_names, sheets, headers)
    headers = [
        (set(), 0) if number in codebooks else header for number, header in enumerate(headers)
    ]
    most = max(headers, key=lambda header: len(header[0]), default=(set(), 0))[0]
    if not most:
        raise without_header(file, wanted)
    # a sheet for each rater, model or ward, with notes in one or another, is one table
    alike = [number for number, (names, _) in enumerate(headers) if names == most]
    _report_unread(book.sheet_names, sheets, alike, codebooks, reject)
    _report_hidden(book, alike, reject)
    for listed in formulas.unsaved(content, [book.sheet_names[number] for number in alike]):
        reject(
            None,
            SHEET_UNREAD,
            f"{listed} hold {FORMULA}, and are read as empty: open the file in "
            "a spreadsheet program, save it, and import it again",
        )
    for number in alike:
        sheet, header_place = book.get_sheet_by_index(number), -headers[number][1]
        rows = sheet.to_python(skip_empty_area=False)
        merged = sheet.merged_cell_ranges or []
        is_spanned = any(
            top == bottom == header_place and left < right
            for (top, left), (bottom, right) in merged
        )
        header, n_rows = names_of_header(
            rows[: header_place + 2], header_place, wanted, is_spanned=is_spanned
        )
        places = (
            {SHEET: sheet.name} if len(alike) > 1 and SHEET not in map(column_key, header) else {}
        )
        last = header_place + n_rows - 1
        _fill_merged(rows, merged, last)
        for number, cells in enumerate(rows[last + 1 :], last + 2):
            row = {
                name: as_written(cell) for name, cell in zip(header, cells, strict=False) if name
            }
            if is_header(row.values(), row):
                reject(number, "record", HEADER_AGAIN)
            elif any(value.strip() for value in row.values()):
                yield Row(number, {**row, **places})


def _report_unread(
    names: list[str],
    sheets: list[list[list[Any]]],
    alike: list[int],
    codebooks: set[int],
    reject: Reject,
) -> None:
    """Say which sheets with something in them are not read, and why."""
    for number, rows in enumerate(sheets):
        if number not in alike and any(as_written(cell).strip() for row in rows for cell in row):
            why = (
                "it describes the columns of another"
                if number in codebooks
                else "its header is another than that of the sheets that are: save it as a file of "
                "its own to import it"
            )
            reject(
                None,
                SHEET_UNREAD,
                f"the sheet '{names[number]}' is not read, because {why}",
            )


def _codebooks(
    names: list[str], sheets: list[list[list[Any]]], headers: list[tuple[set[str], int]]
) -> set[int]:
    """The sheets that say what the columns of another one mean: one of their columns has the names
    of most of its columns, or they are called so and have no more names that are known."""
    names_in = {
        number: {
            column_key(cell)
            for cell in sheets[number][-header[1]]
            if len(str(cell)) <= LONGEST_NAME and column_key(cell)
        }
        for number, header in enumerate(headers)
        if header[0]
    }
    codebooks = set()
    for number, rows in enumerate(sheets):
        others = [heads for other, heads in names_in.items() if other != number and len(heads) > 1]
        columns = [
            Counter(column_key(row[at]) for row in rows if len(row) > at and len(str(row[at])) < 99)
            for at in range(max(map(len, rows), default=0))
        ]
        is_named = _OF_CODEBOOKS.fullmatch(column_key(names[number])) is not None
        describes = any(
            # each once: what a table of answers repeats are its models
            sum(column[head] == 1 for head in heads)
            >= max(2, _LEAST_NAMED * min(len(heads), HEADER_ROWS - 1))
            for column in columns
            for heads in others
        )
        # of two with as many known names the other one
        has_fewer = any(
            len(known) >= len(headers[number][0]) > 0
            for other, (known, _) in enumerate(headers)
            if other != number
        )
        if describes or (is_named and has_fewer):
            codebooks.add(number)
    return codebooks if len(codebooks) < len(sheets) else set()


def _report_hidden(book: CalamineWorkbook, alike: list[int], reject: Reject) -> None:
    """Say which sheets that are read are hidden from whoever opens the file."""
    for number in alike:
        about = book.sheets_metadata[number]
        if about.visible != SheetVisibleEnum.Visible:
            reject(
                None,
                SHEET_UNREAD,
                f"the sheet '{about.name}' is hidden in the file and is read like the others: "
                "delete it there if its rows are not meant",
            )


def _fill_merged(
    rows: list[list[Any]], areas: list[tuple[tuple[int, int], tuple[int, int]]], header_place: int
) -> None:
    """A merged cell holds its value once: give it to every row it spans. What begins in or above
    the header is a heading, no value of the rows below it; an empty row stays empty."""
    for (top, left), (bottom, _) in areas:
        if top > header_place:
            for row in rows[top + 1 : bottom + 1]:
                if any(as_written(cell).strip() for cell in row):
                    row[left] = rows[top][left]
