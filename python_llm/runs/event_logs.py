"""Logs that have a line for each event of a sample, as OpenAI's evals write them: 'sampling' has
the answer, 'match' what was expected."""

import json
from typing import Any

from python_llm.imports.cells import as_written
from python_llm.imports.numbered_rows import Row

FIELDS = {"sample_id", "type", "data"}


def rows_of(rows: list[Row]) -> list[Row]:
    """A row for each sample with its answer, the last of several; the rows as they are if they are
    no events."""
    events = [row for row in rows if row.values.keys() >= FIELDS]
    if 2 * len(events) < len(rows) or not any(row.values["type"] == "sampling" for row in events):
        return rows
    samples: dict[str, Row] = {}
    for number, values in events:
        data = _data(values["data"])
        row = samples.setdefault(
            values["sample_id"],
            Row(number, {"sample_id": values["sample_id"], "input": "", "answer": "", "gold": ""}),
        )
        if values["type"] == "sampling":
            row.values["input"] = as_written(data.get("prompt"))
            row.values["answer"] = _first(data.get("sampled"))
        elif not row.values["gold"]:
            row.values["gold"] = _first(data.get("expected", data.get("ideal")))
    return list(samples.values())


def _data(written: str) -> dict[str, Any]:
    try:
        data = json.loads(written)
    except (ValueError, RecursionError):
        return {}
    return data if isinstance(data, dict) else {}


def _first(value: Any) -> str:
    """A text, or the only one of a list."""
    return as_written(value[0] if isinstance(value, list) and len(value) == 1 else value)
