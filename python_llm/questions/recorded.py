"""Answers of models recorded elsewhere: letters, numbers or texts, one column or file per model.

They are matched with the questions of a set by the question's text, by its number, or by order,
and stored as they were written; a build reads the option out of them.
"""

import json
import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow as pa

from python_llm import files, seeds
from python_llm.errors import FileError
from python_llm.imports import tables
from python_llm.parsing.folding import column_key, option_key, rule_text
from python_llm.questions import documents, fields, keys
from python_llm.questions.choice import Choice, parse_choice
from python_llm.questions.imported import BANK, IMPORTED_SCHEMA, split_question
from python_llm.questions.options import LETTERS

FOLDER = "recorded"
MODEL_COLUMNS = ("model", "modelo", "llm", "model_name", "model_alias", "system", "sistema")
ANSWER_COLUMNS = (
    *("model_answer", "respuesta_modelo", "respuesta_del_modelo", "prediction", "pred"),
    *("predicted", "prediccion", "model_output", "output", "response", "generated", "completion"),
    *(
        "filtered_resps",
        "resps",
        "answer_text",
        "answer",
        "respuesta",
        "choice",
        "letter",
        "letra",
        "eleccion",
        "opcion",
    ),
)
JSON_FIELDS = (
    *("answer", "respuesta", "respuesta_correcta", "choice", "letter", "letra", "option", "opcion"),
    *("answer_idx", "final_answer", "correct_answer", "respuesta_final"),
)
# columns of numbers or letters that are no answers
NO_ANSWERS = re.compile(
    r"confi|score|time|tiempo|token|cost|acier|correct|puntu|nota|hit|grade|fecha|date|id$|year|ano$"
    r"|comment|coment|observ|explic|reason|justif|dificult|difficult|seed|temperature|latency|version"
)
# 'GPT-4 run 2', 'GPT-4 (intento 3)', 'GPT-4 #2'
REPEAT = re.compile(
    r"(?i)^(.*?)[\s_\-(]*(?:run|rep|repeat|intento|ronda|trial|#)[\s_\-.]*(\d{1,2})\)?$"
)
ALIAS = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.\-]*")
LEAST_READABLE = 0.6  # of the values of a column that is taken for a model's answers
FEWEST_VALUES = 2

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

# a number where a letter could stand: 'la respuesta correcta es la 3', 'Answer: 2'; and what
# answers a question for the one that is wrong: 'la afirmación incorrecta es la 4'
WORDS = r"(?:m[aá]s|probable|is|es|ser[ií]a|la|the|number|n[uú]mero|opci[oó]n|option|final|n[º°])"
RIGHT = (
    r"(?:correct[ao]?|adecuad[ao]|right|best|verdader[ao]|v[aá]lid[ao]|incorrect[ao]?|fals[ao]"
    r"|false|err[oó]ne[ao]|wrong|final)"
)
NOUN = r"(?:respuesta|soluci[oó]n|answer|choice)"
CLAIM = r"(?:opci[oó]n|alternativa|option|afirmaci[oó]n|statement|enunciado|aseveraci[oó]n)"
STATED_NUMBER = re.compile(
    rf"(?i)(?:\b(?:{NOUN}(?:\s+{RIGHT})?|{CLAIM}\s+{RIGHT}|{RIGHT}\s+{CLAIM}|elijo|escojo|i\s+choose"
    rf"|marco)|^\W*{CLAIM})(?:\s+{WORDS})*\s*:?\s*[*_(\"]*(?:{WORDS}\s+)*[*_(\"]*"
    r"([1-9]|(?-i:[A-J]))(?![\w%]|[.,]\d)"
)
NUMBER_IN_FRONT = re.compile(
    r"^[\s>#*_\-•\"'`(\[]*([1-9])[*_`]*(?:[)\].:\-–]+[*_`]*\s|\s+[\-–:]\s|[\s\"'*_.)\]]*$)"
)


class Asked(NamedTuple):
    """A question of a set, as answers are matched with it."""

    number: int
    ref: str | None
    text: str
    options: list[str]


class Column(NamedTuple):
    """Where the answers of one model stand."""

    model: str
    repeat: int
    column: str
    rows: list[tables.Row]


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

    @property
    def line(self) -> str:
        """The import in one line."""
        name = self.model if self.repeat == 1 else f"{self.model}, repeat {self.repeat}"
        return (
            f"{name}: {self.n_answers} answers to {self.n_questions} questions "
            f"(by {self.matched_by}), an option can be read in {self.n_readable}."
        )


