"""Rows out of whatever people keep tables in: CSV, Excel, JSON, JSON lines, Parquet.

`read_rows` and `read_table` go on after a row that cannot be read and report it; `read_table` stops
at it if nobody takes the reports. No text about a row ever quotes a value: it may be clinical text.
"""

import ast
import csv
import io
import json
import math
import re
import string
import zipfile
import zlib
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import suppress
from datetime import date, datetime
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow as pa
import pyarrow.parquet as pq
from python_calamine import CalamineError, CalamineWorkbook, PasswordError, SheetVisibleEnum

from python_llm.errors import FileError
from python_llm.files import check_regular
from python_llm.imports import annotations, formulas, latex_tables, markup_tables
from python_llm.imports.encodings import decode as decode
from python_llm.imports.markup_tables import is_markup
from python_llm.parsing.folding import column_key
from python_llm.parsing.json_text import StrangersDecoder, flaw_of, has_endless

# line of a text file, row of a sheet, place of an item; field; reason
Reject = Callable[[int | None, str, str], None]


class Row(NamedTuple):
    """One row. `number` is its line in a text file, its row in a sheet, otherwise its place from 1
    on; `values` has texts by column name, from JSON and Parquet any value."""

    number: int
    values: dict[str, Any]


Rows = Iterator[Row]

SEPARATORS = ",;\t|^~"
WORDS_OF_PROSE = 8  # more than a name of a column has
LEAST_USABLE = 0.5  # share of rows below which a file is not what it is taken for
LONGEST_FIELD = 16 * 2**20  # characters
LONGEST_NAME = 200  # characters of a column name
MOST_COLUMNS = 16_384  # as many as a sheet of Excel has
MOST_CELLS = 20_000_000  # that a sheet may be laid out to, or MOST_EMPTY for each filled one
MOST_EMPTY = 20
MOST_UNPACKED_BYTES = 512 * 2**20  # of a sheet: a compressed file may be a thousand times its size
EXCEL = (".xlsx", ".xlsm", ".xlsb", ".xls", ".ods")
PARQUET = (".parquet", ".pq")
JSON_LINES = (".jsonl", ".ndjson")
# the columns of a file with a row for each field of a record, as REDCap exports it
OF_FIELDS = {"record", "field_name", "value"}
HEADER_AGAIN = "the header again, which is no case: nothing is lost by it"
FORMULA = "formulas whose results the file does not hold"  # of a report on a sheet
SHEET_UNREAD = "sheet"  # field of a report on a sheet that is not read
UNREADABLE = "nested too deeply, or a number too long"
# first bytes of what people bring for a table, and what it is
OTHER_KINDS = {
    b"%PDF": "a PDF",
    b"\x89PNG": "an image",
    b"\xff\xd8\xff": "an image",
    b"GIF8": "an image",
    b"II*\x00": "an image",
    b"MM\x00*": "an image",
    b"{\\rtf": "a rich text file",
    b"\x1f\x8b": "a gzip archive",
    b"7z\xbc\xaf": "a 7z archive",
    b"Rar!\x1a": "a RAR archive",
    b"$FL2": "a file of SPSS",
    b"$FL3": "a file of SPSS",
    b"<stata_dta>": "a file of Stata",
    b"RDX2": "a file of R",
    b"RDX3": "a file of R",
    b"SQLite format 3": "a database of SQLite",
    b"\x89HDF": "an HDF5 file",
}
# a cell of a sheet that is not empty
_CELL = re.compile(rb"<(?:\w+:)?c\s[^>]*?\br=[\"']([A-Z]{1,3})(\d{1,7})[\"'][^>]*(?<!/)>")
# a text, or a comma before the end of a list or an object
_COMMA = re.compile(r'("(?:\\.|[^"\\])*")|,(?=\s*[}\]])')
# a first row with every field in single quotes
_IN_QUOTES = re.compile(r"\s*'[^'\n]*'(?:\s*[,;\t|]\s*'[^'\n]*')+\s*(?:\n|\Z)")
# of the first lines of a text of Anki
_DIRECTIVES = re.compile(r"#(?:separator|html|tags|columns|notetype|deck|guid)\b[a-z ]*:")
_COLUMNS = "#columns:"
# what people call a sheet that says what the columns of the others mean
_OF_CODEBOOKS = re.compile(
    r"(?:data_?)?(?:code_?books?|dictionary|diccionario|dictionnaire|legende?|leyenda|variables"
    r"|read_?me|leeme|about|glossary|metadata|codes|codigos|kodierung|description|descripcion"
    r"|instructions|instrucciones|info)(?:_(?:de_)?(?:datos|variables|book|columns))?"
)
_LEAST_NAMED = 0.6  # share of the columns of a sheet that its codebook has
# below the header of a table of Markdown
_BAR = "\ue000"  # of the private use area: in no text
_RULE = re.compile(r"^\s*\|?(?:\s*:?-{3,}:?\s*\|)+\s*(?::?-{3,}:?\s*)?$", re.MULTILINE)
_MARKS = "\u200b\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\ufeff"
_CONTROL = re.compile(r"[\x01-\x08\x0e-\x1f]")  # no text has them
_BETWEEN, _ENDS = re.compile(r"[\s,]*"), re.compile(r"[\s,\]]*")  # of the items of a document
WORD_STREAM = "WordDocument".encode("utf-16-le")
# how far down a header may stand
HEADER_ROWS = 20
# how many rows tell whether a header is theirs
ROWS_TRIED = 100
# the column that says which sheet a row is of, where several are one table
SHEET = "sheet"


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


