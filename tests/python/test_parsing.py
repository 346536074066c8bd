"""Reading differentials and judgements out of whatever a model wrote."""

import json

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from python_llm.parsing.differential import parse_differentials, parse_numbered_list
from python_llm.parsing.judgement import parse_judgement, parse_judgements

STANDARD = """Here is my list:

1. **Marfan syndrome**: tall stature and lens dislocation.
   - In favour: ectopia lentis, arachnodactyly
   - Against: none
2. **Loeys-Dietz syndrome (LDS)**: aortic disease.
   - In favour: aortic root dilatation
   - Against: lens dislocation
3. Homocystinuria: similar habitus.

These should be confirmed by genetic testing. There are 2 more. """


def names(text):
    return [item.diagnosis for item in parse_numbered_list(text).diagnoses]


def test_the_asked_for_format_is_read_whole():
    parsed = parse_numbered_list(STANDARD)
    assert parsed.status == "ok"
    first = parsed.diagnoses[0]
    assert (first.rank, first.diagnosis) == (1, "Marfan syndrome")
    assert first.reasoning == "tall stature and lens dislocation."
    assert first.in_favour == "ectopia lentis, arachnodactyly"
    assert first.against == "none"
    assert parsed.diagnoses[1].diagnosis == "Loeys-Dietz syndrome (LDS)"
    assert [item.rank for item in parsed.diagnoses] == [1, 2, 3]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("+1. Asthma: wheeze\n+2. COPD: smoker", ["Asthma", "COPD"]),
        ("1) Asthma\n2) COPD", ["Asthma", "COPD"]),
        ("**1. Asthma** - wheeze\n**2. COPD** - smoker", ["Asthma", "COPD"]),
        ("### 1. Asthma\ntext\n### 2. COPD\ntext", ["Asthma", "COPD"]),
        ("1: Asthma\n2: COPD", ["Asthma", "COPD"]),
        ("1. Asthma.\r\n2. COPD.\r\n", ["Asthma", "COPD"]),
        (r"\n\n+1. Asthma: wheeze\n\n+2. COPD: smoker", ["Asthma", "COPD"]),
        ("1. Asthma:\n   1. wheeze\n   2. cough\n2. COPD: smoker", ["Asthma", "COPD"]),
        ("<think>1. Gout\n2. Flu</think>\n1. Asthma\n2. COPD", ["Asthma", "COPD"]),
        ("1. Enfermedad de Wilson: temblor\n2. Ataxia-telangiectasia: tos", None),
        ("1. Charcot-Marie-Tooth disease - foot drop", ["Charcot-Marie-Tooth disease"]),
        ("1. 3-methylglutaconic aciduria: urine", ["3-methylglutaconic aciduria"]),
        ("6. Asthma\n9. COPD", ["Asthma", "COPD"]),
        ("1. Asthma: whee", ["Asthma"]),
    ],
)
def test_ways_of_writing_a_list(text, expected):
    if expected is None:
        expected = ["Enfermedad de Wilson", "Ataxia-telangiectasia"]
    assert names(text) == expected


def test_duplicates_and_empty_items_are_dropped_with_their_reason_and_ranks_close_up():
    parsed = parse_numbered_list("1. Asthma\n2. ASTHMA: again\n3. **  **\n4. COPD")
    assert [(item.rank, item.diagnosis) for item in parsed.diagnoses] == [
        (1, "Asthma"),
        (2, "COPD"),
    ]
    assert [item.reason for item in parsed.dropped] == ["named before in this list", "no name"]


@pytest.mark.parametrize("text", [None, "", "I cannot help with that.", "12 years old", "1."])
def test_no_list_is_a_parse_error_not_an_exception(text):
    parsed = parse_numbered_list(text)
    assert (parsed.status, parsed.diagnoses) == ("parse_error", [])


@settings(max_examples=300, deadline=None)
@given(st.data())
def test_nothing_breaks_it_and_nothing_is_invented(data):
    cut = data.draw(st.integers(0, len(STANDARD)))
    noise = data.draw(st.text(alphabet='1234.)(*_#+-:\n abcÁñ<>{}\\"', max_size=60))
    text = STANDARD[:cut] + noise + STANDARD[cut:]
    parsed = parse_numbered_list(text)
    readable = text.replace("\\n", "\n")
    assert [item.rank for item in parsed.diagnoses] == list(range(1, len(parsed.diagnoses) + 1))
    assert all(item.diagnosis in readable for item in parsed.diagnoses)


def test_the_table_keeps_every_row_and_types_even_without_a_diagnosis():
    answers = pa.table(
        {
            "request_key": ["a", "b"],
            "answer_text": ["1. Asthma", "no"],
            "output_format": ["numbered_list"] * 2,
        }
    )
    parsed = parse_differentials(answers)
    assert parsed.column("parse_status").to_pylist() == ["ok", "parse_error"]
    with pytest.raises(ValueError, match="No parser for output_format 'runes'"):
        parse_differentials(pa.table({**answers.to_pydict(), "output_format": ["runes"] * 2}))


JUDGED = {"judgements": [{"rank": 1, "label": "Exact Synonym", "reason": "same"}]}


@pytest.mark.parametrize(
    "text",
    [
        json.dumps(JUDGED),
        f"```json\n{json.dumps(JUDGED, indent=2)}\n```",
        f"Let me think {{hard}}. Draft: {{}}\nFinal: {json.dumps(JUDGED)} Done.",
        json.dumps({"judgements": []}) + json.dumps(JUDGED),
        json.dumps({"answer": JUDGED}),
    ],
)
def test_the_last_judgement_in_the_text_counts(text):
    (label,) = parse_judgement(text)
    assert (label.rank, label.label, label.reason) == (1, "Exact Synonym", "same")


@pytest.mark.parametrize(
    "text",
    [None, "", "no", '{"judgements": [{"rank": "first"}]}', json.dumps(JUDGED)[:-2], "{" * 5000],
)
def test_an_unreadable_judgement_is_none(text):
    assert parse_judgement(text) is None


def test_labels_come_back_as_written():
    text = json.dumps({"judgements": [{"rank": 1, "label": "sinónimo"}]})
    row = parse_judgements(pa.table({"request_key": ["k"], "answer_text": [text]})).to_pylist()[0]
    assert row["labels"] == [{"rank": 1, "label": "sinónimo", "reason": None}]
