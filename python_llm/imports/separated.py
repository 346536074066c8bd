"""Rows of text with separators: CSV, TSV, Markdown, and what databases and Anki write."""

import csv
import io
import re
from collections import Counter
from collections.abc import Collection, Iterable
from contextlib import suppress
from itertools import islice
from pathlib import Path

from python_llm.errors import FileError
from python_llm.imports.header_rows import (
    HEADER_ROWS,
    is_header,
    n_known,
    names_of_header,
    without_header,
)
from python_llm.imports.markup_tables import without_note_marks
from python_llm.imports.numbered_rows import HEADER_AGAIN, Reject, Row, Rows
from python_llm.parsing.folding import column_key

SEPARATORS = ",;\t|^~"
WORDS_OF_PROSE = 8  # more than a name of a column has
LONGEST_FIELD = 16 * 2**20  # characters
# the columns of a file with a row for each field of a record, as REDCap exports it
OF_FIELDS = ("record", "field_name", "value")
# three columns of other names that are the same
_OF_THREE = (
    re.compile(
        r"(?:record|subject|patient|case|sujeto|paciente|caso|registro|proband|patient_?in|sujet|"
        r"dossier)(?:_?(?:id|nr|no|number|codigo))?|(?:id|nhc|mrn)(?:_\w+)?"
    ),
    re.compile(
        r"(?:field|variable|attribute|campo|atributo|parametro|item|merkmal|champ)"
        r"(?:_(?:name|nombre))?|question_name"
    ),
    re.compile(r"value|valor|wert|valeur|valore"),
)
# a first row with every field in single quotes
_IN_QUOTES = re.compile(r"\s*'[^'\n]*'(?:\s*[,;\t|]\s*'[^'\n]*')+\s*(?:\n|\Z)")
# of the first lines of a text of Anki
_DIRECTIVES = re.compile(r"#(?:separator|html|tags|columns|notetype|deck|guid)\b[a-z ]*:")
_COLUMNS = "#columns:"
_BAR = "\ue000"  # of the private use area: in no text
_STRESSED = re.compile(r"(?P<sign>\*\*|__)(?=\S)(?P<text>.+?)(?<=\S)(?P=sign)")
_ALL_STRESSED = re.compile(r"(?P<sign>[*_`])(?=\S)(?P<text>[^*_`]+)(?<=\S)(?P=sign)")
# below the header of a table of Markdown
_RULE = re.compile(r"^\s*\|?(?:\s*:?-{3,}:?\s*\|)+\s*(?::?-{3,}:?\s*)?$", re.MULTILINE)
# One dash a column will do there, but elsewhere it may be a value: below the first line with a bar
_SHORT_RULE = re.compile(
    r"(?:[^|\n]*\n)*[^|\n]*\|[^\n]*\n[ \t]*\|?(?:[ \t]*:?-+:?[ \t]*\|)+[ \t]*"
    r"(?::?-+:?[ \t]*)?(?:\r?\n|\Z)"
)
_OF_RULE = re.compile(r"\s*:?-*:?\s*").fullmatch
# how many rows tell whether a header is theirs
ROWS_TRIED = 100


_WITH_NUMBER = re.compile(r"[^\s:;,()\[\]]*\d[^\s:;,()\[\]]*")
FEWEST_CASES = 3  # of which a form asks the same


def _without_emphasis(cell: str) -> str:
    """A cell of Markdown without the signs around what it stresses, and without marks of notes:
    '**Gout**<sup>a</sup>' is Gout."""
    plain = _STRESSED.sub(r"\g<text>", without_note_marks(cell))
    whole = _ALL_STRESSED.fullmatch(plain)
    return whole["text"] if whole else plain


def without_directives(text: str) -> str:
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


def fields_of_records(names: Iterable[str]) -> tuple[str, str, str] | None:
    """The columns of the record, the field and its value of a table with a row for each field of a
    record, by their folded names; None for another table."""
    keys = [*map(column_key, names)]
    if {*keys} >= {*OF_FIELDS}:
        return OF_FIELDS
    if len(keys) == len(_OF_THREE) and all(
        kind.fullmatch(key) for kind, key in zip(_OF_THREE, keys, strict=True)
    ):
        return keys[0], keys[1], keys[2]
    return None


