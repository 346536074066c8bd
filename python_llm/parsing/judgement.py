"""A judge's labels out of its JSON answer.

The labels come back as written; SQL compares them with the registry, so that a label that does
not exist is counted instead of corrected.
"""

import json

import pyarrow as pa
from pydantic import BaseModel, ValidationError


class RankLabel(BaseModel):
    """What a judge said of one rank, in its own words."""

    rank: int
    label: str
    reason: str | None = None


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
    text = text or ""
    decoder = json.JSONDecoder()
    found: list[RankLabel] | None = None
    position = text.find("{")
    while position != -1:
        end = position + 1
        try:
            value, end = decoder.raw_decode(text, position)
            found = _Answer.model_validate(value).judgements
        except (json.JSONDecodeError, RecursionError):
            pass  # not JSON from here: look at the next brace
        except ValidationError:
            end = position + 1  # some other object: the answer may be inside it
        position = text.find("{", end)
    return found


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
