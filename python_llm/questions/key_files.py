"""Keys in a file or a sheet of their own: by the question's number, or in the questions' order.

A key that is one place off makes every key after it wrong, and nobody sees it. So a list without
numbers must have as many keys as there are questions, numbers must be those of the questions, and
what leaves a doubt is refused.
"""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from python_llm.errors import FileError
from python_llm.imports import tables, workbooks
from python_llm.imports.encodings import decode
from python_llm.imports.numbered_rows import SHEET, Row, place
from python_llm.parsing.folding import column_key
from python_llm.parsing.json_text import StrangersDecoder
from python_llm.questions import documents, key_tables
from python_llm.questions.key_tables import Pair
from python_llm.questions.keys import BARE, VOIDED, Base, key_of, number_of
from python_llm.questions.options import LETTERS

MOST_SHOWN = 10
FEWEST, MOSTLY = 2, 0.6
# 'BACD BDCA': a sign a question; what is voided or has no key is X, * or -
LETTERS_ALONE = re.compile(r"[A-Ja-jXx*\-\s,;|]+")
VERSION_COLUMNS = ("version", "modelo", "cuaderno", "tipo", "form", "booklet")
DIGITS_ALONE = re.compile(r"[1-9Xx*\-\s,;|]+")


class KeyFile(NamedTuple):
    """The keys of a file as they are written, by the question's number or, `is_in_order`, by its
    place from 1 on; what is said of them; and the keys in order, where digits that stand in one
    line may be numbers and keys by turns or keys alone."""

    name: str
    keys: dict[str, Any]
    is_in_order: bool = False
    notes: tuple[str, ...] = ()
    in_order: Mapping[str, Any] = {}


class Place(NamedTuple):
    """A question as keys are matched with it: its number in the file, its position among all
    rows of the file from 1 on, and what two rows that ask the same have in common."""

    number: str | None
    position: int
    subject: tuple[str, ...]


def read_key_file(
    file: Path,
    columns: Mapping[str, str],
    sheet: str | None = None,
    *,
    version: str | None = None,
    may_lack: frozenset[str] = frozenset(),
) -> KeyFile:
    """The keys of a file, or of a sheet of a workbook.

    `columns` may name the column of numbers and that of keys or a version; the file `may_lack`
    some. Of several versions that of the examination counts (`version`, where it is known),
    otherwise version 0.
    Raises FileError if no columns look like numbers and keys, a number has two keys, or none of
    several versions is chosen.
    """
    content = tables.read(file)
    text = documents.text_of(file, content)
    if text and (table := key_tables.table_of_text(text)):
        names, cells = table
        rows = [Row(number, dict(values)) for number, values in enumerate(cells, 1)]
        return _of_rows(file, rows, _chosen(file, names, columns, may_lack), columns, version)
    if text and (listed := documents.keys_of(text) or _told_in_lines(text)):
        is_of_digits = DIGITS_ALONE.fullmatch(text.strip()) and "\n" not in text.strip()
        return KeyFile(file.name, dict(listed), in_order=_in_turn(text) if is_of_digits else {})
    if in_turn := _in_turn(decode(content) if text is None else text):
        return KeyFile(file.name, in_turn, is_in_order=True)
    try:
        rows = _rows(file, content, sheet, columns)
    except FileError:
        if listed := _without_header(file, content):
            return KeyFile(file.name, listed)
        raise
    where = Path(_named_with_sheet(file, content, sheet))
    rows, columns, notes = _of_one_part(where, rows, columns, version)
    names = list(rows[0].values) if rows else []
    chosen = _chosen(where, names, columns, may_lack)
    table_keys = _of_rows(where, rows, chosen, columns, version)
    return table_keys._replace(notes=notes + table_keys.notes)


def _named_with_sheet(file: Path, content: bytes, sheet: str | None) -> str:
    """The file as messages name it, with its sheet if it has one or one is meant."""
    sheets = [sheet] if sheet else workbooks.sheet_names(file, content)
    return f"sheet '{sheets[0]}' of {file.name}" if len(sheets) == 1 else file.name


