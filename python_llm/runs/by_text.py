"""Answers that say whose they are by nothing but the text of the case they were asked about."""

import json
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import replace
from typing import Any

from python_llm.imports.numbered_rows import Row
from python_llm.runs.cases import Case
from python_llm.runs.matching import by_id
from python_llm.runs.reading import Table

LEAST = 40  # characters of a text that is no accident
MOST_COMPARED = 4_000_000  # pairs of a row and a case
CASE = "case of the text"


def with_texts_named(
    source: Table, texts: Mapping[str, str], cases: list[Case], test_set: str
) -> Table:
    """A table in which no column has an id of a case, with the case of each row whose question
    is, or holds, the text of one case; `texts` are those of the `cases` by id. As it is if less
    than half of the rows have one: a row without one is then in doubt, and is set aside."""
    written = [row.values.get(source.columns.get("case", ""), "") for row in source.rows]
    if not source.rows or by_id([*filter(None, written)], test_set, cases):
        return source
    folded = {case_id: _folded(text) for case_id, text in texts.items()}
    shared = Counter(folded.values())
    own = {text: i for i, text in folded.items() if len(text) >= LEAST and shared[text] == 1}
    if not own or len(own) * len(source.rows) > MOST_COMPARED:
        return source
    named = [_case_of(row, own) for row in source.rows]
    if 2 * sum(map(bool, named)) < len(named):
        return source
    rows = [
        Row(number, {**values, CASE: case_id})
        for (number, values), case_id in zip(source.rows, named, strict=True)
    ]
    note = "The questions have the texts of the cases: they say whose each answer is."
    return replace(
        source, rows=rows, columns={**source.columns, "case": CASE}, notes=[*source.notes, note]
    )


def _case_of(row: Row, own: Mapping[str, str]) -> str:
    """The case whose text a row has; '' for none, or several."""
    written = [text for value in row.values.values() for text in texts_in(value)]
    whole = {own[text] for text in written if text in own}
    if not whole:
        whole = {
            case_id for text, case_id in own.items() if any(text in other for other in written)
        }
    return next(iter(whole)) if len(whole) == 1 else ""


def texts_in(value: Any, depth: int = 0) -> Iterator[str]:
    """The longer texts in a value, also in JSON that is written as a text."""
    if isinstance(value, str) and value.startswith(("{", "[")) and depth < 8:
        with suppress(ValueError, RecursionError):
            value = json.loads(value)
    if isinstance(value, str):
        if len(value) >= LEAST:
            yield _folded(value)
    elif isinstance(value, dict | list) and depth < 8:
        for inner in value.values() if isinstance(value, dict) else value:
            yield from texts_in(inner, depth + 1)


def _folded(text: str) -> str:
    return " ".join(text.split()).casefold()
