"""Answers of models recorded elsewhere: letters, numbers or texts, one column or file per model.

They are matched with the questions of a set by the question's text, by its number, or by order,
and stored as they were written; a build reads the option out of them.
"""

import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pyarrow as pa

from python_llm import files, seeds
from python_llm.errors import FileError
from python_llm.imports import cells, tables
from python_llm.imports.numbered_rows import Row, place
from python_llm.parsing.folding import column_key, rule_text
from python_llm.questions import fields, keys, vignettes
from python_llm.questions.answer_columns import (
    Asked,
    Column,
    answer_columns,
    answer_rows,
    column_of_numbers,
    names_model,
    unread_columns,
)
from python_llm.questions.imported import BANK, IMPORTED_SCHEMA, split_question
from python_llm.questions.options import LETTERS
from python_llm.questions.stated_answers import read_choice

FOLDER = "recorded"
MOST_SHOWN = 10  # answers that are not read, one by one
MOST_UNREAD = 2  # answers of a file in none of which an option is read; more are another column's

RECORDED_SCHEMA = pa.schema(
    [
        pa.field("question_set", pa.string(), nullable=False),
        pa.field("model_alias", pa.string(), nullable=False),
        pa.field("repeat_number", pa.int32(), nullable=False),
        pa.field("question_number", pa.int32(), nullable=False),
        pa.field("answer_text", pa.string(), nullable=False),
        pa.field("options", pa.list_(pa.string()), nullable=False),
        pa.field("first_number", pa.int32(), nullable=False),
        pa.field("source", pa.string(), nullable=False),
        pa.field("source_row", pa.int32()),
    ]
)
READ_SCHEMA = pa.schema(
    [
        *(f for f in RECORDED_SCHEMA if f.name not in ("options", "first_number")),
        pa.field("letter", pa.string()),
        pa.field("parse_status", pa.string()),
        pa.field("parse_reason", pa.string()),
        pa.field("justification", pa.string()),
    ]
)


@dataclass
class Stored:
    """What an import of recorded answers did, for one model."""

    model: str
    repeat: int
    path: Path
    n_answers: int
    n_readable: int
    n_questions: int
    matched_by: str
    notes: list[str] = field(default_factory=list)
    first_unread: str = ""

    @property
    def line(self) -> str:
        """The import in one line."""
        name = self.model if self.repeat == 1 else f"{self.model}, repeat {self.repeat}"
        return (
            f"{name}: {self.n_answers} answers to {self.n_questions} questions "
            f"(by {self.matched_by}), an option can be read in {self.n_readable}."
        )


def import_answers(
    sources: Iterable[Path],
    question_set: str,
    folder: Path,
    *,
    model: str = "",
    columns: Mapping[str, str] | None = None,
) -> tuple[list[Stored], list[str]]:
    """Store the answers of files to the questions of a set; what was stored, and which rows and
    columns were set aside. `columns`: answer, model, number, question or options, as the file calls
    them. Raises FileError for a set that was not imported, a file without answers, and one of which
    less than half of the rows are questions of the set.
    """
    asked = known_questions(question_set, folder)
    read: list[tuple[Stored, list[dict[str, Any]]]] = []
    notes: list[str] = []
    for source in sources:
        rows, rejected = answer_rows(source, columns or {})
        notes += rejected
        of_models = answer_columns(source, rows, model, columns or {}, asked)
        of_answers = {column.column for column in of_models}
        of_file = []
        for column in of_models:
            to = (question_set, folder, asked, columns or {}, of_answers)
            of_file.append(_read(source, column, *to))
        _check_read(of_models, [done for done, _ in of_file])
        read += of_file
        is_named = {"answer", "model"} & {*(columns or {})} or model
        unread = [] if is_named else unread_columns(rows, of_answers, asked)
        if unread and len(of_answers) == len(of_models):
            listed = ", ".join(f"'{name}'" for name in unread[:MOST_SHOWN])
            notes.append(
                f"{source.name}: not read: {listed}; name the answers of a model with --column "
                f"'answer={unread[0]}' --model NAME"
            )
    for done, answers in read:  # all or none: an error in one model leaves no other stored
        notes += [*done.notes, *_write(done.path, answers, asked, done.model)]
    return [done for done, _ in read], list(dict.fromkeys(notes))