def _of_one_part(
    file: Path, rows: list[Row], columns: Mapping[str, str], version: str | None
) -> tuple[list[Row], Mapping[str, str], tuple[str, ...]]:
    """The rows of one sheet, or of one version where a column says it in each row, if several have
    keys for the same numbers; the choice of columns that is left; what is said of it. Raises
    FileError where none is chosen."""
    names = list(rows[0].values) if rows else []
    part = next((n for n in names if n == SHEET or column_key(n) in VERSION_COLUMNS), None)
    pairs = key_tables.best_of(key_tables.pairs_of([n for n in names if n != part], {}))
    numbers: dict[str, set[Any]] = {}
    for row in rows if part else []:
        listed = {row.values.get(pair.number) for pair in pairs} - {"", None}
        numbers.setdefault(_written(row.values.get(part or "")), set()).update(listed)
    if len(numbers) < 2 or not set.intersection(*numbers.values()):
        return rows, columns, ()  # one goes on where another ends
    wanted = columns.get("key", "")
    by_version = {key_tables.version_of(_as_version(n)) or "": n for n in numbers}
    chosen = next((n for n in numbers if wanted and column_key(n) == column_key(wanted)), None)
    if chosen is None:
        chosen = by_version.get(key_tables.version_of(_as_version(wanted)) or version or "0")
    if chosen is None:
        raise FileError(
            f"{file.name}: {', '.join(numbers)} have keys for the same numbers: choose one with "
            f"--column {_option('key', next(iter(numbers)))}."
        )
    left = {role: column for role, column in columns.items() if role != "key" or column in names}
    others = ", ".join(f"--column {_option('key', name)}" for name in numbers if name != chosen)
    notes = () if wanted else (f"{file.name}: the keys of {part} {chosen}; others with {others}",)
    return [row for row in rows if _written(row.values.get(part or "")) == chosen], left, notes


def _rows(file: Path, content: bytes, sheet: str | None, columns: Mapping[str, str]) -> list[Row]:
    """The rows of a table of keys: of a workbook those of the sheet whose header says so. Raises
    FileError where none does."""
    read: list[Row] = []
    unreadable: list[str] = []

    def report(number: int | None, field: str, reason: str) -> None:
        """A row that cannot be read leaves a question without a key, which the import names."""
        unreadable.append(f"{place(file, number)}: {reason}")

    # a workbook may hold the questions too: then the names of keys alone tell the sheet
    chosen = [*map(column_key, columns.values())]
    for known in (list(key_tables.NAMES), sorted(key_tables.KEY_WORDS)):
        wanted = [*chosen, *known]
        try:
            rows = list(
                tables.read_sheet(file, content, sheet, wanted, report)
                if sheet
                else tables.read_rows(file, content, wanted, report)
            )
        except FileError as error:
            if " no header " not in str(error):
                raise
            continue
        read = rows or read
        if rows and (chosen or key_tables.pairs_of(rows[0].values, {})):
            return rows
    if not read and unreadable:
        raise FileError(f"{unreadable[0]}.")
    if not read:
        sheets = ", ".join(f"'{name}'" for name in workbooks.sheet_names(file, content))
        where = f"{file.name}, sheet {sheets}" if sheets else file.name
        raise FileError(
            f"{where}: no row names a column of numbers and one of keys ('Pregunta' and 'RC', "
            "'Question' and 'Answer'), and it is no list such as '12. B': add such a first row, or "
            "name them with --column number=COLUMN --column key=COLUMN."
        )
    return read