def read_choice(text: str, options: list[str], first_number: int = 1) -> Choice:
    """The option a recorded answer names: by letter, by number from `first_number` on, by its text,
    or stated in prose. Unread, with the reason, where it names none or several."""
    letters = LETTERS[: len(options)]
    written = _stated_in_json(text.strip())
    by_text = keys.letter_of_text(written, options)
    if by_text:
        return Choice("ok", None, by_text)
    if bare := keys.BARE.match(written):
        sign = bare[1].upper()
        index = int(sign) - first_number if sign.isdigit() else letters.find(sign)
        if 0 <= index < len(options):
            return Choice("ok", None, letters[index])
        return Choice("parse_error", "no_such_option")

    def lettered(match: re.Match[str]) -> str:
        if match[1] in LETTERS:
            return f"Answer: {match[1]}"
        index = int(match[1]) - first_number
        return f"Answer: {LETTERS[index] if 0 <= index < len(LETTERS) else match[1]}"

    body = STATED_NUMBER.sub(lettered, written)
    if in_front := NUMBER_IN_FRONT.match(body):
        index = int(in_front[1]) - first_number
        letter = LETTERS[index] if 0 <= index < len(LETTERS) else "?"
        body = f"{letter}) {body[in_front.end() :]}"
    choice = parse_choice(body, letters)
    named = _named_options(body, options)
    if choice.letter and choice.justification:
        # '2. Aspirin' where aspirin is option 1: nobody can say which was meant
        stated = keys.letter_of_text(choice.justification.splitlines()[0], options)
        if stated not in (None, choice.letter):
            return Choice("parse_error", "contradiction")
    if choice.reason == "no_letter" and len(named) == 1:
        return Choice("ok", None, named[0], written)
    return choice


def _stated_in_json(text: str) -> str:
    """The answer of a JSON object, fenced or not; another text as it is."""
    body = re.sub(r"^```\w*\s*|\s*```$", "", text)
    if not body.startswith("{"):
        return text
    try:
        stated = json.loads(body)
    except ValueError:
        return text
    by_key = {column_key(str(name)): value for name, value in stated.items()}
    values = [by_key[name] for name in JSON_FIELDS if name in by_key]
    return str(values[0]).strip() if len(values) == 1 and values[0] is not None else text


def _named_options(text: str, options: list[str]) -> list[str]:
    """The letters of the options whose whole text is in `text`; one within another does not count
    twice."""
    folded = option_key(text)
    present = [
        (option_key(option).rstrip("."), letter)
        for option, letter in zip(options, LETTERS, strict=False)
        if re.search(rf"(?<!\w){re.escape(option_key(option).rstrip('.'))}(?!\w)", folded)
    ]
    return [
        letter
        for option, letter in present
        if not any(option != other and option in other for other, _ in present)
    ]


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
    stored, notes = [], []
    for source in sources:
        rows, rejected = _rows(source, columns or {})
        notes += rejected
        for column in _columns(source, rows, model, columns or {}, asked):
            stored.append(_store(source, column, question_set, folder, asked, columns or {}))
    for done in stored:
        notes += done.notes
    return stored, list(dict.fromkeys(notes))


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


def _rows(source: Path, columns: Mapping[str, str]) -> tuple[list[tables.Row], list[str]]:
    """The rows of a file of answers, objects of answers by question or by model unfolded."""
    if plain := _plain_list(source):
        return plain, []
    extra = [*columns.values(), *MODEL_COLUMNS, *ANSWER_COLUMNS]
    rows, unreadable = fields.read_rows(source, extra)
    return _unfolded(rows), [f"{tables.place(source, n)}: {reason}" for n, reason in unreadable]


def _plain_list(source: Path) -> list[tables.Row]:
    """The answers of a text file that holds nothing else: '1. B', or a letter or number a line."""
    content = tables.read(source)
    text = documents.text_of(source, content) or ""
    if numbered := documents.keys_of(text):
        pairs = [{"number": number, "answer": answer} for number, answer in numbered.items()]
        return [tables.Row(row_number, values) for row_number, values in enumerate(pairs, 1)]
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    if len(lines) >= FEWEST_VALUES and all(keys.BARE.match(line) for line in lines):
        return [
            tables.Row(row_number, {"answer": line}) for row_number, line in enumerate(lines, 1)
        ]
    return []