def read_table(file: Path, wanted: Iterable[str], reject: Reject | None = None) -> list[Row]:
    """Every row of a table, every value as text: '' for none, 1 rather than 1.0, JSON for lists.

    `wanted` are the column names that may be met, the likeliest first; they tell the header and the
    separator. A JSON object around one list is that list. A row that cannot be read goes to
    `reject`. Raises FileError, with the line, for the first such row where there is no `reject` or
    more than half of the rows are such, and for a file that cannot be read at all.
    """
    unreadable: list[tuple[int | None, str, str]] = []

    def refused(number: int | None, field: str, reason: str) -> FileError:
        return FileError(f"{place(file, number)}: {field}: {reason}; correct it.")

    def set_aside(number: int | None, field: str, reason: str) -> None:
        if field == SHEET_UNREAD:
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
        return _excel(file, content, wanted, reject)
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
        raise _without_header(file, wanted, "YAML")
    if suffix in (*EXCEL, *PARQUET) and _CONTROL.search(text[:4096]):
        return (
            _parquet(file, content) if suffix in PARQUET else _excel(file, content, wanted, reject)
        )
    return _csv(file, _without_directives(text), wanted, reject)


def _without_directives(text: str) -> str:
    """A text of Anki without the lines that say how it is written, but for its names of columns,
    which are its header; its lines keep their numbers."""
    if not _DIRECTIVES.match(text):
        return text
    lines = text.split("\n")
    for number, line in enumerate(lines):
        if not line.startswith("#"):
            break
        lines[number] = line.removeprefix(_COLUMNS) if line.startswith(_COLUMNS) else ""
    return "\n".join(lines)


def _is_yaml(suffix: str, text: str) -> bool:
    """Whether a text is YAML, by its name and first line: '- id: 1', 'cases:', '---'."""
    first = next((line for line in text.splitlines() if line.strip("- ")), "")
    is_field = re.match(r"\s*(?:- )?[\w ]+:(?:\s|$)", first) is not None
    return suffix in (".yaml", ".yml") and is_field


