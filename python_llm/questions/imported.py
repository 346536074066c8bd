"""Imports multiple-choice questions from files, as one Parquet file per question set.

The formats are JSON lines and JSON (MedQA with four or five options, as object or list;
examinations in one object) and tables with a header (CSV, TSV, semicolons, Excel, Parquet) whose
columns have English or Spanish names, or any names with a mapping. A file that does not add up
raises a FileError naming file, row and remedy, and nothing is written.
"""

import os
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow as pa

from python_llm import files, paths
from python_llm.errors import FileError
from python_llm.imports import tables
from python_llm.parsing.folding import column_key, option_key

BANK = "kernel29_bank"
LETTERS = "ABCDEFGHIJ"
NAME = re.compile(r"[a-z][a-z0-9_]*")

IMPORTED_SCHEMA = pa.schema(
    [
        pa.field("question_set", pa.string(), nullable=False),
        pa.field("question_number", pa.int32(), nullable=False),
        pa.field("language", pa.string()),
        pa.field("question_text", pa.string(), nullable=False),
        pa.field("options", pa.list_(pa.string()), nullable=False),
        pa.field("answer_letter", pa.string(), nullable=False),
        pa.field("source", pa.string(), nullable=False),
        pa.field("contains_phi", pa.bool_(), nullable=False),
    ]
)

# The names of each field's column, compared without accents, case and punctuation.
ALIASES = {
    "question": (
        *("question", "question_text", "pregunta", "enunciado", "texto", "texto_pregunta"),
        *("stem", "qtext", "texto_de_la_pregunta", "full_question"),
    ),
    "options": ("options", "opciones", "respuestas", "choices", "alternativas", "answers"),
    "key": (
        *("answer_idx", "answer_letter", "answer_key", "key", "clave", "respuesta_correcta"),
        *("correcta", "correct", "solucion", "correct_answer", "opcion_correcta", "cop", "ra"),
        *("correct_option", "respuesta_oficial", "rc", "respuesta"),
    ),
    "answer": ("answer", "answer_text", "texto_respuesta"),
}
OPTION_PREFIXES = (
    *("option", "opcion", "respuesta", "alternativa", "choice", "answer", "op", "opt", "resp", "r"),
    "",
)
VOID_KEYS = {"", "anulada", "annulled", "void", "null", "none", "nan", "0", "-"}
MARKED_OPTION = re.compile(r"(?:^|(?<=\s))\(?([A-Ja-j]|[1-9])[).]-?\s+")


@dataclass(frozen=True)
class Imported:
    """What an import did: the questions written, the repeated ones and those without a key that
    were left out, and why each unreadable row could not be read."""

    path: Path
    n_questions: int
    n_repeated: int
    n_without_key: int
    unreadable: list[str]


def import_questions(
    source: Path,
    question_set: str,
    folder: Path,
    *,
    columns: Mapping[str, str] | None = None,
    language: str | None = None,
    skip_without_key: bool = False,
    contains_phi: bool = False,
) -> Imported:
    """Write `folder`/`question_set`.parquet (IMPORTED_SCHEMA) from `source`, whole or not at all.

    `columns` maps question, key, answer, options or option_a … option_j to the file's own names.
    `language` is en, es or None, which detects it from the text. A question that appears twice with
    the same options is written once. `skip_without_key` leaves out and counts questions whose key
    is empty or annulled; otherwise they are an error. Raises FileError.
    """
    mapping = dict(columns or {})
    _check_choices(question_set, language, mapping)
    records, unreadable = _records(source, mapping.values())
    named = [(where, _named(record, mapping, where)) for where, record in records]
    questions, n_repeated, n_without_key = _questions(named, skip_without_key=skip_without_key)
    if not questions:
        raise FileError(f"{source} holds no question with a key: choose another file.")
    rows = [
        {
            "question_set": question_set,
            "question_number": number,
            "language": language,
            "question_text": question.text,
            "options": question.options,
            "answer_letter": question.letter,
            "source": source.name,
            "contains_phi": contains_phi,
        }
        for number, question in enumerate(questions, 1)
    ]
    destination = folder / f"{question_set}.parquet"
    files.write_parquet(pa.Table.from_pylist(rows, schema=IMPORTED_SCHEMA), destination)
    return Imported(destination, len(rows), n_repeated, n_without_key, unreadable)


def _check_choices(question_set: str, language: str | None, mapping: Mapping[str, str]) -> None:
    """Raise FileError for a name, a language or a mapping that cannot be used."""
    if not NAME.fullmatch(question_set):
        raise FileError(
            f"'{question_set}' cannot name a question set: use lower-case letters, digits and _."
        )
    if question_set == BANK:
        raise FileError(f"{BANK} is the project's own question bank: choose another name.")
    if language not in (None, "en", "es"):
        raise FileError(f"Language '{language}' is not known: use en or es, or leave it out.")
    _check_mapping(mapping)


class Question(NamedTuple):
    """A question of a file: its text, its options in order, and the letter of the right one."""

    text: str
    options: list[str]
    letter: str


