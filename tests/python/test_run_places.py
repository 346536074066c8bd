"""Answers that are only counted, for a test set that lost a row of its file."""

import csv

import pytest

from python_llm.console.case_lookup import find_case
from python_llm.errors import FileError
from python_llm.imports.served import Served
from python_llm.labels.cases_named import CaseNames
from python_llm.runs import store
from python_llm.runs.cases import KnownSets
from python_llm.runs.importing import Run, import_run, read_source
from python_llm.test_sets.importing import import_cases

GOLDS = ["Gout", "Asthma", "", "Measles", "Flu"]
KEPT = ["mine/0001", "mine/0002", "mine/0004", "mine/0005"]


def of_cases(folder, header, rows, asked=None):
    """The case of each answer to a set of four, whose third row had no diagnosis."""
    for name, head, lines in (
        ("set.csv", ["text", "diagnosis"], [[f"Note {n}.", g] for n, g in enumerate(GOLDS)]),
        ("a.csv", header, rows),
    ):
        with (folder / name).open("w", newline="") as file:
            csv.writer(file).writerows([head, *lines])
    import_cases(folder / "set.csv", None, "mine", folder / "cases")
    sets = KnownSets(Served(None), cases_dir=folder / "cases")
    source = read_source(folder / "a.csv", {})
    import_run(source, Run("m", "p", "mine"), folder / "runs", sets, asked=asked)
    return [row["case_id"] for row in store.read(folder / "runs", "answers").to_pylist()]


def counted(n_answers, first=1):
    return [[str(n + first), f"1. Disease {n}\n2. Flu"] for n in range(n_answers)]


@pytest.mark.parametrize("first", [None, 1, 0])
def test_as_many_answers_as_kept_cases_are_not_guessed(tmp_path, first):
    header = ["answer"] if first is None else ["case", "answer"]
    rows = counted(4, first or 0)
    with pytest.raises(FileError, match=r"lost row 3 of its file.*--match order"):
        of_cases(tmp_path, header, [row[-len(header) :] for row in rows])


@pytest.mark.parametrize(("n_answers", "n_stored"), [(4, 4), (5, 4), (3, 3)])
def test_the_order_is_of_the_kept_cases_if_somebody_says_so(tmp_path, n_answers, n_stored):
    rows = [row[1:] for row in counted(n_answers)]
    assert of_cases(tmp_path, ["answer"], rows, "order") == KEPT[:n_stored]


def test_numbers_without_the_lost_row_are_of_the_file(tmp_path):
    rows = [row for row in counted(5) if row[0] != "3"]
    assert of_cases(tmp_path, ["case", "answer"], rows) == KEPT


PADDED = ["0041", "0002", "0007", "0001", "0009"]


def of_padded(folder, numbers, asked=None):
    """The cases of answers to a set whose own ids look like the ends of case_ids."""
    for name, head, lines in (
        ("set.csv", ["id", "text", "diagnosis"], [[n, f"Note {n}.", "Gout"] for n in PADDED]),
        ("a.csv", ["case", "answer"], [[n, f"1. Disease {n}\n2. Flu"] for n in numbers]),
    ):
        with (folder / name).open("w", newline="") as file:
            csv.writer(file).writerows([head, *lines])
    import_cases(folder / "set.csv", None, "mine", folder / "cases")
    sets = KnownSets(Served(None), cases_dir=folder / "cases")
    source = read_source(folder / "a.csv", {})
    run = Run("m", "p", "mine")
    report = import_run(source, run, folder / "runs", sets, asked=asked)
    rows = store.read(folder / "runs", "answers").to_pylist()
    return {row["case_ref"]: row["case_id"] for row in rows}, report.rejects


@pytest.mark.parametrize("unknown", [["0003"], ["0005", "0003"]])
def test_an_id_of_nobody_is_no_end_of_a_case_id(tmp_path, unknown):
    cases, rejects = of_padded(tmp_path, [*unknown, *PADDED])
    assert cases == {ref: f"mine/{n:04}" for n, ref in enumerate(PADDED, 1)}
    assert [reject.rule for reject in rejects] == ["case_unknown"] * len(unknown)


def test_the_case_id_itself_goes_before_ids_like_it(tmp_path):
    of_padded(tmp_path, PADDED)
    cases = tmp_path / "cases"
    assert find_case(tmp_path / "none", "mine/0001", cases) == "mine/0001"
    assert find_case(tmp_path / "none", "mine/0007", cases) == "mine/0003"
    assert find_case(tmp_path / "none", "mine/0009", cases) == "mine/0005"


def test_a_label_of_an_unknown_padded_id_is_set_aside(tmp_path):
    of_padded(tmp_path, PADDED)
    sets = KnownSets(Served(None), cases_dir=tmp_path / "cases")
    names = CaseNames(["0003", "0007", "mine/0003"], sets)
    assert names.of("mine", "0003")[1] == "there is no case '0003' in 'mine'"
    assert names.of("mine", "0007") == ("mine/0003", "")
    assert names.of("mine", "mine/0003") == ("mine/0003", "")


@pytest.mark.parametrize(("known", "words"), [("0041", "only 1 of its 4"), ("zz", "none of its 4")])
def test_a_file_of_other_cases_says_how_many_are_known(tmp_path, known, words):
    with pytest.raises(FileError, match=words):
        of_padded(tmp_path, [known, "xx", "yy", "ww"])


@pytest.mark.parametrize("asked", [None, "ids", "positions"])
def test_two_entries_of_a_record_are_not_two_cases(tmp_path, asked):
    written = [f"{name}--{entry}" for name in PADDED for entry in (1, 2)]
    with pytest.raises(FileError, match="two entries of a record"):
        of_padded(tmp_path, written[: len(PADDED)], asked)


def test_ids_that_a_spreadsheet_made_dates_are_named(tmp_path):
    with pytest.raises(FileError, match="Its ids are dates, as a spreadsheet makes of ids"):
        of_padded(tmp_path, ["2026-01-03", "2026-02-03"])