def refuse_other_kinds(file: Path, content: bytes) -> None:
    """Raise FileError for a file that is of a known kind and of no kind that is read."""
    kind = next((kind for mark, kind in OTHER_KINDS.items() if content.startswith(mark)), None)
    if content.startswith(b"\xd0\xcf\x11\xe0") and WORD_STREAM in content:
        kind = "a Word file"
    if content.startswith(b"PK\x03\x04"):
        kind = _other_zip(content)
    if kind:
        remedy = "unpack it and give" if "archive" in kind else "save the table as"
        raise FileError(
            f"{file.name} is {kind}; CSV, Excel, JSON, JSON lines and Parquet are read: {remedy} "
            f"{'the file or folder in it' if 'archive' in kind else 'one of them'}."
        )


def _other_zip(content: bytes) -> str | None:
    """What a zip is that is not a spreadsheet; None too for one that is cut off."""
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            names = archive.namelist()
            of_odf = archive.read("mimetype") if "mimetype" in names else b""
    except (zipfile.BadZipFile, NotImplementedError, RuntimeError, zlib.error, EOFError):
        return None
    if b"spreadsheet" in of_odf or any(name.startswith("xl/") for name in names):
        return None
    if b"opendocument.text" in of_odf or any(name.startswith("word/") for name in names):
        return "a Word file"
    return "a zip archive"


def place(file: Path | str, number: int | None) -> str:
    """Where something stands, as a person finds it: 'a.csv, line 3', 'a.xlsx, row 3'. The macro
    place_in_file says it the same way in the marts."""
    name = file if isinstance(file, str) else file.name
    return name if number is None else f"{name}, {numbered(file, number)}"


def numbered(file: Path | str, number: int) -> str:
    """'line 3', 'row 3' or 'item 3', as the kind of file counts."""
    suffix = Path(file).suffix.lower()
    unit = "row" if suffix in (*EXCEL, *PARQUET) else "item" if suffix == ".json" else "line"
    return f"{unit} {number}"


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


def read_json(file: Path, content: bytes, reject: Reject) -> Rows:
    """Objects of a JSON-lines file, or of one JSON array or object.

    A faulty line is rejected; of a faulty document everything is, as its first record.
    """
    refuse_other_kinds(file, content)
    text = decode(content, file.name).strip("\ufeff")
    lines = text.split("\n")
    decoder = StrangersDecoder()
    try:
        whole = decoder.decode(text)
    except (ValueError, RecursionError) as error:
        # lines of their own: what the file is called says so, or the first one is whole
        if file.suffix.lower() in JSON_LINES or _is_object(lines):
            numbered = _lines(lines, decoder, reject)
        else:
            numbered = _items(text, decoder, error, reject)
    else:
        numbered = enumerate(_of_whole(whole), 1)
    # half a character, which nothing can store, is only ever written as an escape
    may_be_half = "\\ud" in text or "\\uD" in text
    may_be_endless = has_endless(text)
    for number, item in numbered:
        if not isinstance(item, dict):
            reject(number, "record", "not a JSON object: write one for each row")
        elif may_be_half and not _is_encodable(item):
            reason = "half a character (a \\ud… without its other half): write it whole"
            reject(number, "record", reason)
        elif (may_be_endless or decoder.has_repeated) and (flaw := flaw_of(item)):
            reject(number, "record", flaw)
        else:
            for values in annotations.rows_of(item):
                yield Row(number, values)


def _of_whole(whole: Any) -> list[Any]:
    """The rows of a document: the items of a list, or lists below a list of names, as programs
    write a table."""
    header, rows = (whole[:1], whole[1:]) if isinstance(whole, list) else ([], [])
    if isinstance(whole, dict) and isinstance(whole.get("data"), list):
        header, rows = [whole.get("columns")], whole["data"]
    names = header[0] if header else None
    if isinstance(names, list) and names and rows:
        are_names = all(isinstance(name, str) for name in names)
        if are_names and all(isinstance(row, list) and len(row) == len(names) for row in rows):
            return [dict(zip(names, row, strict=True)) for row in rows]
    if isinstance(whole, list):
        return whole
    return [whole]


