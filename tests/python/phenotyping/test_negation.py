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


@pytest.mark.parametrize(
    ("language", "sentence", "finding", "is_absent"),
    [
        # what is no finding is not listed with one
        ("en", "No drug allergies, VERTIGO and a cough.", "vertigo", False),
        ("en", "Nil past history, no meds, VERTIGO.", "vertigo", False),
        ("en", "No PMH, VERTIGO or cough.", "vertigo", True),
        ("es", "Sin antecedentes de interés, VERTIGO.", "vertigo", False),
        ("es", "Viene sin su marido, VERTIGO y tos.", "vertigo", False),
        ("es", "Está sin fuerzas, VERTIGO.", "vertigo", False),
        ("es", "Sin antecedentes de ictus, VERTIGO, tos.", "vertigo", True),
        # what has an onset, a force or a side of its own is told, not listed
        ("en", "No cough, VERTIGO for 20 minutes.", "vertigo", False),
        ("en", "No cough, rash, VERTIGO 2 h.", "vertigo", False),
        ("en", "No cough, sudden VERTIGO.", "vertigo", False),
        ("en", "No cough, VERTIGO, rash.", "vertigo", True),
        ("en", "No cough, rash, severe VERTIGO.", "vertigo", True),
        ("en", "No cough, sudden VERTIGO or rash.", "vertigo", True),
        ("en", "Denies cough, severe VERTIGO.", "vertigo", True),
        ("en", "No sudden VERTIGO, cough.", "vertigo", True),
        ("es", "Sin tos, PARESIA izquierda.", "paresia", False),
        ("es", "Sin tos, mareo, PARESIA desde hace 2 horas.", "paresia", False),
        ("es", "Sin tos, PARESIA.", "paresia", True),
        ("es", "Sin tos, PARESIA izquierda ni mareo.", "paresia", True),
        ("es", "Niega tos, PARESIA brusca.", "paresia", True),
        # a result is of its test alone
        ("en", "VERTIGO since noon, MRI neg.", "vertigo", False),
        ("en", "VERTIGO, blood cultures negative.", "vertigo", False),
        ("en", "VERTIGO, cough: neg.", "vertigo", True),
        ("en", "HEP B, HIV neg.", "hep b", True),
        ("es", "VERTIGO desde ayer, TAC negativo.", "vertigo", False),
        ("es", "Mantoux y VIH negativos, VERTIGO.", "vertigo", False),
        ("es", "VERTIGO negativo.", "vertigo", True),
    ],
)
def test_where_a_list_of_denials_ends(books, language, sentence, finding, is_absent):
    assert assertion_of(sentence, finding, books[language]).is_absent == is_absent


def test_company_is_no_relative_of_the_finding(books):
    sentence = "Came without her husband, VERTIGO."
    assert assertion_of(sentence, "vertigo", books["en"]).status == "present"
    assert assertion_of("Her husband has VERTIGO.", "vertigo", books["en"]).status == "relative"
    assert assertion_of("Viene con su tía, VERTIGO.", "vertigo", books["es"]).status == "present"
    assert assertion_of("Su tía, VERTIGO.", "vertigo", books["es"]).status == "relative"


def test_a_letter_for_died_ends_no_clause(books):
    for sentence in (
        "Father d. STROKE at 71.",
        "Mum d. at 60, STROKE.",
        "Maternal aunt d. STROKE.",
    ):
        assert assertion_of(sentence, "stroke", books["en"]).status == "relative"
    assert assertion_of("Takes vitamin d. STROKE now.", "stroke", books["en"]).status == "present"


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
