"""What stands deeper than the fields of a row: the list of rows in a document, ids and golds in
objects, by dotted names ('instance.id')."""

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from python_llm.imports.cells import as_written
from python_llm.imports.numbered_rows import Row
from python_llm.imports.tables import roles
from python_llm.parsing.folding import column_key
from python_llm.runs.cases import Case
from python_llm.runs.matching import by_id
from python_llm.runs.reading import ROLES, WIDE, is_name_of_call

DEEPEST = 5
LONGEST_ID = 80  # characters; what is called 'case' may be its text
OF_ROWS = {
    *("results", "samples", "data", "items", "rows", "records", "cases", "examples", "instances"),
    *("answers", "outputs", "responses", "predictions", "generations", "entries", "logs", "runs"),
    *("request_states", "resultados", "casos", "respuestas"),
}
# objects whose ids are those of a call, a model or a prompt
NOT_OF_CASES = {
    *("response", "output", "result", "results", "completion", "completions", "choices", "message"),
    *("messages", "provider", "model", "usage", "request", "prompt", "config", "grading_result"),
}
CASES = (*ROLES["case"], "instance_id", "question_id", "doc_id")
GOLDS = (*ROLES["gold"], "references")


_TAG = re.compile(r"(?P<name>[A-Za-z][\w-]{1,30})\s*[:=]\s*(?P<value>\S.{0,80})")


class Opened(NamedTuple):
    """Rows with columns out of their objects, the roles of those nobody assigned, and a note."""

    rows: list[Row]
    columns: dict[str, str]
    notes: list[str]


def rows_within(rows: list[Row]) -> list[Row]:
    """The rows that a document of one object has deeper, under a name for such: the longest
    list. The rows as they are if there is none, several are as long, or the object is an answer."""
    if len(rows) != 1 or _is_answer(rows[0]):
        return rows
    lists = sorted(_lists(_object_of(rows[0])), key=len)
    if not lists or (len(lists) > 1 and len(lists[-1]) == len(lists[-2])):
        return rows
    return [
        Row(number, {str(name): as_written(value) for name, value in item.items()})
        for number, item in enumerate(lists[-1], 1)
    ]


def _is_answer(row: Row) -> bool:
    return any(
        column_key(name) in ROLES["answer"] and not written.startswith(("{", "[{"))
        for name, written in row.values.items()
    )


def _lists(value: Mapping[str, Any], depth: int = 0) -> Iterator[list[dict[str, Any]]]:
    for name, inner in value.items():
        if isinstance(inner, dict) and depth < DEEPEST:
            yield from _lists(inner, depth + 1)
        elif column_key(name) in OF_ROWS and isinstance(inner, list) and len(inner) > 1:
            yield from [inner] if all(isinstance(item, dict) for item in inner) else []


def opened(
    rows: list[Row],
    assigned: Mapping[str, str],
    cases: list[Case],
    test_set: str,
    *,
    is_by_order: bool,
) -> Opened:
    """The rows with the columns inside objects that are `assigned`, or say the case or the gold
    diagnosis where no column does.

    Of several ids the one counts that names most `cases`, and an id inside objects goes before one
    beside them if it names more. An id that is the same in all rows is none of cases.
    """
    leaves = [leaves_of(row) for row in rows]
    beside = roles(rows, {role: ROLES[role] for role in ("case", "gold")}, {})
    named = {role: path for role, path in assigned.items() if "." in path}
    if "case" not in assigned and not is_by_order:
        path = _case_path(leaves, beside.get("case"), cases, test_set)
        named |= {"case": path} if path else {}
    if not {"gold"} & {*assigned, *beside}:
        paths = [path for path in _filled(leaves) if "." in path and _is_gold(path, leaves)]
        is_one = len({tuple(values.get(path) for values in leaves) for path in paths}) == 1
        named |= {"gold": paths[0]} if is_one else {}
    if not {"answer", "diagnosis"} & {*assigned, *_roles_of_answers(rows)}:
        paths = [path for path in _filled(leaves) if "." in path and _is_of_answers(path)]
        named |= {"answer": paths[0]} if len(paths) == 1 else {}
    present = {path for values in leaves for path in values}
    named = {role: path for role, path in named.items() if path in present}
    if not named:
        return Opened(rows, {}, [])
    opened_rows = [
        Row(number, {**values, **{path: inner.get(path, "") for path in named.values()}})
        for (number, values), inner in zip(rows, leaves, strict=True)
    ]
    inside = {role: path for role, path in named.items() if role not in assigned}
    read = ", ".join(f"{role} from {path}" for role, path in inside.items())
    return Opened(opened_rows, inside, [f"Read: {read}."] if read else [])


