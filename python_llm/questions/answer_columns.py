"""Where the recorded answers of models stand in a file: a column a model, a column of models beside
one of answers, a column a question, objects, lists or sheets."""

import json
import re
from collections.abc import Collection, Iterable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from python_llm.errors import FileError
from python_llm.imports import cells, json_rows, tables
from python_llm.imports.numbered_rows import SHEET, Row, place
from python_llm.parsing.envelopes import unwrapped
from python_llm.parsing.folding import column_key, option_key
from python_llm.questions import documents, fields, keys, shapes
from python_llm.questions.options import LETTERS
from python_llm.questions.stated_answers import read_choice
from python_llm.runs import nested
from python_llm.runs.answerers import own_names

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
# columns of numbers or letters that are no answers
NO_ANSWERS = re.compile(
    r"confi|score|time|tiempo|token|cost|acier|correct|puntu|nota|hit|grade|fecha|date|id$|year|ano$"
    r"|segurid|certain|certeza|probab|exact_match|\bacc\b|^ok_|_ok$"
    r"|comment|coment|observ|explic|reason|justif|dificult|difficult|seed|temperature|latency|version"
)
# 'GPT-4 run 2', 'GPT-4 (intento 3)', 'GPT-4 #2'
REPEAT = re.compile(
    r"(?i)^(.*?)[\s_\-(]*(?:run|rep|repeat|intento|ronda|trial|#)[\s_\-.]*(\d{1,2})\)?$"
)
# 'Respuesta de GPT-4', 'GPT-4 (opción elegida)', 'gpt4_answer': what is no part of the model's name
_ANSWER = (
    r"(?:respuestas?|resp\.?|answers?|prediction|predicci[oó]n|pred|output|response|choice|elecci[oó]n"
    r"|letra|letter|opci[oó]n(?: elegida| marcada)?|option)"
)
OF_ANSWER = re.compile(
    rf"(?i)^(?:{_ANSWER}|modelos?|models?)(?:[\s_\-:.]+(?:del?|of|from|by)(?: modelo)?)?[\s_\-:.]+"
    rf"(?=\S)|(?<=\S)[\s_\-:.]+[(\[]?{_ANSWER}[)\]]?$"
)
NAME = re.compile(r"[A-Za-z][A-Za-z0-9]")  # 'Respuesta 1' and 'Answer B' name no model
ALIAS = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.\-]*")
# headings that name a model of a known family, and what stands beside its answers
NAMES_MODEL = re.compile(
    r"(?:^|_)(?:chat)?(?:gpt|claude|gemini|llama|mistral|mixtral|deepseek|qwen|med_?gemma|gemma|copilot"
    r"|grok|phi|palm|medpalm|command_r|nova|yi|falcon|vicuna|alpaca|meditron|biomistral|openbiollm|kimi"
    r"|glm|ernie|o[134](?=_|$|mini|pro))(?=_|\d|o?$)"
)
BESIDE_ANSWERS = re.compile(
    r"rationale|razon|begrund|raison|motiv|note|cost|coste|price|precio|prompt|think|thought|agree|acuerdo"
    r"|match|coinc|kappa|diff|rating|length|words|palabras|usage|status|url|link|pensamiento"
)
LEAST_READABLE = 0.6  # of the values of a column that is taken for a model's answers
FEWEST_VALUES = 2
MOST_SHOWN = 3  # models, in messages
BATCH_ID = "custom_id"  # what a batch calls the question
GOOGLES_ID = "key"  # and what Google's batches call it
NUMBER = re.compile(r"(?i)(?:pregunta|question|p|q)?[\s.]*\d{1,4}(?:\.0)?")


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
    rows: list[Row]


def answer_rows(source: Path, columns: Mapping[str, str]) -> tuple[list[Row], list[str]]:
    """The rows of a file of answers, objects of answers by question or by model unfolded."""
    if plain := _plain_list(source):
        return plain, []
    if evaluated := _of_evaluation(source):
        return evaluated, []
    extra = [*columns.values(), *MODEL_COLUMNS, *ANSWER_COLUMNS]
    rows, unreadable, _ = fields.read_rows(source, extra, of_questions=False)
    return _unfolded([_taken_out(row) for row in rows]), [
        f"{place(source, n)}: {reason}" for n, reason in unreadable
    ]


