"""What models answer when they are asked to read a note."""

import json

import pyarrow as pa
import pytest

from python_llm.phenotyping.extraction import parse_extraction, parse_extractions
from python_llm.prompting.templates import compose_all, read_registry

FINDING = {
    "raw_text": "no seizures",
    "finding": "Seizure",
    "exclusion_type": "explicit",
    "confidence": "high",
}
TIMING = {
    "phenotype_ref": "Seizure",
    "onset": "at 4 months",
    "onset_normalized": 0.33,
    "resolution": None,
    "is_ongoing": True,
    "progression": "episodic",
    "raw_evidence": "Seizures began at 4 months",
}


@pytest.mark.parametrize(
    "text",
    [
        json.dumps({"findings": [FINDING]}),
        json.dumps([FINDING]),
        "```json\n" + json.dumps({"findings": [FINDING]}) + "\n```",
        "Draft: " + json.dumps({"findings": []}) + " Final: " + json.dumps({"findings": [FINDING]}),
    ],
)
def test_an_answer_is_found_wherever_it_stands(text):
    items, n_unreadable = parse_extraction(text, "excluded")
    assert [item["finding"] for item in items] == ["Seizure"]
    assert n_unreadable == 0


def test_no_findings_is_an_answer_and_nothing_is_none():
    assert parse_extraction('{"findings": []}', "excluded") == ([], 0)
    for text in (None, "", "I cannot help.", '{"findings": [', "[1, 2]", "{" * 3000):
        assert parse_extraction(text, "excluded") is None


@pytest.mark.parametrize(
    "wrong",
    [
        {"onset_normalized": 900},
        {"onset_normalized": "NaN"},
        {"onset_normalized": -1.5},
        {"progression": "worse"},
        {"phenotype_ref": None},
        {"is_ongoing": "perhaps"},
    ],
)
def test_a_malformed_item_is_counted_and_the_rest_kept(wrong):
    text = json.dumps({"timings": [TIMING, {**TIMING, **wrong}]})
    items, n_unreadable = parse_extraction(text, "timing")
    assert len(items) == 1
    assert n_unreadable == 1


def test_outcomes_of_a_table():
    table = pa.table(
        {
            "request_key": ["a", "b", "c"],
            "task": ["excluded", "timing", "timing"],
            "answer_text": [
                json.dumps({"findings": [FINDING]}),
                json.dumps({"timings": [TIMING, {}]}),
                "no",
            ],
        }
    )
    rows = parse_extractions(table).to_pylist()
    assert [row["parse_status"] for row in rows] == ["ok", "partly_read", "parse_error"]
    assert rows[1]["items"][0]["onset_years"] == 0.33


def test_schemas_are_strict():
    aliases = ("phenotype_excluded", "phenotype_timing")
    rows = [row for _, row in read_registry() if row["prompt_alias"] in aliases]
    assert len(rows) == 2
    for prompt in compose_all(rows).to_pylist():
        schema = json.loads(prompt["response_schema"])
        [listed] = schema["properties"].values()
        for part in (schema, listed["items"]):
            assert part["additionalProperties"] is False
            assert sorted(part["required"]) == sorted(part["properties"])