def known_questions(question_set: str, folder: Path) -> list[Asked]:
    """The questions of an imported set or of the bank. Raises FileError for one there is not."""
    if question_set == BANK:
        return [
            Asked(
                int(row["question_number"]),
                row["question_number"],
                row["question_text"],
                [row[f"option_{c}"] for c in "abcde" if row.get(f"option_{c}")],
            )
            for row in seeds.read("seeds/questions/question_bank.csv")
        ]
    file = folder / f"{question_set}.parquet"
    if not file.is_file():
        known = ", ".join(sorted(path.stem for path in folder.glob("*.parquet"))) or "none"
        raise FileError(
            f"'{question_set}' is no imported question set (there are: {known}): import its "
            f"questions first, with kernel29 questions import FILE --set {question_set}."
        )
    rows = files.read_parquet([file], IMPORTED_SCHEMA, "imported question set").to_pylist()
    return [
        Asked(row["question_number"], row["question_ref"], row["question_text"], row["options"])
        for row in rows
    ]


def _read(
    source: Path,
    column: Column,
    question_set: str,
    folder: Path,
    asked: list[Asked],
    columns: Mapping[str, str],
    of_answers: Collection[str],
) -> tuple[Stored, list[dict[str, Any]]]:
    """The answers of one model matched with the questions, as rows to be stored. Raises FileError
    for answers of which less than half are to questions of the set."""
    filled = [row for row in column.rows if str(row.values.get(column.column) or "").strip()]
    pairs, matched_by = _matched(column.rows, asked, columns, of_answers)
    answered: dict[int, tuple[Asked, Row, str]] = {}
    notes = []
    for row in filled:
        question = pairs.get(id(row))
        written = _written(row.values[column.column], question)
        where = place(source, row.number)
        if question is None:
            notes.append(f"{where}: no question of {question_set} is this one: answer set aside")
        elif question.number in answered:
            if answered[question.number][2] != written:
                notes.append(
                    f"{where}: question {question.number} has two answers: the first counts"
                )
        else:
            answered[question.number] = (question, row, written)
    if not filled or len(answered) < tables.LEAST_USABLE * len(filled):
        raise FileError(
            f"{source.name}: {len(answered)} of {len(filled)} answers of {column.model} are to "
            f"questions of {question_set}: check --set, or name the column of the question's "
            "number with --column number=COLUMN."
        )
    numbers = [(text, len(question.options)) for question, _, text in answered.values()]
    base = keys.base_of(numbers) or keys.Base(1)
    if base.first == 0:
        notes.append(f"{source.name}: the answers of {column.model} count the options from 0")
    unread = _unread(source, answered.values(), base)
    rows = [
        {
            "question_set": question_set,
            "model_alias": column.model,
            "repeat_number": column.repeat,
            "question_number": question.number,
            "answer_text": text,
            "options": question.options,
            "first_number": base.first,
            "source": source.name,
            "source_row": row.number,
        }
        for question, row, text in answered.values()
    ]
    name = f"{question_set}@{column.model}@{column.repeat}.parquet"
    path = folder / FOLDER / name
    notes += _shown(unread, source)
    counts = (len(rows), len(rows) - len(unread), len(asked))
    first = unread[0] if unread else ""
    return Stored(column.model, column.repeat, path, *counts, matched_by, notes, first), rows


def _write(path: Path, rows: list[dict[str, Any]], asked: list[Asked], model: str) -> list[str]:
    """Write the answers of a model beside those that are stored; what to say of the latter."""
    earlier, notes = _earlier(path, rows, asked, model)
    table = pa.Table.from_pylist([*earlier, *rows], schema=RECORDED_SCHEMA)
    files.write_parquet(table.sort_by("question_number"), path)
    return notes