def _of_rows(
    file: Path,
    rows: list[Row],
    chosen: Mapping[str, str],
    columns: Mapping[str, str],
    version: str | None,
) -> KeyFile:
    """The keys of a table; `chosen` are those of the `columns` that it has. Raises FileError."""
    names = list(rows[0].values) if rows else []
    if len(rows) == 1 and 0 < len(numbers := _numbers(rows[0])) >= len(rows[0].values) - 1:
        # {"1": "B", …}, also beside a word that says what the row is
        values = rows[0].values
        return KeyFile(
            file.name, {n: key for name, key in values.items() if (n := number_of(name)) in numbers}
        )
    pairs = key_tables.pairs_of(names, {})
    told = {column_key(name) for pair in pairs for name in (pair.number, pair.key)}
    if not {*map(column_key, chosen.values())} <= told:
        pairs = key_tables.pairs_of(names, chosen)
    if not pairs and (alone := _keys_alone(rows, names, chosen)):
        return KeyFile(file.name, alone, is_in_order=True)
    if not pairs:
        listed = f" (there are {', '.join(names)[:300]})" if names else ""
        raise FileError(
            f"{file.name}: no columns look like a question's number and its key: name them with "
            f"--column number=COLUMN --column key=COLUMN{listed}."
        )
    pairs, notes = _of_one_version(file, pairs, columns, version)
    keys: dict[str, Any] = {}
    for row in rows:
        for pair in pairs:
            number, key = number_of(row.values.get(pair.number)), row.values.get(pair.key)
            if number is None or (number in keys and _written(key) == ""):
                continue
            if number in keys and _written(keys[number]) not in ("", _written(key)):
                raise _two_keys(file, row, number, pairs)
            keys[number] = key
    return KeyFile(file.name, keys, notes=notes)


def _written(key: Any) -> str:
    return str("" if key is None else key).strip()


def _two_keys(file: Path, row: Row, number: str, pairs: Sequence[Pair]) -> FileError:
    named = ", ".join(dict.fromkeys(pair.key for pair in pairs))
    return FileError(
        f"{place(file, row.number)}: question {number} has two keys: correct the file, or "
        f"choose the column with --column key=COLUMN ({named})."
    )


def _chosen(
    file: Path, names: list[str], columns: Mapping[str, str], may_lack: frozenset[str]
) -> dict[str, str]:
    """The names of the columns that were chosen, as the file writes them. Raises FileError for one
    it does not have; a version is chosen later."""
    by_key = {column_key(name): name for name in reversed(names)}
    chosen = {}
    for role, column in columns.items():
        name = column if column in names else by_key.get(column_key(column))
        if name is not None:
            chosen[role] = name
        elif role not in may_lack and not (
            role == "key" and key_tables.version_of(_as_version(column))
        ):
            raise FileError(
                f"{file.name}: there is no column '{column}' for {role}; there are "
                f"{', '.join(names)[:300]}."
            )
    return chosen


def _as_version(written: str) -> str:
    """'0' and 'B' as the name of a version."""
    return f"v{written}" if re.fullmatch(r"(?i)[0-9a-e]", written.strip()) else written


def _of_one_version(
    file: Path, pairs: list[Pair], columns: Mapping[str, str], version: str | None
) -> tuple[list[Pair], tuple[str, ...]]:
    """The pairs of one version, and what is said of the choice. Raises FileError where none of
    several is chosen, or one that is not there."""
    versions = list(dict.fromkeys(pair.version for pair in pairs if pair.version))
    of_version = {v: [p for p in pairs if p.version == v] for v in versions}
    ways = ", ".join(f"--column {_option('key', _short(of_version[v], pairs))}" for v in versions)
    if wanted := columns.get("key") or columns.get("number"):
        of_name = [p for p in pairs if column_key(wanted) in map(column_key, (p.number, p.key))]
        named = key_tables.version_of(_as_version(wanted))
        if not of_name and named and named not in versions:
            raise FileError(
                f"{file.name} has no keys of version {named}"
                f"{f': choose one of {ways}' if ways else ' and names no version'}."
            )
        return (of_name or of_version.get(named or "") or pairs), ()
    pairs = key_tables.best_of(pairs)
    if len(versions) < 2:
        if version and versions and versions != [version]:
            raise FileError(
                f"{file.name} has the keys of version {versions[0]}, and the examination says that "
                f"it is version {version}: give those of its version, or take these with {ways}."
            )
        return pairs, ()
    taken = version if version in versions else "0" if "0" in versions and not version else None
    if taken is None:
        raise FileError(
            f"{file.name} has the keys of {len(versions)} versions"
            f"{f', and not of version {version}' if version else ''}: choose one ({ways})."
        )
    note = f"{file.name}: the keys of version {taken} of {len(versions)}; others with {ways}"
    return [pair for pair in pairs if pair.version == taken], (note,)


