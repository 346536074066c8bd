"""Entities of HTML, scores before semicolons and choices by index in recorded answers."""

import json

import pytest

from python_llm.parsing.differential import parse_differential
from python_llm.parsing.envelopes import unwrapped


def names(text, form="numbered_list"):
    return [item.diagnosis for item in parse_differential(text, form).diagnoses]


@pytest.mark.parametrize("form", ["numbered_list", "json"])
def test_entities_of_html_are_read(form):
    written = ["Crohn disease&nbsp;", "Cushing&#39;s syndrome", "Graves&rsquo; disease", "Q&A; x"]
    text = json.dumps({"diagnoses": written})
    if form == "numbered_list":
        text = "\n".join(f"{n}. {name}" for n, name in enumerate(written, 1))
    read = names(text, form)
    assert read[:2] == ["Crohn disease", "Cushing's syndrome"]
    assert "&rsquo;" not in read[2]


def test_an_escaped_list_of_html_is_a_list():
    plain = "<ol><li>Gout</li><li>Flu</li></ol>"
    assert names(plain.replace("<", "&lt;").replace(">", "&gt;")) == names(plain) == ["Gout", "Flu"]


def test_an_escaped_line_adds_no_rank():
    text = "1. Gout\n2. Flu{0}3. Asthma{0}4. COPD"
    for end in ("&#10;", "&#x0a;", "&#13;", "&NewLine;", "&#8232;"):
        assert len(names(text.format(end))) == 2


@pytest.mark.parametrize("share", ["50.5%", "50,5%", "50 %"])
def test_a_score_before_a_semicolon_is_no_part_of_a_name(share):
    text = f"1) Gout ({share}); 2) Marfan syndrome (30.2%); 3) Flu (9%);"
    assert names(text) == ["Gout", "Marfan syndrome", "Flu"]


@pytest.mark.parametrize("order", [(0, 1), (1, 0)])
def test_of_several_choices_the_one_of_index_0_is_read(order):
    texts = ["1. Gout\n2. Flu", "1. Asthma\n2. COPD"]
    choices = [{"index": n, "message": {"role": "assistant", "content": texts[n]}} for n in order]
    assert unwrapped(json.dumps({"choices": choices})) == texts[0]
