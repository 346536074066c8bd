"""Records of published sets brought into one form: a question, its options, its key.

Each function takes what a set calls its own way (a key marked at its option, wrong answers apart
from the right one, yes/no/maybe, an option a row) and gives the fields that `fields` knows. What
has another form is left as it is.
"""

import hashlib
import re
from collections.abc import Mapping
from typing import Any

from python_llm.imports.numbered_rows import Row
from python_llm.parsing.folding import column_key
from python_llm.questions import course_files
from python_llm.questions.documents import MARKED_RIGHT
from python_llm.questions.fields import FEWEST_CHARACTERS
from python_llm.questions.options import LETTERS, LINE_MARK, as_value

RIGHT = (
    *("correct_answer", "respuesta_correcta", "correct", "answer", "right_answer"),
    *("correct_response", "correct_option", "correct_choice", "opcion_correcta", "correcta", "key"),
    *("solution", "solucion", "right", "gold"),
)
WRONG = (
    "incorrect_answers",
    "wrong_answers",
    "distractors",
    "respuestas_incorrectas",
    "incorrectas",
)
WRONG_COLUMN = (
    *("distractor", "incorrect", "incorrecta", "wrong", "respuesta_incorrecta"),
    *("incorrect_answer", "wrong_answer", "incorrect_option", "incorrect_response", "wrong_option"),
    *("opcion_incorrecta", "falsa", "foil"),
)
IS_RIGHT = (
    *("correct", "correcta", "correcto", "is_correct", "iscorrect", "es_correcta", "right"),
    *("is_answer", "isanswer", "is_right", "is_key", "es_correcto", "valida", "is_solution"),
)
# a column for each option that says whether it is right
FLAGS = [f"{name}_{letter}" for letter in LETTERS.lower() for name in ("correcta", "correct")]
OPTION = (
    *("option", "opcion", "option_text", "texto_opcion", "opcion_texto", "alternativa", "choice"),
    *("answer", "answer_text", "respuesta", "texto_respuesta"),
)
NUMBER = ("id", "numero", "n", "nº", "no", "num", "number", "question_id", "qid", "pregunta_id")
QUESTION = ("question", "pregunta", "enunciado", "question_text", "texto", "stem", "query")
TURNS = ("messages", "conversations", "conversation", "turns", "input", "prompt", "chat")
SPEAKER, WORDS = ("role", "from", "speaker"), ("content", "value", "text")
ASKING, ANSWERING = ("user", "human"), ("assistant", "gpt", "model", "bot")
DECISION = "final_decision"
DECISIONS = ("yes", "no", "maybe")
HTML = re.compile(r"(?i)</(?:p|div|span|b|i|u|em|strong|li|ul|ol|sub|sup|h[1-6])>|<p>")
# a column of a table that says what its row is
IS_QUESTION = {"question", "pregunta", "stem", "enunciado", "q", "p"}
IS_OPTION = {
    "option",
    "opcion",
    "answer",
    "respuesta",
    "choice",
    "alternativa",
    "distractor",
    "a",
    "o",
}
# where the letter of an option stands in the column of numbers
OPTION_CELL = re.compile(r"[(\[]?[A-Ja-j](?:[)\].]-?)?")
TRUE = {"1", "1.0", "x", "true", "si", "sí", "yes", "verdadero", "correct", "correcta", "correcto"}


def is_marked(value: Any) -> bool:
    """Whether a cell or a field marks an option as the right one."""
    return value is True or str(value if value is not None else "").strip().lower() in TRUE


def reshape(rows: list[Row]) -> list[Row]:
    """The rows of a file, one a question, with the shapes of single records undone."""
    rows = [row._replace(values={n: _unmarked(v) for n, v in row.values.items()}) for row in rows]
    rows = _with_starred_key(_joined([part for row in rows for part in _parted(row)]))
    return [row._replace(values=_record(unwrapped(row.values))) for row in rows]


def _unmarked(value: Any) -> Any:
    """A text without the marks of a web page, and with its lines where they are written '\\n'."""
    if isinstance(value, str) and "\n" not in value and value.count("\\n") > 1:
        return value.replace("\\n", "\n")
    return course_files.plain(value) if isinstance(value, str) and HTML.search(value) else value