def _ticked(values: dict[str, Any]) -> dict[str, Any]:
    """A row with a column for each option, of which one is ticked, as a row with an answer."""
    columns = [name for name in values if str(name).strip() in LETTERS]
    ticked = [name for name in columns if shapes.is_marked(values[name])]
    is_empty = all(not str(values[name] or "").strip() for name in columns if name not in ticked)
    if len(columns) < 2 or len(ticked) != 1 or not is_empty:
        return values
    return {k: v for k, v in values.items() if k not in columns} | {"answer": ticked[0].strip()}


def _taken_out(row: Row) -> Row:
    """A line of a provider's batch file as a number, a model and an answer."""
    if isinstance(row.values.get("response"), dict) and GOOGLES_ID in row.values:
        answer = _words_of_google(row.values["response"])
        number = re.sub(r"^.*?(\d+)$", r"\1", str(row.values[GOOGLES_ID]))
        return row._replace(values={"number": number, "answer": answer})
    if BATCH_ID not in row.values:
        record = shapes.unwrapped(row.values)
        if "key" in record and "key" not in row.values:  # the last word of a conversation
            return row._replace(values={**record, "answer": record["key"]})
        return row._replace(values=_ticked(row.values))
    body = row.values.get("response")
    body = body.get("body") if isinstance(body, dict) else None
    model = body.get("model") if isinstance(body, dict) else None
    text = unwrapped(json.dumps(row.values))
    number = re.sub(r"^.*?(\d+)$", r"\1", str(row.values[BATCH_ID]))
    return row._replace(
        values={"number": number, "answer": text} | ({"model": model} if model else {})
    )


def _words_of_google(response: Mapping[str, Any]) -> str:
    """The text of the first candidate of a response; '' where it has none, as a refused one."""
    try:
        parts = response["candidates"][0]["content"]["parts"]
        return "".join(part.get("text", "") for part in parts if not part.get("thought"))
    except (KeyError, IndexError, TypeError, AttributeError):
        return ""


def _of_evaluation(source: Path) -> list[Row]:
    """The answers in a document of HELM (`request_states`) or promptfoo (`results`)."""
    if source.suffix.lower() != ".json":
        return []
    items = [*json_rows.read_json(source, tables.read(source), lambda *_: None)]
    rows = nested.rows_within([Row(n, _written(values)) for n, values in items])
    evaluated = [row._replace(values=_evaluated(row.values)) for row in rows]
    return evaluated if all(row.values for row in evaluated) else []


def _written(values: Mapping[str, Any]) -> dict[str, str]:
    return {name: cells.as_written(value) for name, value in values.items()}


def _evaluated(written: Mapping[str, str]) -> dict[str, Any]:
    """What a program for evaluation asked and was answered; empty for any other object."""
    values = {name: _object(text) for name, text in written.items()}
    asked, variables = values.get("instance"), values.get("vars")
    if isinstance(asked, dict) and isinstance(result := values.get("result"), dict):
        answers = [part.get("text") for part in result.get("completions") or [{}]]
        letters = values.get("output_mapping")
        answer = str(answers[0] or "").strip()
        named = letters.get(answer, answer) if isinstance(letters, dict) else answer
        text = asked.get("input")
        question = text.get("text") if isinstance(text, dict) else text
        return {"id": asked.get("id"), "question": question, "answer": named}
    if isinstance(variables, dict) and "provider" in values:
        provider, response = values["provider"], values.get("response")
        model = provider.get("id") if isinstance(provider, dict) else provider
        answer = cells.as_written(response.get("output")) if isinstance(response, dict) else ""
        return {**variables, "answer": answer, **({"model": model} if model else {})}
    return {}


def _object(written: str) -> Any:
    try:
        return json.loads(written) if written.startswith("{") else written
    except (ValueError, RecursionError):
        return written


def _plain_list(source: Path) -> list[Row]:
    """The answers of a text file that holds nothing else: '1. B', or a letter or number a line."""
    content = tables.read(source)
    text = documents.text_of(source, content) or ""
    if numbered := documents.keys_of(text) or _in_words(text):
        pairs = [{"number": number, "answer": answer} for number, answer in numbered.items()]
        return [Row(row_number, values) for row_number, values in enumerate(pairs, 1)]
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    if len(lines) >= FEWEST_VALUES and all(keys.BARE.match(line) for line in lines):
        return [Row(row_number, {"answer": line}) for row_number, line in enumerate(lines, 1)]
    return []


def _in_words(text: str) -> dict[str, str]:
    """The answers of a numbered list that says most of them in words."""
    listed = documents.numbered_lines(text)
    n_read = sum(read_choice(answer, list(LETTERS)).letter is not None for _, answer in listed)
    return dict(listed) if listed and n_read >= LEAST_READABLE * len(listed) else {}


