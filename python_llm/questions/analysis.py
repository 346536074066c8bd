"""A structured analysis from a model's JSON answer, field by field.

The texts are kept as written; SQL decides what is compared with the key.
"""

from typing import Any

import pyarrow as pa
from pydantic import BaseModel, Field, field_validator

from python_llm.parsing.json_text import last_read


class Item(BaseModel):
    """One entry of a ranked list; a bare text is an entry without a reason."""

    text: str
    reasoning: str | None = None


class Analysis(BaseModel):
    """The schema of every answer mode; lists are ranked, best first
    (docs/specification.md#question-scoring)."""

    differential_diagnosis: list[Item] = Field(default_factory=list)
    management_options: list[Item] = Field(default_factory=list)
    recommended_workup: list[Item] = Field(default_factory=list)
    mechanism_explanation: str = ""
    reasoning_chain: str = ""
    risk_assessment: str = ""
    direct_answer: str = ""

    @field_validator(
        "differential_diagnosis", "management_options", "recommended_workup", mode="before"
    )
    @classmethod
    def _items(cls, value: Any) -> list[dict[str, Any]]:
        if value in (None, ""):
            return []
        entries = value if isinstance(value, list) else [value]
        return [item for item in map(_item, entries) if item["text"]]

    @field_validator(
        "mechanism_explanation",
        "reasoning_chain",
        "risk_assessment",
        "direct_answer",
        mode="before",
    )
    @classmethod
    def _prose(cls, value: Any) -> str:
        if isinstance(value, list):
            return " ".join(map(str, value)).strip()
        return "" if value is None else str(value).strip()

    @property
    def is_empty(self) -> bool:
        """Whether no field has any content."""
        return not any(getattr(self, name) for name in type(self).model_fields)


def _item(entry: Any) -> dict[str, Any]:
    if not isinstance(entry, dict):
        return {"text": "" if entry is None else str(entry).strip()}
    names = ("diagnosis", "action", "finding", "test", "option", "name", "text")
    text = next((entry[name] for name in names if entry.get(name)), "")
    reasoning = next((entry[n] for n in ("reasoning", "reason", "rationale") if entry.get(n)), None)
    return {"text": str(text).strip(), "reasoning": None if reasoning is None else str(reasoning)}


RANKED = {
    "differential": "differential_diagnosis",
    "management_options": "management_options",
    "recommended_workup": "recommended_workup",
}
PROSE = ("mechanism_explanation", "reasoning_chain", "risk_assessment")

ANALYSIS_SCHEMA = pa.schema(
    [
        ("request_key", pa.string()),
        ("item_number", pa.int32()),
        ("field", pa.string()),
        ("field_rank", pa.int32()),
        ("field_text", pa.string()),
    ]
)


def parse_analysis(text: str | None) -> Analysis | None:
    """The last JSON object in `text` that is an analysis with content; None if there is none."""

    def analysis(value: Any) -> Analysis | None:
        if isinstance(value, dict) and set(value) & set(Analysis.model_fields):
            read = Analysis.model_validate(value)
            return None if read.is_empty else read
        return None

    return last_read(text or "", "{", analysis)


def fields_of(analysis: Analysis) -> list[dict[str, Any]]:
    """Every text of an analysis with its field and rank; prose has no rank, a direct answer rank 1,
    and full_text joins all of them."""
    rows: list[dict[str, Any]] = []

    def add(field: str, rank: int | None, text: str | None) -> None:
        if text:
            rows.append({"field": field, "field_rank": rank, "field_text": text})

    add("direct_answer", 1, analysis.direct_answer)
    for field, name in RANKED.items():
        for rank, item in enumerate(getattr(analysis, name), 1):
            add(field, rank, item.text)
    for item in analysis.differential_diagnosis:
        add("differential_reasoning", None, item.reasoning)
    for name in PROSE:
        add(name, None, getattr(analysis, name))
    reasons = [i.reasoning for n in RANKED.values() for i in getattr(analysis, n) if i.reasoning]
    texts = [row["field_text"] for row in rows if row["field"] != "differential_reasoning"]
    add("full_text", None, ". ".join([*texts, *reasons]))
    return rows


def parse_analyses(answers: pa.Table) -> pa.Table:
    """ANALYSIS_SCHEMA, one row per field of every analysis that could be read in `answers`
    (request_key, answer_text); prose has no rank, so the position tells two items apart."""
    rows = []
    for answer in answers.to_pylist():
        analysis = parse_analysis(answer["answer_text"])
        if analysis is not None:
            rows += [
                {"request_key": answer["request_key"], "item_number": number, **item}
                for number, item in enumerate(fields_of(analysis), 1)
            ]
    return pa.Table.from_pylist(rows, schema=ANALYSIS_SCHEMA)
