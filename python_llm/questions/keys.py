"""The key of a published question: a letter, a number, the option's text, or none.

A question is scored if it has one key, which is one of its options. Why it is not is a word:
no_key, voided, two_keys or key_is_no_option.
"""

import ast
import json
import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from python_llm.errors import FileError
from python_llm.imports import tables
from python_llm.parsing.folding import column_key, option_key, without_accents
from python_llm.questions import documents
from python_llm.questions.options import LETTERS

NOTHING = {"", "null", "none", "nan", "-", "--", "n/a", "na", "?", "-1"}
VOIDED = re.compile(r"(?i)^\s*\(?(?:anul\w*|annul\w*|void\w*|impugnad\w*|nula|invalid\w*|\*+|x)\b")
TWO = re.compile(
    r"(?i)^\W*([a-j]|[1-9])\W*(?:,|/|;|\by\b|\bo\b|\band\b|\bor\b|\s)\W*([a-j]|[1-9])\W*$"
)
BARE = re.compile(
    r"(?i)^(?:(?:the|la|el) )?(?:opci[oó]n|option|respuesta|answer|letra|letter|clave|key|choice"
    r"|alternativa|resp|op|la|el)?(?: correct[ao]?)?(?: (?:is|es))?(?: la)?"
    r"[\s:_.]*[(\[]?([a-j]|[0-9])(?:\.0)?[)\].:ªº]*$"
)
LEADING = re.compile(r"(?i)^[(\[]?([a-j]|[1-9])[)\].:\-–]+\s*(?=\S)")
# 'The answer is (B) Aspirin.', 'la b porque …', 'option2'
STATED = re.compile(
    r"(?i)^(?:(?:the|la)\s+)?(?:(?:correct|right|best)\s+)?(?:answer|option|respuesta|opci[oó]n)"
    r"(?:\s+correcta)?(?:\s+is|\s+es)?\s*:?\s*(?:la\s+)?[(\[*]*([a-j]|[1-9])(?:[)\].*:,]+(?:\s|$)|$)"
    r"|^(?:la\s+)?[(\[]?([a-j]|[1-9])[)\].,;]?\s+(?:porque|ya\s+que|puesto\s+que|because|since)\b"
)
TRUE = {
    "s",
    "y",
    "1",
    "1.0",
    "si",
    "yes",
    "true",
    "x",
    "verdadero",
    "anulada",
    "anulado",
    "voided",
    "void",
}


class Key(NamedTuple):
    """The letter of the right option, or why there is none."""

    letter: str | None
    reason: str | None = None


class Base(NamedTuple):
    """What the numbers of a file's keys count from."""

    first: int


def is_true(value: Any) -> bool:
    """Whether a cell says yes, as in a column of voided questions."""
    return without_accents(str(value or "")).strip().lower() in TRUE


def base_of(keys: Iterable[tuple[Any, int]]) -> Base:
    """What numeric keys count from, given (key, number of options) of every question: from 0 if
    some are 0 and none is the number of options."""
    numbers = [(int(number), n) for key, n in keys if (number := _number(key)) is not None]
    has_zero = any(number == 0 for number, _ in numbers)
    return Base(0 if has_zero and all(number < n for number, n in numbers) else 1)


def key_of(key: Any, answer: Any, options: list[str], base: Base) -> Key:
    """The key of a question from its column of letters or numbers and that of the answer's text.

    Two columns that contradict each other are key_is_no_option: nobody can say which is right.
    """
    by_key, by_answer = _one(key, options, base), _one(answer, options, base)
    if by_key.letter and by_answer.letter and by_key.letter != by_answer.letter:
        texts = {option_key(options[LETTERS.index(k.letter or "")]) for k in (by_key, by_answer)}
        # a question may have the same option twice
        return by_key if len(texts) == 1 else Key(None, "keys_contradict")
    if by_key.letter or by_key.reason == "voided":
        return by_key
    if by_answer.letter or by_key.reason == "no_key":
        return by_answer
    return by_key


