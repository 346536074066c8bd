"""Texts that decline to answer are no diagnosis in any language, and diagnoses are none of them."""

import json

import pyarrow as pa
import pytest

from python_llm.parsing.differential import parse_differentials
from python_llm.parsing.envelopes import unwrapped
from python_llm.runs.unreadable import failure_patterns


def read(text):
    table = pa.table(
        {
            "answer_key": ["a"],
            "answer_text": [text],
            "output_format": ["numbered_list"],
            "is_recorded": [True],
        }
    )
    (row,) = parse_differentials(table, failure_patterns()).to_pylist()
    return row["failure_status"], [item["diagnosis"] for item in row["diagnoses"]]


@pytest.mark.parametrize(
    "text",
    [
        "Desculpe, mas este pedido fica fora do que faço.",
        "Não consigo avaliar este doente.",
        "Sinto muito, não tenho como responder.",
        "Lamento, não estou apto a diagnosticar.",
        "Não é possível estabelecer um diagnóstico.",
        "Como modelo de linguagem, recomendo um médico.",
        "Mi dispiace, questo caso va visto da un medico.",
        "Non posso aiutare con questa richiesta.",
        "Non è possibile formulare una diagnosi.",
        "Non sono in grado di valutare il paziente.",
        "No es posible establecer un diagnóstico.",
        "It was not possible to determine a diagnosis.",
    ],
)
def test_a_sentence_that_declines_is_no_diagnosis(text):
    assert read(text) == ("refused", [])


@pytest.mark.parametrize(
    "text",
    [
        "Linfoma não Hodgkin",
        "Diabetes insípida não especificada",
        "Linfoma non Hodgkin",
        "1. Gota\n2. Linfoma não Hodgkin\nNão posso excluir artrite séptica.",
        "1. Gotta\n2. Linfoma non Hodgkin\nNon posso escludere un'artrite settica.",
        "1. Gota\n2. Sarcoidose\n\nDesculpe, não posso dar certezas.",
    ],
)
def test_a_diagnosis_is_no_refusal(text):
    status, names = read(text)
    assert status is None
    assert names


FILTERED = {"message": {"role": "assistant", "content": ""}, "finish_reason": "content_filter"}


@pytest.mark.parametrize(
    ("response", "status"),
    [
        ({"type": "expired"}, "timeout"),
        ({"type": "canceled"}, "provider_error"),
        ({"message": {"role": "assistant", "content": [], "stop_reason": "refusal"}}, "refused"),
        ({"choices": [FILTERED]}, "content_filtered"),
    ],
)
def test_a_response_without_words_says_why(response, status):
    assert read(unwrapped(json.dumps(response))) == (status, [])