def _unfolded(rows: list[tables.Row]) -> list[tables.Row]:
    """One row an answer, or one column a model: what JSON nests, and a table with a column a
    question, is laid out."""
    if len(rows) == 1 and len(rows[0].values) > 1:
        values = rows[0].values
        if all(isinstance(value, (dict, list)) for value in values.values()):
            return [
                tables.Row(row_number, {"model": name, "number": number, "answer": answer})
                for name, answers in values.items()
                for row_number, (number, answer) in enumerate(_by_number(answers), 1)
            ]
        if not {column_key(name) for name in values} & {*ANSWER_COLUMNS, "question", "pregunta"}:
            return [
                tables.Row(row_number, {"number": number, "answer": answer})
                for row_number, (number, answer) in enumerate(values.items(), 1)
            ]
    numbered = [name for name in (rows[0].values if rows else ()) if str(name).isdigit()]
    if len(numbered) >= FEWEST_VALUES and 2 * len(numbered) > len(rows[0].values):
        return [
            row._replace(
                values={
                    **{name: v for name, v in row.values.items() if name not in numbered},
                    "number": number,
                    "answer": row.values.get(number),
                }
            )
            for row in rows
            for number in numbered
        ]
    return [flat for row in rows for flat in _flat(row)]


def _by_number(answers: Any) -> Iterable[tuple[Any, Any]]:
    return answers.items() if isinstance(answers, dict) else enumerate(answers, 1)


def _flat(row: tables.Row) -> list[tables.Row]:
    """A row with the objects it holds laid out beside its own values, and a row for each object of
    a list."""
    own: dict[str, Any] = {}
    listed: list[dict[str, Any]] = []
    for name, value in row.values.items():
        # an object of answers by model has the names of options for none
        if isinstance(value, dict) and not {*map(str, value)} & {*LETTERS, "1", "2", "text"}:
            own = {**value, **own}
            continue
        own[name] = value
        if isinstance(value, list) and value and all(isinstance(item, dict) for item in value):
            listed = value
    if listed and {column_key(str(n)) for n in own} & {*MODEL_COLUMNS}:
        own = {name: value for name, value in own.items() if value is not listed}
        return [row._replace(values={**own, **item}) for item in listed]
    return [row._replace(values=own)]


def _columns(
    source: Path,
    rows: list[tables.Row],
    model: str,
    columns: Mapping[str, str],
    asked: list[Asked],
) -> list[Column]:
    """Where the answers stand: the column named, one per model, or one beside a column of models.
    Raises FileError if there are none."""
    names = list(dict.fromkeys(name for row in rows for name in row.values))
    by_key = {column_key(str(name)): name for name in reversed(names)}
    whose = columns.get("model") or next((by_key[n] for n in MODEL_COLUMNS if n in by_key), None)
    if whose is None and _is_sheet_a_model(rows, by_key):
        whose = tables.SHEET
    answer = columns.get("answer")
    if answer is not None and answer not in names:
        answer = by_key.get(column_key(answer))
        if answer is None:
            raise FileError(
                f"{source.name}: there is no column '{columns['answer']}'; there are "
                f"{', '.join(names)}."
            )
    answer = answer or next((by_key[n] for n in ANSWER_COLUMNS if n in by_key), None)
    if whose and answer:
        models = Counter(str(row.values.get(whose) or "").strip() for row in rows)
        return [
            Column(*_alias(name), answer, [r for r in rows if _is_of(r, whose, name)])
            for name in models
            if name and (not model or column_key(name) == column_key(model))
        ]
    if columns.get("answer") and answer:
        return [Column(*_alias(model or source.stem), answer, rows)]
    wide = _model_columns(rows, names, asked)
    if wide and not (model and len(wide) > 1 and answer):
        if model and len(wide) == 1:
            return [Column(*_alias(model), wide[0], rows)]
        chosen = [n for n in wide if not model or column_key(n) == column_key(model)]
        if chosen:
            return [Column(*_alias(name), name, rows) for name in chosen]
    if answer:
        return [Column(*_alias(model or source.stem), answer, rows)]
    raise FileError(
        f"{source.name}: no column looks like the answers of a model; name it with --column "
        f"answer=COLUMN (there are {', '.join(names)})."
    )


def _is_sheet_a_model(rows: list[tables.Row], by_key: Mapping[str, str]) -> bool:
    """Whether the sheets of a workbook answer the same questions, each for another model."""
    number = next((by_key[n] for n in fields.ALIASES["number"] if n in by_key), None)
    asked = [str(row.values.get(number)) for row in rows if number and tables.SHEET in row.values]
    return len(asked) > len(set(asked))


def _is_of(row: tables.Row, whose: str, name: str) -> bool:
    return str(row.values.get(whose) or "").strip() == name