def _parted(row: Row) -> list[Row]:
    """The questions about one text, as RACE keeps them: a list each of questions, options, keys."""
    lists = [row.values.get(name) for name in ("questions", "options", "answers")]
    if not all(isinstance(item, list) for item in lists):
        return [row]
    asked, options, answers = lists
    if not (asked and len(asked) == len(options) == len(answers)):  # type: ignore[arg-type]
        return [row]
    article = str(row.values.get("article") or "").strip()
    return [
        row._replace(
            values={"question": f"{article}\n{text}".strip(), "options": listed, "key": key}
        )
        for text, listed, key in zip(asked, options, answers, strict=True)  # type: ignore[arg-type]
    ]


def unwrapped(values: dict[str, Any]) -> dict[str, Any]:
    """A record without what its tool puts around it: the turns of a conversation, of which the
    last two are question and key, the input of a task, an object that holds it all."""
    for name in TURNS:
        turns = as_value(values.get(name))
        if isinstance(turns, list) and turns and all(isinstance(turn, dict) for turn in turns):
            words = [(_of(turn, SPEAKER), _of(turn, WORDS)) for turn in turns]
            asked = [text for speaker, text in words if speaker in ASKING]
            answers = [text for speaker, text in words if speaker in ANSWERING]
            if asked:
                kept = {k: v for k, v in values.items() if k != name}
                key = {"key": answers[-1]} if answers else {}
                return {**kept, "question": asked[-1], **key}
    inner = [value for value in values.values() if isinstance(value, dict)]
    if len(inner) == 1 and not _asks(values) and _asks(inner[0]):
        return {k: v for k, v in values.items() if v is not inner[0]} | inner[0]
    return values


def _asks(values: Mapping[str, Any]) -> bool:
    """Whether a record has a field that is called a question."""
    return any(column_key(str(name)) in QUESTION for name in values)


def _of(turn: Mapping[str, Any], names: tuple[str, ...]) -> str:
    return next((str(turn[name]) for name in names if turn.get(name) is not None), "")


def _with_starred_key(rows: list[Row]) -> list[Row]:
    """Rows whose key is a sign at one of their options' columns, such as a star before it."""
    marked = [
        [name for name, value in row.values.items() if MARKED_RIGHT.search(str(value or ""))]
        for row in rows
    ]
    columns = {name for names in marked for name in names}
    if len(columns) < 2 or any(len(names) != 1 for names in marked):
        return rows
    return [
        row._replace(
            values=row.values
            | {name: MARKED_RIGHT.sub("", str(row.values[name])).strip()}
            | {"key": MARKED_RIGHT.sub("", str(row.values[name])).strip()}
        )
        for row, (name,) in zip(rows, marked, strict=True)
    ]


def _record(values: dict[str, Any]) -> dict[str, Any]:
    by_key = {column_key(str(name)): name for name in values}
    question = next((values[by_key[n]] for n in QUESTION if n in by_key), None)
    if isinstance(question, dict):  # ARC: {"question": {"stem": …, "choices": […]}}
        values = {**{k: v for k, v in values.items() if column_key(k) not in QUESTION}, **question}
        return _record(values)
    if DECISION in by_key:  # PubMedQA
        return {**values, "options": list(DECISIONS), "key": values[by_key[DECISION]]}
    if isinstance(scores := values.get("target_scores"), dict):  # BIG-bench
        return {**values, **_scored(list(scores), list(scores.values()))}
    if isinstance(targets := values.get("mc1_targets"), dict):  # TruthfulQA
        return {**values, **_scored(targets.get("choices", []), targets.get("labels", []))}
    flags = [values[by_key[n]] for n in FLAGS if n in by_key]
    if len(flags) > 1 and sum(map(is_marked, flags)) == 1:
        kept = {k: v for k, v in values.items() if column_key(str(k)) not in FLAGS}
        return {**kept, "key": LETTERS[[is_marked(flag) for flag in flags].index(True)]}
    if apart := _apart(values, by_key):
        return apart
    return _marked(values)


def _scored(texts: Any, scores: Any) -> dict[str, Any]:
    """Options with a score each: those above 0 are right."""
    if not isinstance(texts, list) or not isinstance(scores, list):
        return {}
    right = [
        letter
        for letter, score in zip(LETTERS, scores, strict=False)
        if isinstance(score, (int, float)) and score > 0
    ]
    return {"options": texts, "key": right[0] if len(right) == 1 else right}