def _one(value: Any, options: list[str], base: Base) -> Key:
    letters = LETTERS[: len(options)]
    if isinstance(value, str) and value.strip().startswith("["):
        try:
            value = ast.literal_eval(value.strip())
        except (ValueError, SyntaxError):
            value = value.strip("[] '\"")
    if (marks := _marks(value)) and len(marks) == len(options) and "1" in marks:
        right = [letter for letter, mark in zip(letters, marks, strict=True) if mark == "1"]
        return Key(right[0]) if len(right) == 1 else Key(None, "two_keys")
    if isinstance(value, (list, tuple)):
        read = [_one(item, options, base).letter for item in value]
        if len(value) == 2 and read[0] and read[0] == read[1]:  # its letter and its text
            return Key(read[0])
        if len(value) > 1:
            return Key(None, "two_keys")
        value = value[0] if value else None
    written = "" if value is None else re.sub(r"\.0$", "", str(value).strip())
    by_text = letter_of_text(written, options)
    if by_text:
        return Key(by_text)
    if written.lower() in NOTHING:
        return Key(None, "no_key")
    if bare := BARE.match(written):
        sign = bare[1].upper()
        if sign.isdigit():
            index = int(sign) - base.first
            if 0 <= index < len(options):
                return Key(letters[index])
            return Key(None, "no_key" if sign == "0" else "key_is_no_option")
        return Key(sign) if sign in letters else Key(None, "key_is_no_option")
    if VOIDED.match(written):
        return Key(None, "voided")
    if TWO.match(written):
        return Key(None, "two_keys")
    if leading := LEADING.match(written) or STATED.match(written):
        return _one(next(filter(None, leading.groups())), options, base)
    return Key(None, "key_is_no_option")


def _marks(value: Any) -> list[str]:
    """A 1 or 0 for each option, as '0010', '0,0,1,0' or a list; empty for anything else."""
    items = value if isinstance(value, (list, tuple)) else re.findall(r"[^\s,;]", str(value or ""))
    marks = [str(int(item)) if isinstance(item, bool) else str(item) for item in items]
    return marks if len(marks) > 2 and {*marks} <= {"0", "1"} else []


def letter_of_text(text: Any, options: list[str]) -> str | None:
    """The letter of the option that is this text, apart from case and spaces."""
    folded = [option_key(option).rstrip(".") for option in options]
    wanted = option_key(text).rstrip(".")
    return LETTERS[folded.index(wanted)] if wanted and wanted in folded else None


def _number(key: Any) -> str | None:
    if isinstance(key, bool):
        return None
    written = re.sub(r"\.0$", "", str(key).strip())
    return written if re.fullmatch(r"\d", written) else None


NUMBER_NAMES = (
    *("numero", "n", "no", "num", "number", "pregunta", "question", "question_number", "id", "qid"),
    *("numero_de_pregunta", "n_pregunta", "no_pregunta", "nº", "p", "item", "question_id"),
    *("preg", "n_preg", "no_preg", "num_preg", "orden", "q", "nr"),
)
KEY_NAMES = (
    *("respuesta_correcta", "rc", "clave", "key", "respuesta", "correcta", "answer", "answer_idx"),
    *("solucion", "correct", "correct_answer", "ra", "r", "opcion_correcta", "respuesta_oficial"),
    *(
        "solution",
        "losung",
        "loesung",
        "soluzione",
        "reponse",
        "plantilla",
        "answer_key",
        "cop",
        "v0",
        "version_0",
        "correct_option",
        "v",
    ),
)