def _questions(
    records: list[tuple[str, dict[str, Any]]], *, skip_without_key: bool
) -> tuple[list[Question], int, int]:
    """The questions of the records, each once; how many were repeated and how many had no key.
    Raises FileError for one without a key, unless these are skipped."""
    # some JSON files number their keys from 0; a single 0 shows it
    first_number = 0 if any(named.get("key") == 0 for _, named in records) else 1
    questions: dict[tuple[str, ...], Question] = {}
    n_repeated = n_without_key = 0
    for where, named in records:
        text, options = _text(named, where), _options(named, where)
        letter = _letter(named, options, where, first_number)
        if letter is None:
            if not skip_without_key:
                raise FileError(
                    f"{where}: the question has no key; fill it in, or leave such questions out "
                    "with --skip-without-key."
                )
            n_without_key += 1
        elif (text, *options) in questions:
            n_repeated += 1
        else:
            questions[text, *options] = Question(text, options, letter)
    return list(questions.values()), n_repeated, n_without_key


def imported_folder() -> Path:
    """Where imported question sets are kept: data/questions, or under KERNEL29_DATA_DIR."""
    return paths.resolve(os.environ.get("KERNEL29_DATA_DIR", "data")) / "questions"


def read_imported(folder: Path) -> pa.Table:
    """Every imported question set of `folder` (IMPORTED_SCHEMA); without any, no rows."""
    return files.read_parquet(
        sorted(folder.glob("*.parquet")),
        IMPORTED_SCHEMA,
        "imported question set (kernel29 questions import)",
    )


def _records(
    source: Path, columns: Iterable[str]
) -> tuple[list[tuple[str, dict[str, Any]]], list[str]]:
    """(file and row, record) of every record of a file; and where and why rows cannot be read.
    Raises FileError if more than half cannot."""
    unreadable: list[str] = []

    def reject(number: int | None, field: str, reason: str) -> None:
        unreadable.append(f"{tables.place(source, number)}: {field}: {reason}")

    aliases = [name for names in ALIASES.values() for name in names]
    known = list(dict.fromkeys(column_key(name) for name in (*columns, *aliases)))
    rows = list(tables.read_rows(source, tables.read(source), known, reject))
    if unreadable and len(rows) < tables.LEAST_USABLE * (len(rows) + len(unreadable)):
        raise FileError(f"{unreadable[0]}; correct it ({len(unreadable)} such rows).")
    if len(rows) == 1 and not {*columns} & {*rows[0].values} and _is_exam(rows[0].values):
        questions = enumerate(_question_list(rows[0].values), 1)
        rows = [tables.Row(number, question) for number, question in questions]
    return [(tables.place(source, row.number), row.values) for row in rows], unreadable


def _is_exam(value: Any) -> bool:
    """An object around questions, as HEAD-QA's {"exams": {name: {"data": [question, …]}}}."""
    fields = {alias for name in ("question", "options", "key") for alias in ALIASES[name]}
    return (
        isinstance(value, dict)
        and any(isinstance(item, (dict, list)) for item in value.values())
        and not {column_key(name) for name in value} & fields
    )


def _question_list(value: Any) -> list[Any]:
    """The questions of a JSON document: an array, or the arrays inside an object, in order."""
    if isinstance(value, list):
        return value
    if not _is_exam(value):
        return [value]
    nested = [item for item in value.values() if isinstance(item, (dict, list))]
    return [
        question for item in nested if _holds_objects(item) for question in _question_list(item)
    ]


def _holds_objects(value: Any) -> bool:
    return isinstance(value, dict) or all(isinstance(item, dict) for item in value)


def _check_mapping(mapping: Mapping[str, str]) -> None:
    known = ["question", "key", "answer", "options", *(f"option_{c.lower()}" for c in LETTERS)]
    for field in mapping:
        if field not in known:
            raise FileError(
                f"--column {field}=…: '{field}' is not a field; use question, key, answer, options "
                "or option_a to option_j."
            )


def _named(record: Mapping[str, Any], mapping: Mapping[str, str], where: str) -> dict[str, Any]:
    """The record's values by field: question, key, answer, options, option_a …"""
    for field, column in mapping.items():
        if column not in record:
            raise FileError(
                f"{where}: there is no column '{column}' for {field}; the file has "
                f"{', '.join(map(str, record))}."
            )
    named = {field: record[column] for field, column in mapping.items()}
    taken = set(mapping.values())
    keys = {column_key(name): value for name, value in record.items() if name not in taken}
    # next to an RB, RA and RC are options; alone, each is the right answer
    not_options = set() if "rb" in keys else {"ra", "rc"}
    if not any(field.startswith("option") for field in named):
        for number, letter in enumerate(LETTERS.lower(), 1):
            for prefix in OPTION_PREFIXES:
                for mark in (letter, str(number)):
                    for name in (f"{prefix}_{mark}".strip("_"), f"{prefix}{mark}"):
                        if name in not_options:
                            continue
                        if name in keys and f"option_{letter}" not in named:
                            named[f"option_{letter}"] = keys.pop(name)
    for field, aliases in ALIASES.items():
        if field in named or (field == "options" and "option_a" in named):
            continue
        for alias in aliases:
            if alias in keys:
                named[field] = keys.pop(alias)
                break
    return named


