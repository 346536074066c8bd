"""Differentials in two sentences: the most likely diagnosis, and the other possibilities."""

import json

import pyarrow as pa
import pytest

from python_llm import seeds
from python_llm.parsing.differential import parse_differentials
from python_llm.parsing.prose import numbered_from_prose

PATTERNS = pa.Table.from_pylist(
    [
        {**row, "pattern_order": int(row["pattern_order"]), "outcome_class": "quality"}
        for row in seeds.read("seeds/experiments/answer_patterns.csv")
    ]
)
THREE = "The most likely diagnosis is Gout. Other possibilities include Lupus and Sarcoidosis."


@pytest.mark.parametrize(
    ("text", "names"),
    [
        (THREE, ["Gout", "Lupus", "Sarcoidosis"]),
        (
            "Leading diagnosis: Gout, given the toe. It is hot. Less likely: Lupus; Sarcoidosis.",
            ["Gout", "Lupus", "Sarcoidosis"],
        ),
        (
            "The most likely diagnosis is an acute myocardial infarction. Alternative diagnoses "
            "are aortic dissection, pericarditis, or panic attack.",
            ["acute myocardial infarction", "aortic dissection", "pericarditis", "panic attack"],
        ),
        (
            "The most likely diagnosis is Gout. Other considerations include Hand, foot and mouth "
            "disease, St. Vitus dance and Ehlers-Danlos syndrome, vascular type.",
            [
                *("Gout", "Hand, foot and mouth disease", "St. Vitus dance"),
                "Ehlers-Danlos syndrome, vascular type",
            ],
        ),
        (
            "The most likely diagnosis is gout. Other possibilities include Lyme disease, lupus, "
            "Behçet disease and Reiter syndrome.",
            ["gout", "Lyme disease", "lupus", "Behçet disease", "Reiter syndrome"],
        ),
        (
            "Diagnosis: Gout. Differential: Lupus, Asthma, Sarcoidosis.",
            ["Gout", "Lupus", "Asthma", "Sarcoidosis"],
        ),
        (
            "Impresión diagnóstica: Gota\nDiagnóstico diferencial: Lupus, Asma",
            ["Gota", "Lupus", "Asma"],
        ),
        (
            "Die wahrscheinlichste Diagnose ist Gicht. Weitere Diagnosen sind Lupus und Asthma.",
            ["Gicht", "Lupus", "Asthma"],
        ),
        (
            "Le diagnostic le plus probable est Goutte. Les autres diagnostics sont Lupus et Rage.",
            ["Goutte", "Lupus", "Rage"],
        ),
        (
            "El diagnóstico más probable es gota. Otras opciones son artritis séptica y lupus.",
            ["gota", "artritis séptica", "lupus"],
        ),
    ],
)
def test_prose_is_read_as_its_diagnoses_are_named(text, names):
    expected = "\n".join(f"{rank}. {name}" for rank, name in enumerate(names, 1))
    assert numbered_from_prose(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "The most likely diagnosis is Gout.",
        "The most likely diagnosis is not clear. Other possibilities include Gout and Lupus.",
        "The most likely diagnosis is Gout. Other options include tests that should be done.",
        "The leading diagnosis is Gout. The top diagnosis is Lupus. Other options include Flu.",
        "Other possibilities include Lupus. The most likely diagnosis is Gout.",
        "The most likely diagnosis is Gout. Other possibilities include hepatitis A or B.",
    ],
)
def test_prose_that_could_be_misread_is_left(text):
    assert numbered_from_prose(text) is None


@pytest.mark.parametrize("text", [THREE, json.dumps({"completions": [{"text": THREE}]})])
def test_an_answer_in_prose_is_read_and_said_so(text):
    answers = {"answer_key": ["1"], "answer_text": [text], "output_format": ["numbered_list"]}
    (row,) = parse_differentials(pa.table(answers), PATTERNS).to_pylist()
    names = [(item["rank"], item["diagnosis"]) for item in row["diagnoses"]]
    assert names == [(1, "Gout"), (2, "Lupus"), (3, "Sarcoidosis")]
    assert [issue["rule"] for issue in row["issues"]] == ["in_prose"]