def _short(own: Sequence[Pair], pairs: Sequence[Pair]) -> str:
    """What chooses the version of its pairs: their column of keys or, where another has that name,
    the version."""
    name = key_tables.REPEATED.sub("", own[0].key)
    is_shared = sum(key_tables.REPEATED.sub("", pair.key) == name for pair in pairs) > 1
    return f"V{own[0].version}" if is_shared else name


def _option(field: str, column: str) -> str:
    written = f"{field}={column}"
    return f'"{written}"' if re.search(r"\s", written) else written


def _keys_alone(rows: list[Row], names: list[str], chosen: Mapping[str, str]) -> dict[str, Any]:
    """The keys of a table with nothing but a column of keys, in order."""
    filled = [n for n in names if any(_written(row.values.get(n)) for row in rows)]
    column = chosen.get("key") or (filled[0] if len(filled) == 1 else None)
    if column is None or filled != [column]:
        return {}
    keys = [row.values.get(column) for row in rows]
    return {str(position): key for position, key in enumerate(keys, 1)} if _are_keys(keys) else {}


def _are_keys(keys: Sequence[Any]) -> bool:
    written = [_written(key) for key in keys]
    return all(BARE.match(k) or VOIDED.match(k) or k in ("-", "*") for k in written)


def _numbers(row: Row) -> set[str]:
    """The numbers of questions that the names of a row's columns are."""
    return {number for name in row.values if (number := number_of(name)) and number.isdecimal()}


def _in_turn(text: str) -> dict[str, Any]:
    """The keys of a list of nothing but keys, in the order of the questions: of JSON, a line each
    or, a sign each, in lines. Empty for anything else."""
    text = text.strip("\ufeff\n\r ")
    keys: list[Any] = []
    if text[:1] in ("[", "{"):
        decoder = StrangersDecoder()
        try:
            value = decoder.decode(text)
        except (ValueError, RecursionError):
            return {}
        if decoder.has_repeated:
            return {}
        lists = list(value.values()) if isinstance(value, dict) else [value]
        keys = lists[0] if len(lists) == 1 and isinstance(lists[0], list) else []
        if any(not isinstance(key, (str, int, type(None))) for key in keys):
            return {}
    else:
        lines = [line.strip().strip("\"'") for line in text.splitlines() if line.strip()]
        head = lines[:1] if len(lines) > FEWEST and _is_key_name(lines[0]) else []
        lines = lines[len(head) :]
        if len(lines) >= FEWEST and _are_keys(lines):
            keys = lines
        elif LETTERS_ALONE.fullmatch(text) or (len(lines) == 1 and DIGITS_ALONE.fullmatch(text)):
            keys = [sign for line in lines for sign in re.findall(r"[^\s,;|]", line)]
    return (
        {str(position): key for position, key in enumerate(keys, 1)} if len(keys) >= FEWEST else {}
    )


def _told_in_lines(text: str) -> dict[str, str]:
    """The keys of numbered lines that say them in words, such as '1. Opción 3'."""
    listed = documents.numbered_lines(text)
    read = [key_of(key, None, list(LETTERS), Base(1)) for _, key in listed]
    n_keys = sum(key.letter is not None or key.reason == "voided" for key in read)
    return dict(listed) if listed and n_keys >= MOSTLY * len(listed) else {}


def _is_key_name(line: str) -> bool:
    return bool({*column_key(line).split("_")} & key_tables.KEY_WORDS) and len(line) > 1


def _without_header(file: Path, content: bytes) -> dict[str, Any]:
    """The keys of a table without a header whose rows are number, key, number, key, …"""
    if file.suffix.lower() not in (".csv", ".tsv"):
        return {}
    text = re.sub(r"[;,\t]+", " ", decode(content))
    listed = documents.keys_of(text)
    return dict(listed) if 2 * len(listed) == len(text.split()) else {}