def _text(named: Mapping[str, Any], where: str) -> str:
    if "question" not in named:
        raise FileError(
            f"{where}: no column looks like the question; name it with --column question=COLUMN."
        )
    text = str(named["question"] or "").strip()
    if not text:
        raise FileError(f"{where}: the question is empty; fill it in or delete the row.")
    return text


def _options(named: Mapping[str, Any], where: str) -> list[str]:
    """The options in the order of their letters, without the letters."""
    listed = named.get("options")
    texts: Sequence[Any]
    if "option_a" in named or any(field.startswith("option_") for field in named):
        texts = [named.get(f"option_{letter}") for letter in LETTERS.lower()]
    elif isinstance(listed, dict):
        ordered = sorted(listed, key=lambda mark: str(mark).upper())
        marks = [str(mark).upper() for mark in ordered]
        if marks not in (list(LETTERS[: len(marks)]), [str(i + 1) for i in range(len(marks))]):
            raise FileError(
                f"{where}: the options are labelled {', '.join(marks)}; label them A, B, C, …"
            )
        texts = [listed[mark] for mark in ordered]
    elif isinstance(listed, list):
        texts = [_item_text(item, where) for item in listed]
    elif isinstance(listed, str):
        texts = _split_options(listed)
    else:
        raise FileError(
            f"{where}: no column looks like options; name them with --column option_a=COLUMN and "
            "so on, or --column options=COLUMN."
        )
    cleaned = [re.sub(r"\s+", " ", str(text)).strip() if text is not None else "" for text in texts]
    while cleaned and not cleaned[-1]:
        cleaned.pop()
    marked = [match for option in cleaned if (match := MARKED_OPTION.match(option))]
    if [match[1].upper() for match in marked] == list(LETTERS[: len(cleaned)]):
        cleaned = [option[match.end() :] for option, match in zip(cleaned, marked, strict=True)]
    if len(cleaned) < 2:
        raise FileError(f"{where}: fewer than two options; add them or delete the row.")
    if len(cleaned) > len(LETTERS):
        raise FileError(f"{where}: more than {len(LETTERS)} options; correct the row.")
    if "" in cleaned:
        letter = LETTERS[cleaned.index("")]
        raise FileError(f"{where}: option {letter} is empty before others; fill it in.")
    return cleaned


def _item_text(item: Any, where: str) -> Any:
    if not isinstance(item, dict):
        return item
    for name in ("value", "text", "atext", "texto", "option"):
        if name in item:
            return item[name]
    raise FileError(f"{where}: an option is an object without value or text; correct it.")


def _split_options(text: str) -> list[str]:
    """The options in one cell: one a line, between |, or after A) B) C) … or 1. 2. 3. …"""
    parts = [part for part in re.split(r"[\r\n]+|\s*\|\s*", text.strip()) if part.strip()]
    if len(parts) < 2:
        marks = list(MARKED_OPTION.finditer(text))
        ends = [mark.start() for mark in marks[1:]] + [len(text)]
        return [text[m.end() : end] for m, end in zip(marks, ends, strict=True)]
    return [MARKED_OPTION.sub("", part.strip(), count=1) for part in parts]


def _letter(
    named: Mapping[str, Any], options: list[str], where: str, first_number: int
) -> str | None:
    """The key as a letter; None if there is none or the question is annulled. Numeric keys count
    from `first_number`."""
    letters = LETTERS[: len(options)]
    key, answer = named.get("key"), named.get("answer")
    if "key" not in named and "answer" not in named:
        raise FileError(f"{where}: no column looks like the key; name it with --column key=COLUMN.")
    written = "" if key is None else re.sub(r"\.0$", "", str(key).strip())
    bare = re.sub(
        r"^(?:opci[oó]n|option|respuesta|letra)?\s*\(?(\w)[).]?$",
        r"\1",
        written,
        flags=re.IGNORECASE,
    ).upper()
    if len(bare) == 1 and bare in letters:
        letter = bare
    elif bare.isdigit() and 0 <= int(bare) - first_number < len(options):
        letter = letters[int(bare) - first_number]
    elif written.lower() in VOID_KEYS:
        letter = None
    else:
        letter = _letter_of_text(written, options)
        if letter is None:
            raise FileError(
                f"{where}: the key '{written[:40]}' is not one of the options "
                f"{letters[0]} to {letters[-1]}; correct it."
            )
    if answer is not None and str(answer).strip():
        stated = _letter_of_text(str(answer), options)
        if stated is None and letter is None and str(answer).strip().upper() in letters:
            stated = str(answer).strip().upper()
        if letter is None:
            return stated
        same = stated == letter or option_key(str(answer)) == option_key(
            options[letters.index(letter)]
        )
        if stated is not None and not same:
            raise FileError(
                f"{where}: the key says {letter}, the answer's text is option {stated}; "
                "correct one of them."
            )
    return letter


def _letter_of_text(text: str, options: list[str]) -> str | None:
    folded = [option_key(option) for option in options]
    return LETTERS[folded.index(option_key(text))] if option_key(text) in folded else None