def _lines(
    lines: list[str], decoder: json.JSONDecoder, reject: Reject
) -> Iterator[tuple[int, Any]]:
    for number, written in enumerate(lines, 1):
        if written.strip():
            try:
                item = decoder.decode(_without_commas(written))
            except json.JSONDecodeError as error:
                reason = f"no valid JSON: {error.msg} at character {error.pos + 1}"
                reject(number, "record", reason)
            except (ValueError, RecursionError):
                reject(number, "record", f"no valid JSON: {UNREADABLE}")
            else:
                yield number, item


def _without_commas(written: str) -> str:
    """JSON without commas that nothing follows, in it and after it."""
    return _COMMA.sub(lambda match: match[1] or "", written).strip().removesuffix(",")


def _items(
    text: str, decoder: json.JSONDecoder, error: Exception, reject: Reject
) -> Iterator[tuple[int, Any]]:
    """The items of a document that is no valid JSON: with commas that nothing follows, with objects
    one after the other, or cut off, of which what is whole is read."""
    plain = _without_commas(text)
    try:
        whole = decoder.decode(plain)
    except (ValueError, RecursionError):
        pass
    else:
        yield from enumerate(whole if isinstance(whole, list) else [whole], 1)
        return
    number, position = 0, _BETWEEN.match(plain).end()  # type: ignore[union-attr]
    position += plain[position : position + 1] == "["
    while not number or _ENDS.fullmatch(plain, position) is None:
        position = _BETWEEN.match(plain, position).end()  # type: ignore[union-attr]
        try:
            item, position = decoder.raw_decode(plain, position)
        except (ValueError, RecursionError) as problem:
            first = problem if number else error
            line = text.count("\n", 0, position) + 1 if number else getattr(first, "lineno", None)
            where = f" from line {line} on" if line else ""
            lost = ", and what follows is lost" if number else ""
            message = getattr(first, "msg", UNREADABLE)
            reject(number + 1, "record", f"no valid JSON{where}: {message}{lost}")
            return
        number += 1
        yield number, item


def _is_object(lines: list[str]) -> bool:
    """Is the first line that is not blank a whole JSON object?"""
    first = next((line for line in lines if line.strip()), "")
    try:
        return isinstance(json.loads(_without_commas(first)), dict)
    except (ValueError, RecursionError):
        return False


def _is_encodable(item: Any) -> bool:
    try:
        json.dumps(item, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        return False
    return True


def _csv(file: Path, text: str, wanted: Collection[str], reject: Reject) -> Rows:
    csv.field_size_limit(LONGEST_FIELD)
    quote = "'" if _IN_QUOTES.match(text) else '"'  # of a database: 'P1','It''s gout'
    separator, n_before = _dialect(file, text, wanted, quote)
    top: list[list[str]] = []
    with suppress(csv.Error):  # of the row below the header, which is reported in its turn
        top.extend(
            islice(
                csv.reader(io.StringIO(text, newline=""), delimiter=separator, quotechar=quote),
                n_before + 2,
            )
        )
    header, n_rows = _header(top, n_before, wanted)
    if _has_row_names(text, n_before + n_rows, len(header), separator, quote):
        header = ["", *header]
    # a row of '|---|' belongs to the table, and blanks in its cells to nothing
    is_markdown = separator == "|" and _RULE.search(text) is not None
    # a bar of a text is written with a backslash there
    lines = io.StringIO(text.replace("\\|", _BAR) if is_markdown else text, newline="")
    # what stands above the values need not be well formed
    above = csv.reader(lines, delimiter=separator, quotechar=quote)
    for _ in range(n_before + n_rows):
        next(above)
    reader = csv.reader(lines, delimiter=separator, quotechar=quote, strict=True)
    while True:
        line = above.line_num + reader.line_num + 1
        try:
            fields = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            last = above.line_num + reader.line_num
            if "end of data" in str(error):
                reject(
                    line,
                    "record",
                    f"a quote opened here is never closed: lines {line} to {last} lost; close it",
                )
                return
            # where a row with a quote too many ends nobody knows: its lines are named, not guessed
            lost = f": lines {line} to {last} lost, a quote too many" if last > line else ""
            reject(line, "record", f"not read: {error}{lost}")
            continue
        if not any(field.strip() for field in fields):
            continue
        while len(fields) > len(header) and not fields[-1].strip():
            fields.pop()
        if is_markdown and all(re.fullmatch(r"\s*:?-*:?\s*", field) for field in fields):
            continue
        if is_markdown:
            fields = [field.strip().replace(_BAR, "|") for field in fields]
        if _is_header(fields, header):
            reject(line, "record", HEADER_AGAIN)
        elif len(fields) != len(header):
            counted = f"{len(fields)} fields where the header has {len(header)}"
            reject(line, "record", f"{counted}: put texts with '{separator}' in quotes")
        else:
            yield Row(line, dict(zip(header, fields, strict=True)))


def _has_row_names(text: str, n_above: int, n_columns: int, separator: str, quote: str) -> bool:
    """Whether each row below a header begins with its number in quotes, for which R writes no
    heading. Without quotes it may be an id, and the field too many a part of a text."""
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=separator, quotechar=quote)
    firsts: list[str] = []
    with suppress(csv.Error):
        for fields in islice(reader, n_above, n_above + ROWS_TRIED):
            start = f"{quote}{len(firsts) + 1}{quote}{separator}"
            if len(fields) != n_columns + 1 or f"\n{start}" not in text:
                return False
            firsts.append(fields[0])
    return len(firsts) > 1 and firsts == [str(n) for n in range(1, len(firsts) + 1)]