def matched(asked: Sequence[Place], n_rows: int, listed: KeyFile) -> tuple[list[Any], list[str]]:
    """The key of each question, None without one, and what is said of keys that fit none.

    `n_rows`: how many rows the file of questions has, those set aside too. Raises FileError where
    keys would be given to questions that may not be theirs.
    """
    if listed.in_order and listed.keys.keys() != {question.number for question in asked}:
        read_in_order = listed._replace(keys=dict(listed.in_order))
        note = f"{listed.name}: read as the keys of all questions, in their order, without numbers"
        return _by_place(asked, n_rows, read_in_order), [note]
    if listed.is_in_order:
        return _by_place(asked, n_rows, listed), []
    numbers = [question.number for question in asked]
    if not any(numbers):
        _check_counted(asked, n_rows, listed)
        numbers = [str(question.position) for question in asked]
    elif "0" in listed.keys and not {"0", *listed.keys} >= {*numbers} - {None}:
        raise FileError(
            f"{listed.name} counts the questions from 0 and the examination does not: give the "
            "keys the numbers of the questions."
        )
    subjects: dict[str, set[tuple[str, ...]]] = {}
    for number, question in zip(numbers, asked, strict=True):
        subjects.setdefault(number or "", set()).add(question.subject)
    shared = {number for number, texts in subjects.items() if number and len(texts) > 1}
    usable = {n: key for n, key in listed.keys.items() if n not in shared}
    n_known = sum(number in usable for number in numbers)
    if n_known < tables.LEAST_USABLE * len(asked):
        doubt = (
            f", and {_some(sorted(shared, key=numbers.index))} are numbers of several questions: "
            "number them through, or import each part as a set of its own"
            if shared
            else ": it is of another examination, or its numbers are in another column (--column "
            "number=COLUMN)"
        )
        raise FileError(f"{listed.name} has the key of {n_known} of {len(asked)} questions{doubt}.")
    notes = [
        f"{listed.name}: question {number}: several questions have this number, and none of them "
        "gets its key: number them through"
        for number in sorted(shared & listed.keys.keys(), key=numbers.index)
    ]
    return [usable.get(number or "") for number in numbers], notes + _left(numbers, listed)


def _by_place(asked: Sequence[Place], n_rows: int, listed: KeyFile) -> list[Any]:
    """The keys of a list in the questions' order. Raises FileError if it has more or fewer."""
    first = asked[0].position if asked else 1
    are_together = [question.position for question in asked] == [*range(first, first + len(asked))]
    n_keys = len(listed.keys)
    if n_keys == n_rows:
        return [listed.keys[str(question.position)] for question in asked]
    if n_keys == len(asked) and are_together:  # what was set aside stands before or after them
        return list(listed.keys.values())
    raise FileError(
        f"{listed.name} lists {_counted(n_keys, 'key')} without numbers, in the order of the "
        f"questions, and there are {_counted(n_rows, 'question')}{_aside(asked, n_rows)}: one too "
        "many or too few shifts all that follow. Add or remove it, or give each key its number "
        "('12. B', or columns of number and key)."
    )


def _check_counted(asked: Sequence[Place], n_rows: int, listed: KeyFile) -> None:
    """Raise FileError unless the keys are numbered 1, 2, … as the questions of a file without
    numbers are counted."""
    if listed.keys.keys() != {str(n) for n in range(1, n_rows + 1)}:
        raise FileError(
            f"The questions have no numbers, and {listed.name} has "
            f"{_counted(len(listed.keys), 'key')} numbered {_some(list(listed.keys))} for "
            f"{_counted(n_rows, 'question')}"
            f"{_aside(asked, n_rows)}: whose they are nobody can say. Give the questions their "
            "numbers (--column number=COLUMN), or the keys those from 1 on."
        )


def _counted(count: int, noun: str) -> str:
    return f"{count} {noun}{'' if count == 1 else 's'}"


def _aside(asked: Sequence[Place], n_rows: int) -> str:
    n_aside = n_rows - len(asked)
    return f" ({n_aside} of them set aside)" if n_aside else ""


def _some(numbers: Sequence[str]) -> str:
    return ", ".join(numbers[:MOST_SHOWN]) + (", …" if len(numbers) > MOST_SHOWN else "")


def _left(numbers: Sequence[str | None], listed: KeyFile) -> list[str]:
    """What is said of keys that no question has the number of."""
    counts = Counter(numbers)
    left = [number for number in listed.keys if number not in counts]
    if not left:
        return []
    shown = _some([f"{number} ({listed.keys[number]})" for number in left])
    return [
        f"{listed.name}: {_counted(len(left), 'key')} without a question: {shown}: correct the "
        "number or add the question"
    ]
