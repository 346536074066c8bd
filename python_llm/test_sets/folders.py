"""Rows of a folder of cases: JSON objects, tables and notes."""

from collections.abc import Collection, Iterable, Iterator
from pathlib import Path

from python_llm.errors import FileError
from python_llm.imports.encodings import decode
from python_llm.imports.headings import Headings
from python_llm.imports.numbered_rows import (
    EXCEL,
    JSON_LINES,
    PARQUET,
    SHEET_UNREAD,
    Reject,
    Row,
    Rows,
)
from python_llm.imports.numbered_rows import numbered as tables_numbered
from python_llm.imports.patient_files import RejectFile, files_of, read_patients
from python_llm.imports.tables import read as read_file
from python_llm.imports.tables import read_rows

TABLES = (".csv", ".tsv", *EXCEL)


def rows_of_folder(folder: Path, names: Headings, reject: Reject, *, without_gold: bool) -> Rows:
    """The rows of the files of a folder: JSON objects with an id of their own or of their file, the
    rows of tables, and whole text files, which are allowed only `without_gold`. A file that cannot
    be used is rejected. Raises FileError if none can."""

    def report(path: Path, field: str, reason: str) -> None:
        reject(None, field, f"{path.name}: {reason}")

    paths = files_of(folder, report)
    name_unread(paths, reject)
    notes = [path for path in paths if path.suffix.lower() == ".txt" and not is_about(path)]
    tables = [path for path in paths if path.suffix.lower() in (*TABLES, *PARQUET)]
    is_of_json = any(path.suffix.lower() in (".json", *JSON_LINES) for path in paths)
    if notes and not (without_gold or tables or is_of_json):
        raise FileError(
            f"{folder.name} is a folder of {len(notes)} notes, and a text file has no gold "
            "diagnosis: give a table with the text and the gold diagnosis in a column each, or "
            "import the notes for reading only with --without-gold."
        )
    number = 0
    for path in notes:
        if without_gold:
            number += 1
            yield Row(number, {"id": path.stem, "text": decode(path.read_bytes())})
        else:
            report(path, "gold diagnosis", "a text has none: give it as a table or as JSON")
    for path in tables:
        for row in rows_of_table(path, names, report):
            number += 1
            yield Row(number, row.values)
    if is_of_json or not (notes or tables):

        def report_other(path: Path, field: str, reason: str) -> None:
            if path not in (*notes, *tables) and not path.is_dir() and not is_about(path):
                report(path, field, reason)

        for patient in read_patients(folder, report_other):
            yield Row(number + patient.number, {"id": patient.record_id, **patient.values})
    else:
        for path in paths:
            if path not in (*notes, *tables) and not is_about(path):
                report(path, "file", "no table, JSON or text: save it as one of them")


def is_about(path: Path) -> bool:
    """Whether a file says something about the others of its folder."""
    return path.stem.lower().startswith(("readme", "license", "licence", "leeme"))


def name_unread(paths: Iterable[Path], reject: Reject) -> None:
    """Report the files of a folder that are about the others."""
    about = [path.name for path in paths if is_about(path)]
    if about:
        reject(None, SHEET_UNREAD, f"not read, because about the folder: {', '.join(about)}")


def rows_of_table(path: Path, names: Collection[str], report: RejectFile) -> Iterator[Row]:
    """The rows of one table of a folder; one that cannot be read is reported."""

    def report_row(line: int | None, field: str, reason: str) -> None:
        report(path, field, f"{tables_numbered(path, line)}: {reason}" if line else reason)

    try:
        yield from read_rows(path, read_file(path), names, report_row)
    except FileError as error:
        report(path, "file", str(error))
