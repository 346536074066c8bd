"""Recorded answers in objects: by case, by column, and by case and model in either order."""

import json
from collections.abc import Mapping
from typing import Any

from python_llm.imports.cells import as_written
from python_llm.imports.numbered_rows import Row
from python_llm.parsing.enclosed import OTHERS
from python_llm.parsing.folding import column_key
from python_llm.runs.nested import OF_ROWS
from python_llm.runs.reading import ROLES

LONGEST_ABOUT = 200  # characters of what a document says of its answers: model, date, version
# what wraps an answer, and is no model
_OF_TURNS = {"role", "content", "message", "messages", "choices", "candidates", "body", "parts"}


def rows_of(
    rows: list[Row], wanted: set[str], *, is_json: bool, answer: str | None = None
) -> list[Row]:
    """The rows as answers of one case each, where they are objects of several: of a JSON document
    that is one object, and of any row with an object of answers by model. `wanted` are the names of
    columns that are known, folded; `answer` is the column of the answers, if somebody named it."""
    if is_json and len(rows) == 1:
        rows = [_of_answers(rows[0])]
        rows = _of_models(rows[0], wanted) or _of_cases(rows[0], wanted) or rows
    return _with_models(rows, wanted, answer) or rows


def _of_answers(row: Row) -> Row:
    """The object of answers by case in a document that says beside it only whose they are; the
    document itself if it has none."""
    folded = {column_key(name): name for name in row.values}
    inner = [name for key, name in folded.items() if key in OF_ROWS and _object(row.values[name])]
    others = [name for name in row.values if name not in inner]
    is_about = all(len(row.values[n]) <= LONGEST_ABOUT and n not in inner for n in others)
    if len(inner) != 1 or not is_about or not folded.keys().isdisjoint(ROLES["case"]):
        return row
    answers = _object(row.values[inner[0]])
    return Row(row.number, {name: as_written(value) for name, value in answers.items()})


def _of_cases(row: Row, wanted: set[str]) -> list[Row]:
    """The rows of an object of answers by case, which are texts, lists or objects with an answer
    each, or of one of columns by the number of the row. None if it is neither: a field is known,
    or a value is of another kind."""
    if len(row.values) < 2:
        return []
    objects = {name: _object(written) for name, written in row.values.items()}
    is_known = any(column_key(name) in wanted for name in row.values)
    if all(objects.values()):
        return _of_columns(objects) if is_known else _of_objects(objects, wanted)
    if is_known or any(written.startswith(("{", "[[")) for written in row.values.values()):
        return []
    return [
        Row(number, {"case_id": case, "answer": answer})
        for number, (case, answer) in enumerate(row.values.items(), 1)
    ]


def _of_models(row: Row, wanted: set[str]) -> list[Row]:
    """The rows of an object of objects of lists or texts: by case and then by model, or the other
    way round. There are more cases than models; of as many the outer ones are the cases."""
    outer = {name: _by_model(written, wanted) for name, written in row.values.items()}
    if not outer or not all(outer.values()) or any(column_key(name) in wanted for name in outer):
        return []
    inner = list(dict.fromkeys(name for answers in outer.values() for name in answers))
    shared = set.intersection(*(set(answers) for answers in outer.values()))
    if not shared or any(2 * len(shared) < len(answers) for answers in outer.values()):
        return []
    is_by_case = len(outer) >= len(inner)
    pairs = [(first, second, outer[first][second]) for first in outer for second in outer[first]]
    return [
        Row(
            number,
            {"case_id": first, "model": second, "answer": answer}
            if is_by_case
            else {"case_id": second, "model": first, "answer": answer},
        )
        for number, (first, second, answer) in enumerate(pairs, 1)
    ]


def _with_models(rows: list[Row], wanted: set[str], answer: str | None) -> list[Row]:
    """The rows, one for each model, where a column holds an object of answers by the same models in
    every row."""
    names = list(rows[0].values) if rows else []
    known = [name for name in names if column_key(name) in ROLES["answer"]]
    of_answers = [answer] if answer else known
    for column in of_answers or (name for name in names if column_key(name) not in OTHERS):
        answers = [_by_model(row.values.get(column, ""), wanted) for row in rows]
        models = {frozenset(by_model) for by_model in answers}
        is_of_models = of_answers or len(min(models, key=len, default=())) > 1
        if all(answers) and len(models) == 1 and is_of_models:
            return [
                Row(
                    row.number,
                    {
                        **{name: value for name, value in row.values.items() if name != column},
                        "model": model,
                        "answer": answer,
                    },
                )
                for row, by_model in zip(rows, answers, strict=True)
                for model, answer in by_model.items()
            ]
    return []


def _by_model(written: str, wanted: set[str]) -> dict[str, str]:
    """The answers of an object by model: texts, or lists of them; empty if it is none. What is
    called as a field, a turn or a rank is no model."""
    value = _object(written)
    names = {column_key(name) for name in value}
    if names & (wanted | _OF_TURNS | OTHERS) or any(name.isdigit() for name in names):
        return {}
    if not all(isinstance(answer, (str, list)) and answer for answer in value.values()):
        return {}
    return {name: as_written(answer) for name, answer in value.items()}


def _object(written: str) -> dict[str, Any]:
    """A text as the JSON object it is, empty for any other."""
    try:
        value = json.loads(written) if written.startswith("{") else {}
    except (ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}


def _of_columns(columns: Mapping[str, dict[str, Any]]) -> list[Row]:
    numbers = list(dict.fromkeys(number for column in columns.values() for number in column))
    if not all(number.isdigit() for number in numbers):
        return []
    return [
        Row(n, {name: as_written(column.get(number)) for name, column in columns.items()})
        for n, number in enumerate(numbers, 1)
    ]


def _of_objects(objects: Mapping[str, dict[str, Any]], wanted: set[str]) -> list[Row]:
    if _are_ranked(objects):
        objects = {
            case: {f"diagnosis_{rank}": name for rank, name in item.items()}
            for case, item in objects.items()
        }
    elif _are_weighed(objects):
        triples = [(case, *share) for case, item in objects.items() for share in item.items()]
        return [
            Row(number, {"case_id": case, "diagnosis": name, "probability": as_written(share)})
            for number, (case, name, share) in enumerate(triples, 1)
        ]
    elif not all(any(column_key(name) in wanted for name in item) for item in objects.values()):
        return []
    return [
        Row(number, {"case_id": case} | {name: as_written(value) for name, value in item.items()})
        for number, (case, item) in enumerate(objects.items(), 1)
    ]


def _are_weighed(objects: Mapping[str, dict[str, Any]]) -> bool:
    """Whether the objects of cases have probabilities by name: {"Gout": 0.7, "Flu": 0.1}."""
    items = [pair for item in objects.values() for pair in item.items()]
    return len(items) > len(objects) and all(
        isinstance(share, float | int)
        and not isinstance(share, bool)
        and 0 <= share <= 100
        and sum(map(str.isalpha, name)) > 2
        for name, share in items
    )


def _are_ranked(objects: Mapping[str, dict[str, Any]]) -> bool:
    """Whether the objects of cases have names by rank: {"1": "Gout", "2": "Flu"}, from 1 on and
    fewer ranks than cases, so that the ranks are no cases of several models."""
    numbers = {number for item in objects.values() for number in item}
    counted = {str(number) for number in range(1, len(numbers) + 1)}
    names = [name for item in objects.values() for name in item.values()]
    return (
        numbers == counted
        and 1 < len(numbers) < len(objects)
        and all(isinstance(name, str) and "\n" not in name for name in names)
    )