def _dialect(file: Path, text: str, wanted: Collection[str], quote: str = '"') -> tuple[str, int]:
    """The separator, and how many rows stand before the header.

    Each separator has a row that looks most like a header. The first of these rows is it whose
    number of names most rows below it have as fields too: a table inside a cell comes later, and
    a title has other rows below it than its own.
    """
    dialects = []
    for separator in SEPARATORS:
        lines = io.StringIO(text[: 2**20], newline="")
        reader = csv.reader(lines, delimiter=separator, quotechar=quote)
        rows: list[list[str]] = []
        ends = [0]  # line of the text with which each row ends
        with suppress(csv.Error):
            for fields in islice(reader, HEADER_ROWS + ROWS_TRIED):
                rows.append(fields)
                ends.append(reader.line_num)
        best = max(
            (
                (_known(fields, wanted), len(fields), -row_index)
                for row_index, fields in enumerate(rows[:HEADER_ROWS])
            ),
            default=(0, 0, 0),
        )
        known, n_fields, row_index = best[0], best[1], -best[2]
        if known:
            below = [fields for fields in rows[row_index + 1 :] if any(map(str.strip, fields))]
            n_fitting = sum(len(fields) == n_fields for fields in below)
            is_header = n_fields > 1 and 0 < len(below) <= 2 * n_fitting
            dialects.append((is_header, -ends[row_index] if is_header else 0, *best, separator))
        if rows and {*map(column_key, rows[0])} >= OF_FIELDS:
            return separator, 0
    if not dialects:
        raise _no_table(file) if _is_prose(text) else _without_header(file, wanted)
    *_, row_index, separator = max(dialects)
    return separator, -row_index


def _known(fields: Iterable[Any], wanted: Collection[str]) -> int:
    """How many of the names wanted a row has, or names of nothing but such words and numbers."""
    return len(_of_wanted(fields, wanted))


def _of_wanted(fields: Iterable[Any], wanted: Collection[str]) -> set[str]:
    """Which names of a row are wanted; no name is as long as a text."""
    names = {column_key(field) for field in fields if len(str(field)) <= LONGEST_NAME}
    return {name for name in names if name in wanted or _tells(name.split("_"), wanted)}


