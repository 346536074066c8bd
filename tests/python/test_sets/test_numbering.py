"""A case that is imported again keeps its number, whatever rows stand above it."""

import csv

import pytest

from python_llm.imports.served import Served
from python_llm.runs.cases import KnownSets
from python_llm.test_sets import numbering
from python_llm.test_sets import store as cases_store
from python_llm.test_sets.importing import import_cases

TEXTS = {
    "A": "Fever and cough for three days in a man of fifty years.",
    "B": "A woman of thirty with joint pain and a rash on both cheeks.",
    "C": "A boy of six who has not grown and bruises at every touch.",
    "D": "Sudden headache, the worst of her life, and a stiff neck.",
}
GOLDS = {"A": "Pneumonia", "B": "Lupus", "C": "Leukemia", "D": "Subarachnoid hemorrhage"}


def bring(folder, names, *, with_ids=True, texts=TEXTS, file="own.csv", replace=True):
    """Import these cases in this order; what it said."""
    path = folder / file
    with path.open("w", newline="", encoding="utf-8") as handle:
        writer = csv.writer(handle)
        writer.writerow([*(["patient_id"] if with_ids else []), "text", "diagnosis"])
        for name in names:
            own = [f"UKE-{name}"] if with_ids else []
            writer.writerow([*own, texts[name], GOLDS[name]])
    return import_cases(path, None, "own", folder / "cases", replace=replace)


def numbers(folder) -> dict[str, int]:
    """By gold diagnosis, as one letter."""
    letters = {gold: name for name, gold in GOLDS.items()}
    rows = cases_store.records_of("own", folder / "cases").to_pylist()
    return {letters[row["gold_names"][0]]: row["record_number"] for row in rows}


@pytest.mark.parametrize("with_ids", [True, False])
def test_a_row_above_moves_no_number(tmp_path, with_ids):
    bring(tmp_path, "ABC", with_ids=with_ids)
    bring(tmp_path, "DCAB", with_ids=with_ids)
    assert numbers(tmp_path) == {"A": 1, "B": 2, "C": 3, "D": 4}


def test_a_new_text_under_an_id_is_the_same_case(tmp_path):
    bring(tmp_path, "AB")
    bring(tmp_path, "BA", texts={**TEXTS, "A": TEXTS["A"] + " He smokes."})
    assert numbers(tmp_path) == {"A": 1, "B": 2}


def test_ids_that_came_later_keep_the_numbers(tmp_path):
    bring(tmp_path, "AB", with_ids=False)
    bring(tmp_path, "BA", with_ids=True)
    assert numbers(tmp_path) == {"A": 1, "B": 2}


def test_the_number_of_a_case_that_left_is_not_given_again(tmp_path):
    bring(tmp_path, "ABC")
    bring(tmp_path, "AB")
    bring(tmp_path, "DAB")
    assert numbers(tmp_path) == {"A": 1, "B": 2, "D": 4}


def test_other_cases_begin_anew_and_it_is_said(tmp_path):
    assert numbering.OTHERS not in bring(tmp_path, "AB").notes
    assert numbering.OTHERS in bring(tmp_path, "CD").notes
    assert numbers(tmp_path) == {"C": 1, "D": 2}


def test_an_answer_without_an_id_is_of_the_row_in_the_file(tmp_path):
    bring(tmp_path, "ABC")
    bring(tmp_path, "DCAB")
    cases = KnownSets(Served(None), tmp_path / "cases").cases("own")
    assert {case.gold_names[0]: case.number for case in cases} == {
        GOLDS[name]: place for place, name in enumerate("DCAB", 1)
    }
    assert {case.gold_names[0]: case.case_id for case in cases}[GOLDS["A"]] == "own/0001"
    bring(tmp_path, "D", file="more.csv", texts={"D": "Another headache, of a man."}, replace=False)
    assert [case.number for case in KnownSets(Served(None), tmp_path / "cases").cases("own")][
        -1
    ] == 5
