"""Findings and their times from a model's JSON answer, with a typed outcome for each.

What the model wrote is kept as it is; SQL, where the note is, decides whether its quotation is in
the note, its phenotype in the list and its name that of a term.
"""

import math
from collections.abc import Mapping
from typing import Any, Literal

import pyarrow as pa
from pydantic import BaseModel, ConfigDict, ValidationError, field_validator

from python_llm.parsing.json_text import last_read
from python_llm.phenotyping.negation import Status

# years: an age, or up to a year before birth
_AGES = (-1.0, 125.0)


class ExcludedItem(BaseModel):
    """One finding a note excludes, as the prompt phenotype_excluded asks for it."""

    model_config = ConfigDict(extra="ignore", str_strip_whitespace=True)
    raw_text: str
    finding: str
    exclusion_type: Literal["explicit", "soft"] = "explicit"
    confidence: Literal["high", "medium"] = "medium"


class TimingItem(BaseModel):
    """The times of one phenotype, as the prompt phenotype_timing asks for them; years of age."""

    model_config = ConfigDict(extra="ignore", str_strip_whitespace=True)
    phenotype_ref: str
    raw_evidence: str
    onset: str | None = None
    onset_normalized: float | None = None
    resolution: str | None = None
    is_ongoing: bool = True
    progression: Literal["stable", "progressive", "improving", "episodic"] | None = None

    @field_validator("onset_normalized")
    @classmethod
    def _is_an_age(cls, value: float | None) -> float | None:
        if value is None or (math.isfinite(value) and _AGES[0] <= value <= _AGES[1]):
            return value
        raise ValueError("no age")


class FindingItem(BaseModel):
    """One finding a note names, as the prompt phenotype_findings asks for it."""

    model_config = ConfigDict(extra="ignore", str_strip_whitespace=True)
    raw_text: str
    finding: str
    status: Status


Item = ExcludedItem | FindingItem | TimingItem
_TASKS: Mapping[str, tuple[str, type[Item]]] = {
    "excluded": ("findings", ExcludedItem),
    "findings": ("findings", FindingItem),
    "timing": ("timings", TimingItem),
}

EXTRACTION_SCHEMA = pa.schema(
    [
        ("request_key", pa.string()),
        ("parse_status", pa.string()),
        ("n_unreadable", pa.int32()),
        (
            "items",
            pa.list_(
                pa.struct(
                    [
                        ("finding", pa.string()),
                        ("evidence", pa.string()),
                        ("status", pa.string()),
                        ("exclusion_type", pa.string()),
                        ("certainty", pa.string()),
                        ("onset_text", pa.string()),
                        ("onset_years", pa.float64()),
                        ("resolution_text", pa.string()),
                        ("is_ongoing", pa.bool_()),
                        ("progression", pa.string()),
                    ]
                )
            ),
        ),
    ]
)


def items_in(text: str | None, task: str) -> list[Any] | None:
    """The raw items of the last answer in `text`: an object with the task's list, or the bare list,
    fenced or in prose. None if there is no such answer."""
    name, _ = _TASKS[task]

    def items(value: Any) -> list[Any] | None:
        if isinstance(value, dict) and isinstance(value.get(name), list):
            return value[name]
        is_list = isinstance(value, list) and all(isinstance(item, dict) for item in value)
        return value if is_list else None

    return last_read(text or "", "{[", items)


def parse_extraction(text: str | None, task: str) -> tuple[list[dict[str, Any]], int] | None:
    """(items as in EXTRACTION_SCHEMA, how many could not be read), or None if the text holds no
    answer. task: excluded, findings or timing."""
    raw = items_in(text, task)
    if raw is None:
        return None
    _, kind = _TASKS[task]
    items, n_unreadable = [], 0
    for entry in raw:
        try:
            items.append(_row(kind.model_validate(entry)))
        except ValidationError:
            n_unreadable += 1
    return items, n_unreadable


def _row(item: Item) -> dict[str, Any]:
    if isinstance(item, FindingItem):
        return {"finding": item.finding, "evidence": item.raw_text, "status": str(item.status)}
    if isinstance(item, ExcludedItem):
        return {
            "finding": item.finding,
            "evidence": item.raw_text,
            "exclusion_type": item.exclusion_type,
            "certainty": item.confidence,
        }
    return {
        "finding": item.phenotype_ref,
        "evidence": item.raw_evidence,
        "onset_text": item.onset,
        "onset_years": item.onset_normalized,
        "resolution_text": item.resolution,
        "is_ongoing": item.is_ongoing,
        "progression": item.progression,
    }


def parse_extractions(answers: pa.Table) -> pa.Table:
    """EXTRACTION_SCHEMA, one row per row of `answers` (request_key, task, answer_text).

    parse_status is ok, partly_read (some items do not match the schema) or parse_error.
    """
    rows = []
    for answer in answers.to_pylist():
        parsed = parse_extraction(answer["answer_text"], answer["task"])
        items, n_unreadable = parsed or ([], 0)
        status = "parse_error" if parsed is None else "partly_read" if n_unreadable else "ok"
        rows.append(
            {
                "request_key": answer["request_key"],
                "parse_status": status,
                "n_unreadable": n_unreadable,
                "items": items,
            }
        )
    return pa.Table.from_pylist(rows, schema=EXTRACTION_SCHEMA)