def read_key_file(
    file: Path, columns: Mapping[str, str], sheet: str | None = None
) -> dict[str, Any]:
    """The keys of a file of its own, or of a sheet of a workbook, by the question's number, as
    they are written. Of several versions of an examination it is version 0.

    A row is a question with its number and key, or several side by side, as the tables of an
    official key are printed: number, key, number, key. Raises FileError if no columns look like
    these, or a number has two keys.
    """
    rejected: list[str] = []

    def reject(number: int | None, field: str, reason: str) -> None:
        rejected.append(f"{tables.place(file, number)}: {field}: {reason}")

    wanted = [column_key(name) for name in (*columns.values(), *NUMBER_NAMES, *KEY_NAMES)]
    content = tables.read(file)
    text = documents.text_of(file, content)
    if listed := documents.keys_of(text) if text else _in_turn(file, content):
        return dict(listed)
    rows: list[tables.Row] = []
    pairs: list[tuple[str, str]] = []
    # a workbook may hold the questions too: then the names of keys alone tell the sheet
    for names in (wanted, [column_key(name) for name in KEY_NAMES]):
        if not pairs:
            names = list(dict.fromkeys(names))
            try:
                read = list(
                    tables.read_sheet(file, content, sheet, names, reject)
                    if sheet
                    else tables.read_rows(file, content, names, reject)
                )
            except FileError:
                if listed := _without_header(file, content):
                    return listed
                raise
            rows = read or rows
            pairs = _pairs(list(rows[0].values) if rows else [], columns)
    if len(rows) == 1 and 0 < len(numbers := _numbers(rows[0])) >= len(rows[0].values) - 1:
        # {"1": "B", …}, also beside a word that says what the row is
        return {n: key for name, key in rows[0].values.items() if (n := number_of(name)) in numbers}
    if not pairs:
        raise FileError(
            f"{file.name}: no columns look like a question's number and its key: name them with "
            "--column number=COLUMN --column key=COLUMN."
        )
    keys: dict[str, Any] = {}
    for row in rows:
        for number_column, key_column in pairs:
            number, key = number_of(row.values.get(number_column)), row.values.get(key_column)
            if number is None:
                continue
            if number in keys and str(keys[number]) != str(key):
                raise FileError(
                    f"{tables.place(file, row.number)}: question {number} has two keys: correct "
                    "the file, or choose the version with --column key=COLUMN."
                )
            keys[number] = key
    return keys


def _numbers(row: tables.Row) -> set[str]:
    """The numbers of questions that the names of a row's columns are."""
    return {number for name in row.values if (number := number_of(name)) and number.isdecimal()}


def _in_turn(file: Path, content: bytes) -> dict[str, Any]:
    """The keys of a list of nothing but keys, in the order of the questions: of JSON, or a line
    each. Empty for anything else."""
    text = tables.decode(content).strip("\ufeff\n\r ")
    if text[:1] in ("[", "{"):
        try:
            value = json.loads(text)
        except (ValueError, RecursionError):
            return {}
        lists = list(value.values()) if isinstance(value, dict) else [value]
        keys = lists[0] if len(lists) == 1 and isinstance(lists[0], list) else []
    else:
        keys = [line.strip().strip("\"'") for line in text.splitlines() if line.strip()]
        keys = keys if all(BARE.match(key) or VOIDED.match(key) for key in keys) else []
    if any(not isinstance(key, (str, int)) for key in keys):
        return {}
    return {str(number): key for number, key in enumerate(keys, 1)}


def _without_header(file: Path, content: bytes) -> dict[str, Any]:
    """The keys of a table without a header whose rows are number, key, number, key, …"""
    if file.suffix.lower() not in (".csv", ".tsv"):
        return {}
    text = re.sub(r"[;,\t]+", " ", tables.decode(content))
    listed = documents.keys_of(text)
    return dict(listed) if 2 * len(listed) == len(text.split()) else {}


def _pairs(names: list[str], columns: Mapping[str, str]) -> list[tuple[str, str]]:
    """The pairs of columns with a number and its key."""
    folded = {name: re.sub(r"_\d+$", "", column_key(name)) for name in names}
    chosen = columns.get("key"), columns.get("number")
    # as the official key of MIR is printed: V, RC, V, RC, or a column for each version from 0 on
    has_versions = {"0", "1"} <= {*folded.values()}
    known = {*NUMBER_NAMES, *(["v"] if "rc" in folded.values() or has_versions else [])}
    key_names = {*KEY_NAMES, *(["0"] if has_versions else [])}
    numbers = [n for n in names if n == chosen[1] or (not chosen[1] and folded[n] in known)]
    pairs = []
    for index, number in enumerate(numbers):
        following = names[names.index(number) + 1 :]
        if index + 1 < len(numbers):
            following = following[: following.index(numbers[index + 1])]
        keys = [n for n in names if n == chosen[0]] or [
            n for n in following if {folded[n], column_key(n)} & key_names
        ]
        if keys:
            pairs.append((number, keys[0]))
    return pairs


def number_of(value: Any) -> str | None:
    """A question's number or id as it is compared: '7' for 7.0, '007' and 'Pregunta 7'."""
    written = re.sub(r"\.0$", "", str("" if value is None else value).strip())
    if match := re.fullmatch(
        r"(?i)(?:pregunta|question|q|p|n[ºo°.]*)?[\s.:#]*0*(\d+)[.)\-]*", written
    ):
        return match[1]
    return written or None
