"""Answers of a run in which no diagnosis can be read: the import tells, before any build does."""

from collections.abc import Sequence
from typing import Any

import pyarrow as pa

from python_llm import seeds
from python_llm.imports.numbered_rows import place
from python_llm.parsing.differential import parse_differentials
from python_llm.parsing.envelopes import unwrapped
from python_llm.runs.store import Answer


def about_unreadable(answers: Sequence[Answer], source: str) -> list[str]:
    """A sentence on the answers that have a text, no list that can be read, and no word on why: a
    list in another form than is known counts as a failure of the model."""
    texts = [answer for answer in answers if (answer["answer_text"] or "").strip()]
    unread = [
        answer
        for answer, reading in zip(texts, parsed_answers(texts), strict=True)
        if reading["parse_status"] != "ok" and reading["failure_status"] is None
    ]
    if not unread:
        return []
    # an answer may repeat what a patient said: its place is told, not its text
    first = place(source, unread[0]["source_row"])
    where = first if len(unread) == 1 else f"the first in {first}"
    return [
        f"No diagnosis can be read in {len(unread)} of {len(answers)} answers, which count as "
        f"failures of the model ({where}). If they have "
        "diagnoses, write one a line, numbered from 1, and import again."
    ]


def parsed_answers(answers: Sequence[Answer]) -> list[dict[str, Any]]:
    """What a build reads in the texts of recorded answers (differential.PARSED_SCHEMA)."""
    table = pa.table(
        {
            "answer_key": [str(number) for number in range(len(answers))],
            "answer_text": [unwrapped(answer["answer_text"] or "") for answer in answers],
            "output_format": [answer["output_format"] for answer in answers],
            "is_recorded": [True] * len(answers),
        }
    )
    return parse_differentials(table, failure_patterns()).to_pylist() if answers else []


def failure_patterns() -> pa.Table:
    """The seed answer_patterns with the outcome class of each status."""
    classes = {
        row["status"]: row["outcome_class"]
        for row in seeds.read("seeds/calls/outcome_statuses.csv")
    }
    rows = [
        {
            **row,
            "pattern_order": int(row["pattern_order"]),
            "outcome_class": classes[row["status"]],
        }
        for row in seeds.read("seeds/experiments/answer_patterns.csv")
    ]
    return pa.Table.from_pylist(rows)