def _model_columns(rows: list[tables.Row], names: list[str], asked: list[Asked]) -> list[str]:
    """The columns that hold options and nothing else, and are no part of the question."""
    try:
        of_question = set(fields.columns_of(rows, {}, "").values())
    except FileError:
        of_question = set()
    number_names = set(fields.ALIASES["number"])
    most = max(len(question.options) for question in asked)
    marks = list(LETTERS[:most])
    texts = [text for question in asked for text in question.options]
    chosen = []
    for name in names:
        key = column_key(name)
        if not key or name in of_question or key in number_names or NO_ANSWERS.search(key):
            continue
        if key in (*ANSWER_COLUMNS, *fields.ALIASES["key"]) or key.startswith(
            fields.KEY_BEGINNINGS
        ):
            continue
        values = [str(v).strip() for r in rows if (v := r.values.get(name)) not in (None, "")]
        values = [value for value in values if value]
        # the options of no single question: letters alone are read, and the texts of all
        n_read = sum(
            read_choice(value, marks).letter is not None or option_key(value) in _folded(texts)
            for value in values
        )
        if len(values) >= FEWEST_VALUES and n_read >= LEAST_READABLE * len(values):
            chosen.append(name)
    return chosen


_FOLDED: dict[int, set[str]] = {}


def _folded(texts: list[str]) -> set[str]:
    if id(texts) not in _FOLDED:
        _FOLDED.clear()
        _FOLDED[id(texts)] = {option_key(text) for text in texts}
    return _FOLDED[id(texts)]


def _alias(name: str) -> tuple[str, int]:
    """A model's name as an alias, and the number of the repeat that the name ends in."""
    repeat = 1
    if match := REPEAT.match(name.strip()):
        name, repeat = match[1], int(match[2])
    alias = re.sub(r"[^A-Za-z0-9_.\-]+", "_", name.strip()).strip("_.-")
    if not ALIAS.fullmatch(alias):
        raise FileError(f"'{name}' cannot name a model: name it with --model.")
    return alias, max(repeat, 1)


def _store(
    source: Path,
    column: Column,
    question_set: str,
    folder: Path,
    asked: list[Asked],
    columns: Mapping[str, str],
) -> Stored:
    """Match the answers of one model and write them. Raises FileError for answers of which less
    than half are to questions of the set."""
    filled = [row for row in column.rows if str(row.values.get(column.column) or "").strip()]
    pairs, matched_by = _matched(column.rows, asked, columns)
    answered: dict[int, tuple[Asked, tables.Row, str]] = {}
    notes = []
    for row in filled:
        question = pairs.get(id(row))
        written = _written(row.values[column.column])
        where = tables.place(source, row.number)
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
    base = keys.base_of((text, len(question.options)) for question, _, text in answered.values())
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
    files.write_parquet(pa.Table.from_pylist(rows, schema=RECORDED_SCHEMA), path)
    n_readable = sum(
        read_choice(text, question.options, base.first).letter is not None
        for question, _, text in answered.values()
    )
    return Stored(
        column.model, column.repeat, path, len(rows), n_readable, len(asked), matched_by, notes
    )


def _written(value: Any) -> str:
    """An answer as text; a list of one is that one."""
    while isinstance(value, list) and len(value) == 1:
        value = value[0]
    return tables.as_written(value).strip()


def _matched(
    rows: list[tables.Row], asked: list[Asked], columns: Mapping[str, str]
) -> tuple[dict[int, Asked], str]:
    """The question of each row, by the row's id(), and how it was told: the way that tells most."""
    names = {name for row in rows[:1] for name in row.values}
    by_key = {column_key(name): name for name in names}

    def column_of(role: str) -> str | None:
        if role in columns:
            return by_key.get(column_key(columns[role]))
        return next((by_key[alias] for alias in fields.ALIASES[role] if alias in by_key), None)

    ways: list[tuple[int, str, dict[int, Asked]]] = []
    if text_column := column_of("question"):
        known = _by_text(asked)
        pairs = {}
        for row in rows:
            text = str(row.values.get(text_column) or "")
            question = known.get(_text_key(text)) or known.get(_text_key(split_question(text)))
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
        ways.append((len(pairs), "number", pairs))
    if not ways and len(rows) == len(asked):
        pairs = {id(row): q for row, q in zip(rows, asked, strict=True)}
        ways.append((len(pairs), "order", pairs))
    _, how, pairs = max(ways, key=lambda way: way[0], default=(0, "nothing", {}))
    return pairs, how


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
