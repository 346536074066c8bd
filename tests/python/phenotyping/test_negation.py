"""Denials in single sentences, and the cues they are read by."""

import csv

import pytest

from benchmarks.negation import assertion_of, counted
from python_llm import paths
from python_llm.phenotyping.negation import CueBook, CueError

SPANISH = "tests/python/phenotyping/negation_es.tsv"


def test_spanish_sentences_of_the_project():
    rows = paths.resolve(SPANISH).read_text(encoding="utf-8").splitlines()
    assert len(rows) > 60
    _, _, f1 = counted(paths.resolve(SPANISH), "es")
    assert f1 > 0.95


@pytest.mark.parametrize(
    ("sentence", "is_absent"),
    [
        ("No FEVER.", True),
        ("FEVER was denied.", True),
        ("No chills, cough or FEVER.", True),
        ("No chills but FEVER.", False),
        ("No chills, she has FEVER.", False),
        ("Gram negative rods and FEVER.", False),
        ("No increase in FEVER.", False),
        ("FEVER: no", True),
        ("Rash: no. FEVER: yes", False),
        ("Negative for: FEVER", True),
        ("Cultures not done. FEVER present.", False),
        ("Not only FEVER but also rash.", False),
        ("FEVER is unlikely.", True),
        ("FEVER not ruled out.", False),
        ("The patient had FEVER but it has resolved.", True),
        ("Denies any of the following: chills, FEVER.", True),
        ("ROS -ve for FEVER.", True),
        ("FEVER without rash.", False),
        ("Except for FEVER there were no complaints.", False),
        ("non FEVER", True),
    ],
)
def test_scope_of_a_denial(books, sentence, is_absent):
    said = assertion_of(sentence, "fever", books["en"])
    assert said is not None
    assert said.is_absent == is_absent


def status_of(sentence, finding, book):
    return assertion_of(sentence, finding, book).status


def test_who_is_spoken_of(books):
    assert status_of("Her mother has FEVER.", "fever", books["en"]) == "relative"
    assert status_of("Her mother noticed FEVER.", "fever", books["en"]) == "present"
    assert status_of("According to the mother he has FEVER.", "fever", books["en"]) == "present"
    assert status_of("La madre tiene FIEBRE.", "fiebre", books["es"]) == "relative"
    assert status_of("La madre refiere FIEBRE.", "fiebre", books["es"]) == "present"
    assert status_of("Mujer de 40 años con FIEBRE.", "fiebre", books["es"]) == "present"


@pytest.mark.parametrize(
    ("column", "value"), [("kind", "negaton"), ("direction", "forwards"), ("cue", "")]
)
def test_a_cue_that_cannot_be_used_is_named(column, value):
    row = {
        "cue": "no",
        "language": "en",
        "kind": "negation",
        "direction": "forward",
        "certainty": "explicit",
        "max_words": "",
    }
    with pytest.raises(CueError, match=r"note_cues\.csv"):
        CueBook([{**row, column: value}], "en")


def test_a_file_without_a_target_is_counted(tmp_path):
    file = tmp_path / "sentences.tsv"
    with file.open("w", encoding="utf-8", newline="") as handle:
        writer = csv.writer(handle, delimiter="\t")
        writer.writerows(
            [("n", "finding", "sentence", "status"), ("1", "fever", "No rash.", "Negated")]
        )
    assert counted(file, "en")[1] == 0
