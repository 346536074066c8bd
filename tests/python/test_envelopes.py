"""Answers that are still in what a provider's interface wrapped them in."""

import json

import pytest

from python_llm.parsing.differential import parse_differential
from python_llm.parsing.enclosed import enclosed
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


def node(parent, children, role=None, text=""):
    """A turn of ChatGPT's export."""
    content = {"content_type": "text", "parts": [text]}
    message = role and {"author": {"role": role}, "content": content}
    return {"message": message, "parent": parent, "children": children}


# the reply was asked for twice; the second is the current one
TREE = {
    "root": node(None, ["q"]),
    "q": node("root", ["old", "new"], "user", "1. Boy of 7\n2. Give three diagnoses"),
    "old": node("q", [], "assistant", "1. Gout"),
    "new": node("q", [], "assistant", WORDS),
}
EARLIER = {**TREE, "q": {**TREE["q"], "children": ["new", "old"]}}
CLAUDE = [{"sender": "human", "text": "Case 7"}, {"sender": "assistant", "text": WORDS}]


@pytest.mark.parametrize(
    "value",
    [
        TREE,
        {"title": "Case 7", "mapping": TREE, "current_node": "new"},
        {"title": "Case 7", "mapping": EARLIER, "current_node": "new"},
        CLAUDE,
        [*CLAUDE, {"sender": "human", "text": "1. Thank you."}],
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


def test_brackets_without_end_stay_as_they_are():
    text = "[" * 5_000 + '"Gout"]'
    assert unwrapped(text) == text


def test_an_answer_without_words_is_empty_and_a_refusal_is_read():
    empty = {"choices": [{"message": {"role": "assistant", "content": None}}]}
    refused = {"choices": [{"message": {"role": "assistant", "content": None, "refusal": "No."}}]}
    assert unwrapped(json.dumps(empty)) == ""
    assert unwrapped(json.dumps(refused)) == "No."


LIST = "1. Gout\n2. Influenza\n3. Malaria"
IN_JSON = '[{"rank": 1, "diagnosis": "Gout"}, {"rank": 2, "diagnosis": "Influenza"}]'


@pytest.mark.parametrize(
    "value",
    [
        {"success": True, "completions": [{"text": LIST, "logprob": 0, "tokens": []}]},
        {"output": LIST, "tokenUsage": {"total": 9}},
        [LIST],
        [[LIST]],
        {"generated_text": LIST.replace("\n", " ")},
        {"prompt": "1. Fever\n2. Cough", "answer": LIST},
        {"a name of somebody's": {"deeper": [LIST]}},
        {"diagnosis": LIST},
    ],
)
def test_a_list_in_json_is_read_from_its_first_rank_on(value):
    for written in (json.dumps(value), repr(value)):
        parsed = parse_differential(written, "numbered_list")
        names = [(item.rank, item.diagnosis) for item in parsed.diagnoses]
        assert names == [(1, "Gout"), (2, "Influenza"), (3, "Malaria")]
        assert (parsed.n_items, parsed.issues) == (3, [])


def test_a_list_in_json_that_is_cut_off_loses_no_first_rank():
    whole = json.dumps({"completions": [{"text": LIST, "logprob": 0}]})
    for end in (len(whole) - 2, whole.index("Malaria") + 7):
        parsed = parse_differential(whole[:end], "numbered_list")
        assert [item.diagnosis for item in parsed.diagnoses] == ["Gout", "Influenza", "Malaria"]


def test_a_second_list_in_json_is_counted_as_left():
    value = {"completions": [{"text": IN_JSON}, {"text": LIST}]}
    parsed = parse_differential(json.dumps(value), "numbered_list")
    assert [item.diagnosis for item in parsed.diagnoses] == ["Gout", "Influenza"]
    assert parsed.n_items == 3
    assert [(issue.rule, issue.place) for issue in parsed.issues] == [("other_list", 3)]


@pytest.mark.parametrize(
    "value",
    [
        ["Gout"],
        ["1. Gout", "2. Influenza"],
        [{"diagnosis": "Gout", "reasoning": LIST}],
        {"text": LIST, "diagnosis": "Gout"},
        {"1": "Gout", "2": "Influenza"},
    ],
)
def test_diagnoses_in_json_stay_what_they_are(value):
    assert enclosed(json.dumps(value)) == (json.dumps(value), [])


DIAGNOSES = {"diagnoses": ["Wilson disease", "Gaucher disease"]}


@pytest.mark.parametrize(
    "value",
    [
        {
            "candidates": [
                {
                    "content": {
                        "parts": [{"text": "1. Wilson dis"}, {"text": "ease\n2. Gaucher disease"}]
                    }
                }
            ]
        },
        {
            "candidates": [
                {
                    "content": {
                        "parts": [{"text": "1. Wilson disease"}, {"text": "2. Gaucher disease"}]
                    }
                }
            ]
        },
        [
            {"type": "text", "text": "1. Wilson disease\n"},
            {"type": "text", "text": "2. Gaucher disease"},
        ],
        {
            "role": "assistant",
            "content": [{"type": "tool_use", "name": "record", "input": DIAGNOSES}],
        },
        {
            "role": "assistant",
            "content": [
                {"type": "text", "text": "Noted."},
                {"type": "tool_use", "input": DIAGNOSES},
            ],
        },
        {
            "choices": [
                {
                    "message": {
                        "role": "assistant",
                        "content": None,
                        "tool_calls": [{"function": {"arguments": json.dumps(DIAGNOSES)}}],
                    }
                }
            ]
        },
        {"role": "model", "parts": [{"functionCall": {"name": "record", "args": DIAGNOSES}}]},
    ],
)
def test_parts_and_tools_are_one_answer(value):
    parsed = parse_differential(unwrapped(json.dumps(value)), "numbered_list")
    names = [item.diagnosis for item in parsed.diagnoses]
    assert names == ["Wilson disease", "Gaucher disease"]
