"""Answers that are still in what a provider's interface wrapped them in."""

import json

import pytest

from python_llm.parsing.envelopes import unwrapped

WORDS = "1. Wilson disease\n2. Gaucher disease"
COMPLETION = {
    "model": "m",
    "choices": [{"index": 0, "message": {"role": "assistant", "content": WORDS}}],
    "usage": {"prompt_tokens": 5},
}
TURNS = [
    {"role": "system", "content": "You are a physician."},
    {"role": "user", "content": "Case 7"},
    {"role": "assistant", "content": WORDS},
]


@pytest.mark.parametrize(
    "value",
    [
        COMPLETION,
        {"id": "b", "custom_id": "7", "response": {"status_code": 200, "body": COMPLETION}},
        {"status_code": 200, "body": COMPLETION},
        TURNS,
        {"messages": TURNS},
        [*TURNS[:2], {"role": "assistant", "content": "1. Gout"}, *TURNS[1:]],
        [*TURNS, {"role": "user", "content": "Thank you."}],
        {"role": "assistant", "content": [{"type": "text", "text": WORDS}]},
        {"result": {"type": "succeeded", "message": {"role": "assistant", "content": WORDS}}},
        {"candidates": [{"content": {"role": "model", "parts": [{"text": WORDS}]}}]},
        {"output": [{"role": "assistant", "content": [{"type": "output_text", "text": WORDS}]}]},
    ],
)
def test_the_words_of_the_model_are_taken_out(value):
    assert unwrapped(json.dumps(value)) == WORDS
    assert unwrapped(repr(value)) == WORDS  # as a table of Python writes it


@pytest.mark.parametrize(
    "text",
    [
        WORDS,
        "",
        "[Wilson disease, Gaucher disease]",
        '["Wilson disease", "Gaucher disease"]',
        '[{"diagnosis": "Wilson disease"}, {"diagnosis": "Gaucher disease"}]',
        '{"diagnoses": [{"rank": 1, "name": "Wilson disease"}], "text": "as above"}',
        '{"response": "none"',
    ],
)
def test_any_other_text_stays_as_it_is(text):
    assert unwrapped(text) == text


def test_an_answer_without_words_is_empty_and_a_refusal_is_read():
    empty = {"choices": [{"message": {"role": "assistant", "content": None}}]}
    refused = {"choices": [{"message": {"role": "assistant", "content": None, "refusal": "No."}}]}
    assert unwrapped(json.dumps(empty)) == ""
    assert unwrapped(json.dumps(refused)) == "No."