def _tells(words: list[str], wanted: Collection[str]) -> bool:
    """Whether a name is made of words that are wanted, numbers aside: 'Evaluador 1'."""
    names_written = [word for word in words if word and not word.isdigit()]
    return bool(names_written) and all(word in wanted for word in names_written)


def _without_header(file: Path, wanted: Collection[str], kind: str = "") -> FileError:
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


def _no_table(file: Path) -> FileError:
    """The error for a file of prose, under any name."""
    return FileError(
        f"{file.name} is a text and not a table: give a table with a row for each case. Notes "
        "without a diagnosis go into a folder, a text file each: kernel29 cases import FOLDER "
        "--without-gold."
    )


def _is_prose(text: str) -> bool:
    """Whether the first lines of a file have a sentence, and no more fields than one has commas."""
    lines = [line.strip() for line in text[: 2**16].splitlines()[:HEADER_ROWS] if line.strip()]
    has_fields = any(separator in line for line in lines for separator in ";\t|")
    return not has_fields and any(
        len(line.split()) > WORDS_OF_PROSE and line.endswith((".", ":")) for line in lines
    )


def _check_unpacked(file: Path, content: bytes) -> None:
    """Raise FileError for a sheet that would unpack to more than fits in memory."""
    with suppress(zipfile.BadZipFile), zipfile.ZipFile(io.BytesIO(content)) as archive:
        n_bytes = sum(part.file_size for part in archive.infolist())
        if n_bytes > MOST_UNPACKED_BYTES:
            raise FileError(
                f"{file.name} unpacks to {n_bytes / 2**20:,.0f} MiB, and at most "
                f"{MOST_UNPACKED_BYTES / 2**20:,.0f} are read: save its sheet as CSV, or in parts."
            )


def _check_spread(file: Path, content: bytes) -> None:
    """Raise FileError for a sheet whose cells lie so far apart that the table between them, which
    is laid out whole, would not fit in memory."""
    if not content.startswith(b"PK"):
        return
    with suppress(zipfile.BadZipFile), zipfile.ZipFile(io.BytesIO(content)) as archive:
        parts = [n for n in archive.namelist() if re.fullmatch(r"xl/worksheets/[^/]+\.xml", n)]
        for part in parts:
            columns: set[bytes] = set()
            n_cells, top, bottom = 0, MOST_CELLS, 0
            for cell in _CELL.finditer(archive.read(part)):
                n_cells += 1
                columns.add(cell[1])
                row = int(cell[2])
                top, bottom = min(top, row), max(bottom, row)
            numbers = [_number_of_column(name) for name in columns]
            n_laid_out = (bottom - top + 1) * (max(numbers, default=0) - min(numbers, default=0))
            if n_laid_out > max(MOST_CELLS, MOST_EMPTY * n_cells):
                raise FileError(
                    f"{file.name} has {n_cells:,} filled cells as far apart as row {bottom:,} and "
                    f"column {max(columns, key=_number_of_column).decode()}: delete the cells far "
                    "from the table, and save it."
                )


def _number_of_column(name: bytes) -> int:
    """'A' is 1, 'XFD' 16,384."""
    number = 0
    for letter in name:
        number = number * 26 + letter - ord("A") + 1
    return number


def sheet_names(file: Path, content: bytes) -> list[str]:
    """The sheets of a workbook; none of another file."""
    if not content.startswith((b"PK", b"\xd0\xcf")) or file.suffix.lower() not in EXCEL:
        return []
    try:
        return CalamineWorkbook.from_filelike(io.BytesIO(content)).sheet_names
    except (CalamineError, OSError):
        return []


def first_sheet(file: Path, content: bytes) -> list[list[str]]:
    """The cells of a workbook's first sheet, whatever they are; none of another file."""
    if not sheet_names(file, content):
        return []
    book, _ = _opened(file, content, None)
    rows = book.get_sheet_by_index(0).to_python(skip_empty_area=False)
    return [[as_written(cell) for cell in row] for row in rows]


