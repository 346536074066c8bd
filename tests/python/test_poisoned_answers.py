"""No answer, however odd, ends a build: every parser gives a row for it and Arrow takes the row."""

import time

import pyarrow as pa
import pytest

from python_llm.parsing.differential import PARSERS, parse_differentials
from python_llm.parsing.judgement import parse_judgements
from python_llm.phenotyping.extraction import parse_extractions
from python_llm.phenotyping.recommending import parse_recommendations as parse_work_ups
from python_llm.questions.analysis import parse_analyses
from python_llm.questions.choice import parse_choices
from python_llm.recommendations.evaluation.answers import parse_recommendations, parse_scores

HALF = "\\ud83d"  # half of a character, as a model writes it that is cut off in an emoji
LONG = "1" * 5000  # more digits than Python turns into a number
FILLED = """{{
 "diagnoses": [{{"name": "Flu {0}", "reasoning": "{0}"}}],
 "judgements": [{{"rank": 1, "label": "{0}", "reason": "{0}"}}],
 "findings": [{{"finding": "{0}", "raw_text": "{0}"}}],
 "timings": [{{"phenotype_ref": "{0}", "raw_evidence": "{0}", "onset_normalized": 1}}],
 "differential": ["{0}"], "direct_answer": "{0}", "explanation": "{0}", "answer": "{0}",
 "score": 3, "reason": "{0}", "recommendation": "{0}", "summary": "{0}"
}}"""
ANSWERS = {
    "half a character": FILLED.format(HALF),
    "a number too long": FILLED.format("x").replace('"score": 3', f'"score": {LONG}'),
    "a number beyond 64 bits": FILLED.format("x")
    .replace('"rank": 1', f'"rank": {2**70}')
    .replace('"onset_normalized": 1', f'"onset_normalized": {2**70}')
    .replace('"score": 3', f'"score": {2**70}'),
    "a list of long numbers": f"[{LONG}]",
    "deep": '{"diagnoses": ' + "[" * 100_000,
    "deep and whole": "[" * 100_000 + "]" * 100_000,
    "zeros": "1. Flu\x00\n2. \x00",
    "not JSON": '{"diagnoses": [NaN, Infinity, -0, 1e999, null]}',
    "empty": "",
    "none": None,
}


def parse_answers(answers):
    """As the build parses them, without a pattern of failures."""
    return parse_differentials(answers, pa.table({"pattern": pa.array([], pa.string())}))


@pytest.mark.parametrize("answer", ANSWERS.values(), ids=ANSWERS)
@pytest.mark.parametrize(
    ("parse", "asked"),
    [
        *((parse_answers, {"answer_key": "k", "output_format": name}) for name in PARSERS),
        (parse_judgements, {}),
        *((parse_extractions, {"task": task}) for task in ("excluded", "timing")),
        (parse_work_ups, {}),
        (parse_analyses, {}),
        (parse_choices, {"letters": "ABCD"}),
        (parse_scores, {}),
        (
            parse_recommendations,
            {
                **dict.fromkeys(("tenant_id", "case_id", "patient_id", "model_alias"), "x"),
                **dict.fromkeys(("retrieve_ms", "generate_ms"), 1.0),
            },
        ),
    ],
)
def test_an_odd_answer_is_a_row(parse, asked, answer):
    rows = [{"request_key": "k", "answer_text": answer, **asked}]
    columns = {name: pa.array([row[name] for row in rows]) for name in rows[0]}
    columns["answer_text"] = pa.array([answer], pa.string())
    read = parse(pa.table(columns))
    if parse is parse_analyses:  # a row for each field, none where there is nothing to read
        assert read.num_rows == len(set(read["item_number"].to_pylist()))
    else:
        assert read.num_rows == 1


def test_endless_opening_brackets_cost_no_time():
    began = time.process_time()
    for answer in ("[" * 100_000, '{"a":' * 100_000):
        rows = pa.table({"request_key": ["k"], "task": ["excluded"], "answer_text": [answer]})
        for parse in (parse_extractions, parse_judgements):
            assert parse(rows)["parse_status"].to_pylist() == ["parse_error"]
        assert parse_analyses(rows).num_rows == 0
    assert time.process_time() - began < 5


def test_half_a_character_is_replaced_and_a_whole_one_kept():
    answer = '{"judgements": [{"rank": 1, "label": "x \\ud83d", "reason": "%s"}]}'
    rows = pa.table({"request_key": ["k"], "answer_text": [answer % "\\ud83d\\ude00"]})
    (label,) = parse_judgements(rows)["labels"][0].as_py()
    assert (label["label"], label["reason"]) == ("x \ufffd", "\U0001f600")