def _earlier(
    path: Path, rows: list[dict[str, Any]], asked: list[Asked], model: str
) -> tuple[list[dict[str, Any]], list[str]]:
    """The stored answers of a model to questions that the new `rows` do not answer, as long as the
    set has these questions, and what to say of them and of those that are replaced."""
    if not path.is_file():
        return [], []
    stored = files.read_parquet([path], RECORDED_SCHEMA, "file of recorded answers").to_pylist()
    options_of = {question.number: [*question.options] for question in asked}
    new = {row["question_number"]: row["answer_text"] for row in rows}
    kept = [
        row
        for row in stored
        if row["question_number"] not in new
        and options_of.get(row["question_number"]) == [*row["options"]]
    ]
    replaced = [
        row
        for row in stored
        if row["question_number"] in new and row["answer_text"] != new[row["question_number"]]
    ]
    notes = []
    if replaced:
        numbers = ", ".join(str(row["question_number"]) for row in replaced[:MOST_SHOWN])
        more = ", …" if len(replaced) > MOST_SHOWN else ""
        notes.append(
            f"{model}: {len(replaced)} stored answers are replaced by others (question "
            f"{numbers}{more})"
        )
    if kept:
        origins = ", ".join(sorted({row["source"] for row in kept}))
        notes.append(
            f"{model}: {len(kept)} answers of an earlier import ({origins}) to other questions stay"
        )
    return kept, notes


def _shown(unread: list[str], source: Path) -> list[str]:
    """What is said of answers that are not read, and how many more there are."""
    n_more = len(unread) - MOST_SHOWN
    more = [f"{source.name}: {n_more} more answers are not read"] if n_more > 0 else []
    return [*unread[:MOST_SHOWN], *more]


def _check_read(columns: list[Column], stored: list[Stored]) -> None:
    """Raise FileError if no option is read in any answer of a column, unless the file says that a
    model gave them: its heading, or a column of models in which the answers of another are read."""
    is_any_read = any(done.n_readable for done in stored)
    for column, done in zip(columns, stored, strict=True):
        of_model = names_model(column.column) or len({c.column for c in columns}) < len(columns)
        if done.n_readable or done.n_answers <= MOST_UNREAD or (is_any_read and of_model):
            continue
        first = done.first_unread.removesuffix(": it counts as wrong")
        raise FileError(
            f"{first}, nor in any other of {done.model}: name the column of the answers with "
            "--column answer=COLUMN, or write letters."
        )


def _unread(source: Path, answered: Iterable[tuple[Asked, Row, str]], base: keys.Base) -> list[str]:
    """What is said of each answer in which no option is read."""
    return [
        f"{place(source, row.number)}: no option is read in the answer to question "
        f"{question.number}: it counts as wrong"
        for question, row, text in answered
        if read_choice(text, question.options, base.first).letter is None
    ]


def _written(value: Any, question: Asked | None = None) -> str:
    """An answer as text; a list of one is that one. Of a log-likelihood for each option of the
    question, as test harnesses write them, the letter of the highest."""
    if question is not None and (letter := _most_likely(value, len(question.options))):
        return letter
    while isinstance(value, list) and len(value) == 1:
        value = value[0]
    return cells.as_written(value).strip()


def _most_likely(value: Any, n_options: int) -> str | None:
    """The letter of the option with the highest log-likelihood: of [-5.0, false], one for each
    option, or of the numbers alone. None for anything else, and where two are as high."""
    if not isinstance(value, list) or len(value) != n_options or n_options < 2:
        return None
    scores = [_first_of(item) for item in value]
    if not all(isinstance(score, float) and score <= 0 for score in scores):
        return None
    highest = max(scores)
    return LETTERS[scores.index(highest)] if scores.count(highest) == 1 else None


def _first_of(item: Any) -> Any:
    """The log-likelihood of an option: the first of the list it may stand in."""
    while isinstance(item, list) and item:
        item = item[0]
    return item