def _roles_of_answers(rows: list[Row]) -> Iterable[str]:
    """The roles of columns with answers; a name that is the same in all rows is that of the call,
    and columns of ranks are answers, too."""
    beside = roles(rows, {role: ROLES[role] for role in ("answer", "diagnosis")}, {})
    if is_name_of_call(rows, beside.get("diagnosis", "")):
        del beside["diagnosis"]
    is_wide = any(WIDE.fullmatch(column_key(name)) for row in rows[:1] for name in row.values)
    return {**beside, **({"answer": ""} if is_wide else {})}


def _is_of_answers(path: str) -> bool:
    """Whether a field inside objects has answers: 'outputs.response', OpenTelemetry's
    'gen_ai.completion.0.content'."""
    *outer, last = map(column_key, path.split("."))
    whole = [*outer, last]
    is_suggested = whole[-2:] == ["suggestions", "value"]  # by a model, to Argilla's annotators
    return last in ROLES["answer"] or is_suggested or whole[-3:] == ["completion", "0", "content"]


def _case_path(
    leaves: list[dict[str, str]], beside: str | None, cases: list[Case], test_set: str
) -> str | None:
    """The field whose values name most cases, if that is not the one `beside` the objects."""
    n_named = {
        path: len(by_id([values[path] for values in leaves if path in values], test_set, cases))
        for path in (*_filled(leaves), *([beside] if beside else ()))
        if path == beside or _is_id(path, leaves)
    }
    if not n_named:
        return None
    best = max(n_named, key=lambda path: (n_named[path], path == beside, -_precedence(path)))
    return None if best == beside or (beside and 2 * n_named[best] < len(leaves)) else best


def _filled(leaves: list[dict[str, str]]) -> list[str]:
    """The paths that at least half of the rows have."""
    counts: dict[str, int] = {}
    for values in leaves:
        for path in values:
            counts[path] = counts.get(path, 0) + 1
    return [path for path, count in counts.items() if 2 * count >= len(leaves)]


def _is_id(path: str, leaves: list[dict[str, str]]) -> bool:
    *outer, last = map(column_key, path.split("."))
    if last not in CASES or NOT_OF_CASES & {*outer}:
        return False
    ids = {values.get(path, "") for values in leaves}
    return max(map(len, ids)) <= LONGEST_ID and (len(leaves) == 1 or len(ids) > 1)


def _is_gold(path: str, leaves: list[dict[str, str]]) -> bool:
    """Whether a field has names of gold diagnoses; numbers are those of options."""
    parts = [column_key(part) for part in path.split(".")]
    if "references" in parts:
        parts = parts[: parts.index("references") + 1]
    if NOT_OF_CASES & {*parts} or parts[-1] not in GOLDS:
        return False
    written = [values[path] for values in leaves if path in values]
    has_words = [any(letter.isalpha() for letter in text) for text in written]
    return 2 * sum(has_words) > len(written) and (len(leaves) == 1 or len({*written}) > 1)


def _precedence(path: str) -> int:
    last = column_key(path.rpartition(".")[2])
    return CASES.index(last) if last in CASES else len(CASES)


def leaves_of(row: Row) -> dict[str, str]:
    """The texts and numbers of a row, those inside objects too, by dotted name."""
    return dict(_leaves(_object_of(row), ""))


def _object_of(row: Row) -> dict[str, Any]:
    """The values of a row, those that are JSON as what they hold."""
    return {name: _parsed(value) for name, value in row.values.items()}


def _parsed(written: Any) -> Any:
    if not isinstance(written, str) or not written.startswith(("{", "[{")):
        return written
    try:
        return json.loads(written)
    except (ValueError, RecursionError):
        return written


def _leaves(value: Any, path: str, depth: int = 0) -> Iterator[tuple[str, str]]:
    """The texts and numbers in an object by dotted name; a list of one is what it holds."""
    if isinstance(value, list) and len(value) == 1:
        value = value[0]
    if isinstance(value, dict):
        if depth < DEEPEST:
            for name, inner in value.items():
                yield from _leaves(inner, f"{path}.{name}" if path else str(name), depth + 1)
    elif isinstance(value, list) and value and all(isinstance(tag, str) for tag in value):
        for tag in value:  # ["eval", "case:P001"]
            if (match := _TAG.fullmatch(tag)) is not None:
                yield f"{path}.{match['name']}", match["value"]
    elif path and not isinstance(value, (list, bool)) and (text := as_written(value)):
        yield path, text
