"""A judge's labels out of its JSON answer.

The labels come back as written; SQL compares them with the registry, so that a label that does
not exist is counted instead of corrected.
"""

import pyarrow as pa
from pydantic import BaseModel, field_validator

from python_llm.parsing.json_text import last_read


class RankLabel(BaseModel):
    """What a judge said of one rank, in its own words."""

    rank: int
    label: str
    reason: str | None = None

    @field_validator("rank")
    @classmethod
    def _fits(cls, rank: int) -> int:
        """An invented rank stays one, whatever its size; what holds it has 32 bits."""
        return max(-(2**31), min(rank, 2**31 - 1))


class _Answer(BaseModel):
    judgements: list[RankLabel]


JUDGED_SCHEMA = pa.schema(
    [
        ("request_key", pa.string()),
        ("parse_status", pa.string()),
        (
            "labels",
            pa.list_(
                pa.struct([("rank", pa.int32()), ("label", pa.string()), ("reason", pa.string())])
            ),
        ),
    ]
)


def parse_judgement(text: str | None) -> list[RankLabel] | None:
    """The labels of the last JSON object in `text` that has a list `judgements`; None if none has.

    The last one, because a judge that thinks aloud writes its drafts first.
    """
    return last_read(text or "", "{", lambda value: _Answer.model_validate(value).judgements)


def parse_judgements(answers: pa.Table) -> pa.Table:
    """Parse a table of judge answers (request_key, answer_text) into JUDGED_SCHEMA."""
    rows = []
    for answer in answers.to_pylist():
        labels = parse_judgement(answer["answer_text"])
        rows.append(
            {
                "request_key": answer["request_key"],
                "parse_status": "parse_error" if labels is None else "ok",
                "labels": [label.model_dump() for label in labels or []],
            }
        )
    return pa.Table.from_pylist(rows, schema=JUDGED_SCHEMA)
