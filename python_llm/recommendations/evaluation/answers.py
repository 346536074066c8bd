"""Recommendations from models' answers, and the scores of tier 4 from judges' answers."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping
from typing import Any

import pyarrow as pa

from python_llm.parsing.json_text import whole_value
from python_llm.recommendations.schema import RecommendationBody

_FENCE = re.compile(r"\A\s*```(?:json)?\s*\n(.*?)\n?```\s*\Z", re.DOTALL | re.IGNORECASE)
_THINKING = re.compile(r"<(think|thinking)>.*?(?:</\1>|\Z)", re.DOTALL | re.IGNORECASE)

# Grain: tenant_id, case_id. recommendation_json: as the model wrote it if it is not a JSON object,
# so that the schema check reports what is wrong; null without an answer.
ANSWERED_SCHEMA = pa.schema(
    [
        ("tenant_id", pa.string()),
        ("case_id", pa.string()),
        ("recommendation_json", pa.string()),
    ]
)
# Grain: request_key. score: 1 to 5, null if none could be read.
SCORE_SCHEMA = pa.schema(
    [("request_key", pa.string()), ("score", pa.int32()), ("reason", pa.string())]
)


def bare_json(text: str) -> str:
    """A text without its thinking and without the code fence around it."""
    text = _THINKING.sub("", text).strip()
    fenced = _FENCE.match(text)
    return fenced[1].strip() if fenced else text


def parse_recommendations(answers: pa.Table) -> pa.Table:
    """Answers as recommendations (ANSWERED_SCHEMA).

    answers: tenant_id, case_id, patient_id, model_alias, answer_text, retrieve_ms, generate_ms.
    Adds what the model does not know: id, patient, recommender, duration of each stage (ms). Fields
    that the model invented are kept for the schema check to report.
    """
    rows = []
    for answer in answers.to_pylist():
        rows.append(
            {
                "tenant_id": answer["tenant_id"],
                "case_id": answer["case_id"],
                "recommendation_json": _completed(answer),
            }
        )
    return pa.Table.from_pylist(rows, schema=ANSWERED_SCHEMA)


def _completed(answer: Mapping[str, Any]) -> str | None:
    text = answer["answer_text"]
    if text is None:
        return None
    body = whole_value(bare_json(text))
    if not isinstance(body, dict):
        return text
    key = f"{answer['model_alias']}/{answer['patient_id']}/{text}"
    stages = {"retrieve": answer["retrieve_ms"], "generate": answer["generate_ms"]}
    return json.dumps(
        {
            **body,
            "recommendation_id": hashlib.sha256(key.encode()).hexdigest()[:16],
            "patient_id": answer["patient_id"],
            "recommender": answer["model_alias"],
            "stage_ms": {stage: took for stage, took in stages.items() if took is not None},
        },
        ensure_ascii=False,
    )


def parse_scores(answers: pa.Table) -> pa.Table:
    """Scores of tier 4 (SCORE_SCHEMA). answers: request_key, answer_text.

    Only a whole number from 1 to 5 under "score" counts; 4.5, "4/5" and 7 do not.
    """
    rows = []
    for answer in answers.to_pylist():
        score, reason = None, None
        grading = whole_value(bare_json(answer["answer_text"] or ""))
        if isinstance(grading, dict):
            value = grading.get("score")
            if type(value) is int and 1 <= value <= 5:
                score = value
            reason = grading["reason"] if isinstance(grading.get("reason"), str) else None
        rows.append({"request_key": answer["request_key"], "score": score, "reason": reason})
    return pa.Table.from_pylist(rows, schema=SCORE_SCHEMA)


def response_schema() -> dict[str, Any]:
    """The JSON schema of a recommendation sent to models: without $ref, every field required."""
    whole = RecommendationBody.model_json_schema()
    parts = whole.pop("$defs")
    kept = ("type", "properties", "items", "enum")

    def plain(node: dict[str, Any]) -> dict[str, Any]:
        if "$ref" in node:
            return plain(parts[node["$ref"].rsplit("/", 1)[1]])
        out = {name: value for name, value in node.items() if name in kept}
        if "properties" in out:
            out["properties"] = {name: plain(part) for name, part in node["properties"].items()}
            out["required"] = list(out["properties"])
            out["additionalProperties"] = False
        if "items" in out:
            out["items"] = plain(node["items"])
        return out

    return plain(whole)