def _apart(values: dict[str, Any], by_key: Mapping[str, str]) -> dict[str, Any] | None:
    """Wrong answers apart from the right one, as a list or in columns: the options are put in the
    order of their hash, the same in every import, so that the key is at no place more often."""
    right = next((by_key[n] for n in RIGHT if n in by_key), None)
    listed = next((as_value(values[by_key[n]]) for n in WRONG if n in by_key), None)
    columns = [by_key[n] for n in by_key if n.rstrip("_0123456789") in WRONG_COLUMN]
    wrong = listed if isinstance(listed, list) else [values[name] for name in columns]
    wrong = [str(text).strip() for text in wrong if text not in (None, "")]
    if right is None or not wrong or not isinstance(values[right], (str, int, float)):
        return None
    answer = str(values[right]).strip()
    if len(answer) == 1 and len(columns) >= 1 and answer.upper() in LETTERS[: len(wrong) + 1]:
        return None  # a letter of options that stand elsewhere
    options = sorted({answer, *wrong}, key=lambda text: hashlib.sha256(text.encode()).hexdigest())
    kept = {
        name: value
        for name, value in values.items()
        if name not in (right, *columns) and column_key(name) not in WRONG
    }
    return {**kept, "options": options, "key": LETTERS[options.index(answer)]}


def _marked(values: dict[str, Any]) -> dict[str, Any]:
    """Options as objects of which one says that it is right."""
    for name, value in values.items():
        listed = as_value(value)
        if not (isinstance(listed, list) and listed and all(isinstance(o, dict) for o in listed)):
            continue
        flags = [
            next((item[field] for field in item if column_key(str(field)) in IS_RIGHT), None)
            for item in listed
        ]
        if any(flag is not None for flag in flags):
            right = [m for m, flag in zip(LETTERS, flags, strict=False) if is_marked(flag)]
            return {**values, name: listed, "key": right[0] if len(right) == 1 else right}
    return values


def _joined(rows: list[Row]) -> list[Row]:
    """Several rows of a table that are one question, joined: an option a row, or the options under
    their question."""
    if len(rows) < 2:
        return rows
    by_key = {column_key(str(name)): name for row in rows[:1] for name in row.values}
    number = next((by_key[n] for n in NUMBER if n in by_key), None)
    question = next((by_key[n] for n in (*QUESTION, "text") if n in by_key), None)
    if question is None:
        return rows
    if number is None and "texto" in by_key and _is_short(rows, question):
        # 'Pregunta' is its number
        named = {question: "number", by_key["texto"]: "question"}
        rows = [
            row._replace(values={named.get(n, n): v for n, v in row.values.items()}) for row in rows
        ]
        number, question = "number", "question"
    flag = next((by_key[n] for n in IS_RIGHT if n in by_key), None)
    if flag is not None and (kind := _kind_column(rows)):
        return _of_kinds(rows, kind, question, flag)
    of_options = [by_key[n] for n in OPTION if n in by_key]
    # beside the texts of the options may stand their letters
    texts = [name for name in of_options if not _are_letters(rows, name)]
    option = next(iter([*texts, *of_options]), None)
    if option is not None and flag is not None:
        groups = _groups(rows, number, question)
        if sum(map(len, groups)) >= 2 * len(groups):
            letter = next((name for name in by_key.values() if _are_letters(rows, name)), None)
            return [_of_options(_in_order(group, letter), option, flag) for group in groups]
    if number is not None and (joined := _with_options_below(rows, number, question, flag)):
        return joined
    return _with_lines_below(rows, number, question)


def _are_letters(rows: list[Row], column: str) -> bool:
    """Whether a column holds the letter of an option in every row, and not always the same."""
    written = [str(row.values.get(column) or "").strip() for row in rows]
    return len({*written}) > 1 and all(map(OPTION_CELL.fullmatch, written))


def _in_order(group: list[Row], letter: str | None) -> list[Row]:
    """The rows of a question by the letters of its options, if they have any."""
    marks = [str(row.values.get(letter or "") or "").strip(" ([)].-").upper() for row in group]
    if letter is None or marks == sorted(marks):
        return group
    ordered = sorted(zip(marks, group, strict=True), key=lambda marked: marked[0])
    return [row for _, row in ordered]