def read_sheet(
    file: Path, content: bytes, sheet: str, wanted: Collection[str], reject: Reject
) -> Rows:
    """The rows of one sheet of a workbook, as `read_rows` gives those of all that are alike."""
    return _bounded(file, _excel(file, content, wanted, reject, sheet), reject)


def _opened(
    file: Path, content: bytes, only: str | None
) -> tuple[CalamineWorkbook, list[list[list[Any]]]]:
    """A workbook, and the first rows of each sheet, of `only` one if it is named."""
    _check_unpacked(file, content)
    _check_spread(file, content)
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
        raise FileError(
            f"{file.name} is not a readable Excel file (cut off or damaged): export it again."
        ) from error
    return book, sheets


def _excel(
    file: Path, content: bytes, wanted: Collection[str], reject: Reject, only: str | None = None
) -> Rows:
    book, sheets = _opened(file, content, only)
    # in every sheet the row that looks most like a header
    headers = [
        max(
            ((_of_wanted(cells, wanted), -row_index) for row_index, cells in enumerate(rows)),
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
        raise _without_header(file, wanted)
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
        header, n_rows = _header(
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
            if _is_header(row.values(), row):
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
        ((_known(texts, wanted), -index) for index, texts in enumerate(cells[:HEADER_ROWS])),
        default=(0, 0),
    )
    if not known:
        raise _without_header(file, wanted, kind)
    header, n_rows = _header(cells[: 2 - behind], -behind, wanted)
    for number, texts in rows[n_rows - behind :]:
        row = {name: text for name, text in zip(header, texts, strict=False) if name}
        if _is_header(row.values(), row):
            reject(number, "record", HEADER_AGAIN)
        elif any(row.values()):
            yield Row(number, row)


def _is_header(fields: Iterable[str], header: Iterable[str]) -> bool:
    """Whether a row repeats the header, as the pages of a printed table do."""
    return [column_key(field) for field in fields] == [column_key(name) for name in header]


def _header(
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
        or (_known(below[:1], wanted) and _known(below, wanted) > 1)
    )
    counts = _counts_ranks(names, below) or _counts_options(names, below)
    if under_nothing and is_of_names and (_known(below, wanted) or counts or is_spanned):
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
    if sum(map(bool, above)) > 1 and not _known(above, wanted) > _known(names, wanted):
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
        is_part = name and not _known([name], wanted) and column_key(both) in wanted
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


def as_written(value: Any) -> str:
    """A cell as text: whole numbers without a point, ISO dates, lists and objects as JSON, blanks
    and NaN as ''."""
    if isinstance(value, str):
        return value
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return ""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    if isinstance(value, datetime | date):
        return value.isoformat()
    if isinstance(value, (list, dict)):
        return json.dumps(value, ensure_ascii=False, default=str)
    return str(value)


def without_marks(written: str) -> str:
    """A cell without the marks at its ends that only say which way to write, and are seen by
    nobody: two ids that look the same are the same."""
    bare = written.strip()
    is_marked = bool(bare) and (bare[0] in _MARKS or bare[-1] in _MARKS)
    return written.strip(_MARKS + string.whitespace + "\xa0") if is_marked else written


def text(value: Any) -> str | None:
    """A cell as text, as `as_written`; what people and programs write for nothing is nothing."""
    written = without_marks(as_written(value)).strip()
    return None if written.lower() in ("", "nan", "null", "none", "#n/a") else written


def texts(value: Any, separator: str | None) -> list[str] | None:
    """A list of texts, whether it comes as a list, as one written as in JSON or Python, or as one
    text with separators."""
    if isinstance(value, (list, tuple)):
        parts = [text(item) for item in value]
    else:
        whole = text(value)
        if whole is None:
            return None
        if whole.startswith("["):
            for read_list in (json.loads, ast.literal_eval):
                try:
                    return texts(read_list(whole), separator)
                except (ValueError, SyntaxError, MemoryError, RecursionError):
                    continue
            if "]" not in whole[1:-1]:  # '[G43.9] Migraine' is no list
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