def _unfolded(rows: list[Row]) -> list[Row]:
    """One row an answer, or one column a model: what JSON nests, and a table with a column a
    question, is laid out."""
    if len(rows) == 1 and len(rows[0].values) > 1:
        values = rows[0].values
        if all(isinstance(value, (dict, list)) for value in values.values()):
            return [
                Row(row_number, {"model": name, "number": number, "answer": answer})
                for name, answers in values.items()
                for row_number, (number, answer) in enumerate(_by_number(answers), 1)
            ]
        if not {column_key(name) for name in values} & {*ANSWER_COLUMNS, "question", "pregunta"}:
            return [
                Row(row_number, {"number": number, "answer": answer})
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


def _flat(row: Row) -> list[Row]:
    """A row with the objects it holds laid out beside its own values, and a row for each object of
    a list."""
    own: dict[str, Any] = {}
    listed: list[dict[str, Any]] = []
    lists: list[str] = []
    for name, value in row.values.items():
        # an object of answers by model has the names of options for none
        if isinstance(value, dict) and not {*map(str, value)} & {*LETTERS, "1", "2", "text"}:
            own = {**value, **own}
            continue
        own[name] = value
        if isinstance(value, list) and value and all(isinstance(item, dict) for item in value):
            listed = [_of_model(item) for item in value]
            lists.append(name)
    of_models = listed and all({*item} & {*MODEL_COLUMNS} for item in listed)
    if of_models or (listed and {column_key(str(n)) for n in own} & {*MODEL_COLUMNS}):
        own = {name: value for name, value in own.items() if name not in lists}
        return [row._replace(values={**own, **item}) for item in listed]
    return [row._replace(values=own)]


def _of_model(item: dict[str, Any]) -> dict[str, Any]:
    """An object with a model's name under the name that columns of models have."""
    by_key = {column_key(str(name)): name for name in item}
    whose = next(
        (by_key[name] for name in ("nombre", "name", *MODEL_COLUMNS) if name in by_key), None
    )
    if whose is None or not {*by_key} & {*ANSWER_COLUMNS}:
        return item
    return {**{name: value for name, value in item.items() if name != whose}, "model": item[whose]}


def answer_columns(
    source: Path,
    rows: list[Row],
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
        whose = SHEET
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
        return _of_models(source, rows, whose, answer, model)
    if columns.get("answer") and answer:
        return [Column(*_alias(model or source.stem), answer, rows)]
    wide = _without_numbers(_model_columns(rows, names, asked), answer, rows)
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
        f"answer=COLUMN (there {'are ' + ', '.join(names) if names else 'is no other'})."
    )


def _of_models(source: Path, rows: list[Row], whose: str, answer: str, model: str) -> list[Column]:
    """The answers of each model that a column names, or of the one that is asked for. The only
    model of a file may be called otherwise there ('gpt-4o-2024-08-06'). Raises FileError if none of
    several is the one."""
    names = [*filter(None, dict.fromkeys(str(row.values.get(whose) or "").strip() for row in rows))]
    chosen = [name for name in names if not model or column_key(name) == column_key(model)]
    if not chosen:
        own = {*names} if len(names) == 1 else own_names(names, model)
        if len(own) == 1:
            return [Column(*_alias(model), answer, [r for r in rows if _is_of(r, whose, *own)])]
        listed = ", ".join(f"'{name[:40]}'" for name in names[:MOST_SHOWN]) or "no model"
        raise FileError(
            f"{source.name}: the column '{whose}' has {listed}, and none is '{model}': correct "
            "--model, or leave it out to import the answers of all."
        )
    return [
        Column(*_alias(name), answer, [r for r in rows if _is_of(r, whose, name)])
        for name in chosen
    ]


def _without_numbers(wide: list[str], answer: str | None, rows: list[Row]) -> list[str]:
    """The columns of models without those that number the questions: other numbers in every row,
    beside answers that are no numbers, in a column called so or in one more of models."""
    written = {name: _cells(rows, name) for name in [*wide, *([answer] if answer else [])]}
    are_numbers = {
        name: all(re.fullmatch(r"\d+(?:[.,]0+)?", cell) for cell in cells)
        for name, cells in written.items()
    }
    others = [name for name in written if not are_numbers[name]]
    if answer is not None and others == [] and len(wide) == 1:
        others = [answer] * (len({*written[wide[0]]}) == len(written[wide[0]]))
    return [
        name
        for name in wide
        if not (are_numbers[name] and others and len({*written[name]}) == len(written[name]))
    ]


def _cells(rows: list[Row], name: str) -> list[str]:
    cells = [str(row.values.get(name) if row.values.get(name) is not None else "") for row in rows]
    return [cell.strip() for cell in cells if cell.strip()]


def column_of_numbers(
    rows: list[Row], by_key: Mapping[str, str], answers: Collection[str] | None = None
) -> str | None:
    """The column of numbers of questions, also one that is named as the question; with the columns
    of `answers` known, also the only other one with another number in every row."""
    numbers = [by_key[n] for n in fields.ALIASES["number"] if n in by_key]
    numbers += [
        column
        for alias in fields.ALIASES["question"]
        if (column := by_key.get(alias))
        and all(NUMBER.fullmatch(str(row.values.get(column) or "1").strip()) for row in rows)
    ]
    if numbers or answers is None:
        return next(iter(numbers), None)
    cells = {
        name: _cells(rows, name)
        for key, name in by_key.items()
        if key and name not in answers and (key.endswith("id") or not NO_ANSWERS.search(key))
    }
    distinct = [
        name
        for name, written in cells.items()
        if len({*written}) == len(written) == len(rows) and all(map(NUMBER.fullmatch, written))
    ]
    return distinct[0] if len(distinct) == 1 else None


def _is_sheet_a_model(rows: list[Row], by_key: Mapping[str, str]) -> bool:
    """Whether the sheets of a workbook answer the same questions, each for another model."""
    number = column_of_numbers(rows, by_key)
    asked = [str(row.values.get(number)) for row in rows if number and SHEET in row.values]
    return len(asked) > len(set(asked))


def _is_of(row: Row, whose: str, name: str) -> bool:
    return str(row.values.get(whose) or "").strip() == name


def _model_columns(rows: list[Row], names: list[str], asked: list[Asked]) -> list[str]:
    """The columns that hold options and nothing else, and are no part of the question."""
    try:
        of_question = set(fields.columns_of(rows, {}, "").values())
    except FileError:
        of_question = set()
    number_names = set(fields.ALIASES["number"])
    most = max(len(question.options) for question in asked)
    marks = list(LETTERS[:most])
    texts = {option_key(text) for question in asked for text in question.options}
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
            read_choice(value, marks).letter is not None or option_key(value) in texts
            for value in values
        )
        is_read = len(values) >= FEWEST_VALUES and n_read >= LEAST_READABLE * len(values)
        # a model keeps its refusals: they are answers that count as wrong
        if is_read or (values and names_model(name)):
            chosen.append(name)
    return chosen