def csv_rows(file: Path, text: str, wanted: Collection[str], reject: Reject) -> Rows:
    csv.field_size_limit(LONGEST_FIELD)
    is_ruled = _RULE.search(text) is not None or _SHORT_RULE.match(text) is not None
    if is_ruled:  # a bar of a text is written with a backslash there
        text = text.replace("\\|", _BAR)
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
    header, n_rows = names_of_header(top, n_before, wanted)
    if _has_row_names(text, n_before + n_rows, len(header), separator, quote):
        header = ["", *header]
    # a row of '|---|' belongs to the table, and blanks in its cells to nothing
    is_markdown = separator == "|" and is_ruled
    lines = io.StringIO(text if is_markdown else text.replace(_BAR, "\\|"), newline="")
    # what stands above the values need not be well formed
    above = csv.reader(lines, delimiter=separator, quotechar=quote)
    for _ in range(n_before + n_rows):
        next(above)
    reader = csv.reader(lines, delimiter=separator, quotechar=quote, strict=True)
    has_ended = False
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
            reject(line, "record", _not_read(str(error), line, last))
            continue
        if not any(field.strip() for field in fields):
            has_ended = True
            continue
        while len(fields) > len(header) and not fields[-1].strip():
            fields.pop()
        if is_markdown and ((has_ended and len(fields) == 1) or all(map(_OF_RULE, fields))):
            continue  # a text below the table, or the rule below its header
        if is_markdown:
            fields = [_without_emphasis(field.strip()).replace(_BAR, "|") for field in fields]
        if is_header(fields, header):
            reject(line, "record", HEADER_AGAIN)
        elif len(fields) != len(header):
            counted = f"{len(fields)} fields where the header has {len(header)}"
            reject(line, "record", f"{counted}: put texts with '{separator}' in quotes")
        else:
            yield Row(line, dict(zip(header, fields, strict=True)))


def _not_read(error: str, first: int, last: int) -> str:
    """What to say of a row that is no CSV; its longest cell may be a text, or follow a quote."""
    if "field limit" in error:
        size = LONGEST_FIELD // 2**20
        return f"a cell of more than {size} MB: shorten its text, or close the quote before it"
    return f"not read: {error}{_of_quotes(first, last)}"


def _of_quotes(first: int, last: int) -> str:
    """What to say of a row that has a quote too many. Where it ends nobody knows: its lines are
    named, not guessed."""
    if last > first:
        return f": lines {first} to {last} lost, a quote too many"
    return "; write a quote inside a quoted text twice, or export the file again"


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
                (n_known(fields, wanted), len(fields), -row_index)
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
        if rows and fields_of_records(rows[0]):
            return separator, 0
    if not dialects:
        if _has_column_each(text):
            raise FileError(
                f"{file.name} has a column for each case and a row for each person who answered: "
                "turn it into a row for each case and person, with the columns case_id, rater and "
                "label, and give that file."
            )
        raise _no_table(file) if _is_prose(text) else without_header(file, wanted)
    *_, row_index, separator = max(dialects)
    # a form may repeat 'Rank 1' in its rows: these are answers, and no second heading
    return separator, 0 if separator == "," and _has_column_each(text) else -row_index


def _has_column_each(text: str) -> bool:
    """Whether most names of columns are one question about several cases, as in the answers to a
    form: 'Case B001: is it right?', 'Case B002: is it right?'."""
    names = next(csv.reader(io.StringIO(text[: 2**16], newline="")), [])
    asked = Counter(_WITH_NUMBER.sub("#", name) for name in names if _WITH_NUMBER.search(name))
    question, n_columns = max(asked.items(), key=lambda item: item[1], default=("", 0))
    return n_columns >= FEWEST_CASES and 2 * n_columns > len(names) and " " in question.strip("# ")


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