def _is_short(rows: list[Row], column: str) -> bool:
    """Whether a column holds numbers or nothing."""
    return all(len(str(row.values.get(column) or "")) < FEWEST_CHARACTERS for row in rows)


def _kind_column(rows: list[Row]) -> str | None:
    """The column that says of each row whether it is a question or an option."""
    for name in rows[0].values:
        kinds = {column_key(str(row.values.get(name) or "")) for row in rows}
        if kinds <= IS_QUESTION | IS_OPTION and kinds & IS_QUESTION and kinds & IS_OPTION:
            return name
    return None


def _of_kinds(rows: list[Row], kind: str, text: str, flag: str) -> list[Row]:
    """Questions with the rows below them that are their options."""
    groups: list[list[Row]] = []
    for row in rows:
        if column_key(str(row.values[kind])) in IS_QUESTION or not groups:
            groups.append([])
        groups[-1].append(row)
    joined = []
    for head, *below in groups:
        right = [m for m, row in zip(LETTERS, below, strict=False) if is_marked(row.values[flag])]
        kept = {n: v for n, v in head.values.items() if n not in (kind, text, flag)}
        options = [row.values.get(text) for row in below]
        key: Any = right[0] if len(right) == 1 else right
        asked = {"question": head.values.get(text), "options": options, "key": key}
        joined.append(head._replace(values=kept | asked))
    return joined


def _with_options_below(rows: list[Row], number: str, question: str, flag: str | None) -> list[Row]:
    """Questions with the rows below them that hold an option each, with its letter where a question
    has its number; none if the file has no such rows."""
    groups: list[list[Row]] = []
    for row in rows:
        letter = OPTION_CELL.fullmatch(str(row.values.get(number) or "").strip())
        if letter is None:
            groups.append([row])
        elif groups:
            groups[-1].append(row)
    if sum(len(group) > 2 for group in groups) < max(2, len(groups) / 2):
        return []
    joined = []
    for head, *below in groups:
        # with its letter, which is not its place where one is missing
        marks = [str(row.values[number]).strip(" ([)].-") for row in below]
        texts = [row.values.get(question) for row in below]
        options = [f"{mark}) {text or ''}" for mark, text in zip(marks, texts, strict=True)]
        right = [
            letter
            for letter, row in zip(LETTERS, below, strict=False)
            if flag is not None and is_marked(row.values.get(flag))
        ]
        values = {name: value for name, value in head.values.items() if not right or name != flag}
        key: Any = right[0] if len(right) == 1 else right
        joined.append(
            head._replace(values={**values, "options": options} | ({"key": key} if right else {}))
        )
    return joined


def _groups(rows: list[Row], number: str | None, question: str) -> list[list[Row]]:
    """Rows of one question: the same number and text, or none (a merged cell)."""
    groups: list[list[Row]] = []
    last = ["", ""]
    for row in rows:
        own = [str(row.values.get(name or "") or "").strip() for name in (number, question)]
        if not groups or any(a and a != b for a, b in zip(own, last, strict=True)):
            groups.append([])
            last = own
        groups[-1].append(row)
    return groups


def _of_options(group: list[Row], option: str, flag: str) -> Row:
    options = [row.values.get(option) for row in group]
    right = [
        letter
        for letter, row in zip(LETTERS, group, strict=False)
        if is_marked(row.values.get(flag))
    ]
    values = {name: v for name, v in group[0].values.items() if name not in (option, flag)}
    key: Any = right[0] if len(right) == 1 else right
    return group[0]._replace(values={**values, "options": options, "key": key})


def _with_lines_below(rows: list[Row], number: str | None, question: str) -> list[Row]:
    """Questions with the rows below them that hold their options: marked as such, and without a
    number of their own."""
    joined: list[Row] = []
    for row in rows:
        text = str(row.values.get(question) or "")
        is_below = number is not None and not str(row.values.get(number) or "").strip()
        if joined and is_below and LINE_MARK.match(text):
            above = joined[-1]
            joined[-1] = above._replace(
                values={**above.values, question: f"{above.values[question]}\n{text}"}
            )
        else:
            joined.append(row)
    return joined