def _matched(
    rows: list[Row],
    asked: list[Asked],
    columns: Mapping[str, str],
    of_answers: Collection[str],
) -> tuple[dict[int, Asked], str]:
    """The question of each row, by the row's id(), and how it was told: the way that tells most."""
    names = {name for row in rows[:1] for name in row.values}
    by_key = {column_key(name): name for name in names}

    def column_of(role: str) -> str | None:
        if role in columns:
            return by_key.get(column_key(columns[role]))
        if role == "number":
            return column_of_numbers(rows, by_key, of_answers)
        return next((by_key[alias] for alias in fields.ALIASES[role] if alias in by_key), None)

    ways: list[tuple[int, str, dict[int, Asked]]] = []
    if text_column := column_of("question"):
        known = _by_text(asked)
        pairs = {}
        case = vignettes.column_among([n for n in names if n != text_column], rows, text_column)
        for row in rows:
            text = str(row.values.get(text_column) or "")
            whole = vignettes.joined(row.values.get(case or ""), text)
            forms = (text, split_question(text), whole)
            question = next((known[key] for key in map(_text_key, forms) if key in known), None)
            if question:
                pairs[id(row)] = question
        ways.append((len(pairs), "text", pairs))
    if number_column := column_of("number"):
        refs = Counter(keys.number_of(q.ref) for q in asked)
        by_ref = {r: q for q in asked if (r := keys.number_of(q.ref)) and refs[r] == 1}
        by_number = {str(question.number): question for question in asked}
        known_refs = by_number | by_ref
        numbers = [(row, keys.number_of(row.values.get(number_column))) for row in rows]
        pairs = {id(row): known_refs[n] for row, n in numbers if n is not None and n in known_refs}
        numbered = {n for _, n in numbers if n is not None}
        if ("0" in numbered) != ("0" in known_refs) and not numbered <= by_ref.keys():
            pairs = {}  # one counts from 0, the other from 1: all would be one place off
        ways.append((len(pairs), "number", pairs))
    if not ways:
        pairs = _in_order(rows, asked)
        ways.append((len(pairs), "order", pairs))
    _, how, pairs = max(ways, key=lambda way: way[0], default=(0, "nothing", {}))
    return pairs, how


def _in_order(rows: list[Row], asked: list[Asked]) -> dict[int, Asked]:
    """The question of each row where answers have nothing but their order: one for each question of
    the file, also of those set aside, whose numbers are missing in the set. None if there are as
    many as questions that were kept and others were not: whose they are nobody can say."""
    numbers = [question.number for question in asked]
    if len(rows) == max(numbers) and numbers == sorted(numbers):
        by_number = {question.number: question for question in asked}
        return {id(row): by_number[n] for n, row in enumerate(rows, 1) if n in by_number}
    n_passed = max(numbers) - min(numbers) + 1 - len(numbers)
    is_whole = n_passed == 0 and (min(numbers) == 1 or all(question.ref for question in asked))
    if len(rows) != len(asked) or not is_whole:
        return {}
    return {id(row): question for row, question in zip(rows, asked, strict=True)}


def _by_text(asked: list[Asked]) -> dict[str, Asked]:
    """The questions by their folded text, without those that share it."""
    counts = Counter(_text_key(question.text) for question in asked)
    return {key: q for q in asked if counts[key := _text_key(q.text)] == 1}


def _text_key(text: str) -> str:
    return re.sub(r"\W+", " ", rule_text(text)).strip()


def read_recorded(folder: Path) -> pa.Table:
    """Every recorded answer below `folder` with the option that is read in it (READ_SCHEMA)."""
    stored = files.read_parquet(
        sorted((folder / FOLDER).glob("*.parquet")),
        RECORDED_SCHEMA,
        "file of recorded answers (kernel29 questions answers)",
    )
    rows = []
    for row in stored.to_pylist():
        choice = read_choice(row["answer_text"], row.pop("options"), row.pop("first_number"))
        rows.append(
            {
                **row,
                "letter": choice.letter,
                "parse_status": choice.status,
                "parse_reason": choice.reason,
                "justification": choice.justification,
            }
        )
    return pa.Table.from_pylist(rows, schema=READ_SCHEMA)