def names_model(name: str) -> bool:
    """Whether a heading names one model of a known family, and nothing beside its answers."""
    key = column_key(name)
    is_beside = NO_ANSWERS.search(key) or BESIDE_ANSWERS.search(key)
    return not is_beside and len(NAMES_MODEL.findall(key)) == 1


def unread_columns(rows: list[Row], chosen: Collection[str], asked: list[Asked]) -> list[str]:
    """The columns that are neither a model's answers nor a part of the question, nor what stands
    beside either, such as confidence."""
    try:
        of_question = set(fields.columns_of(rows, {}, "").values())
    except FileError:
        of_question = set()
    texts = {option_key(text) for question in asked for text in question.options}
    unread = []
    for name in dict.fromkeys(name for row in rows for name in row.values):
        key = column_key(str(name))
        is_known = name in of_question or key in fields.ALIASES["number"] or name in chosen
        is_of_key = key in fields.ALIASES["key"] or key.startswith(fields.KEY_BEGINNINGS)
        if not key or name == SHEET or is_known or is_of_key or NO_ANSWERS.search(key):
            continue
        is_answered = any(
            option_key(cell) in texts or read_choice(cell, list(LETTERS)).letter
            for cell in _cells(rows, name)
        )
        if is_answered or NAMES_MODEL.search(key):
            unread.append(str(name))
    return unread


def _alias(name: str) -> tuple[str, int]:
    """A model's name as an alias, and the number of the repeat that the name ends in."""
    repeat = 1
    if match := REPEAT.match(name.strip()):
        name, repeat = match[1], int(match[2])
    short = OF_ANSWER.sub("", name.strip())
    name = short if NAME.search(short) else name
    if match := REPEAT.match(name.strip()):
        name, repeat = match[1], int(match[2])
    alias = re.sub(r"[^A-Za-z0-9_.\-]+", "_", name.strip()).strip("_.-")
    if not ALIAS.fullmatch(alias):
        raise FileError(f"'{name}' cannot name a model: name it with --model.")
    return alias, max(repeat, 1)
