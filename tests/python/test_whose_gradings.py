"""Whose gradings of whole lists are: a column of raters goes before the words of headings."""

import duckdb
import pytest
from written import as_csv

from python_llm.errors import FileError
from python_llm.labels import store
from python_llm.labels.importing import Source, import_labels


@pytest.fixture
def served(tmp_path):
    """A served database with a test set of three cases and a configuration."""
    file = tmp_path / "served.duckdb"
    with duckdb.connect(str(file)) as database:
        database.execute(
            "create table dim_case as select 't/000' || n as case_id, 't' as test_set, "
            "n as case_number, 'Gout' as gold_diagnosis, false as contains_phi "
            "from range(1, 4) as numbers (n)"
        )
        database.execute("create table dim_configuration as select 'm1/p/t' as configuration_id")
    return file


def bring(tmp_path, rows, **options):
    return import_labels(
        as_csv(tmp_path / "grades", rows),
        Source("panel", configuration="m1/p/t"),
        tmp_path / "labels",
        runs_dir=tmp_path / "runs",
        cases_dir=tmp_path / "cases",
        **options,
    )


def said(tmp_path):
    """(judge, case, scale, label) of everything stored."""
    return {
        (row["judge_id"], row["case_ref"], row["scale"], row["label"])
        for row in store.read(tmp_path / "labels", "labels").to_pylist()
    }


COLUMNS = ["rater", "evaluadora", "Avaliador", "Relectrice", "Reviewer initials"]
HEADINGS = [
    *(("consensus_like_top1", "consensus_like_top3"), ("Zutreffend Top-1", "zutreffend_top3")),
    *(("agreed_top1", "Is it within the top 3?"), ("ours top1", "theirs top3")),
]


def graded(headings, column="who graded"):
    """Two raters of three lists, who disagree on the first."""
    return [
        {"case_id": f"t/{n:04}", column: who, headings[0]: hit, headings[1]: "yes"}
        for n in (1, 2, 3)
        for who, hit in (("Eva", "yes"), ("Tom", "no" if n == 1 else "yes"))
    ]


@pytest.mark.parametrize("column", COLUMNS)
@pytest.mark.parametrize("headings", HEADINGS)
def test_a_column_of_raters_goes_before_words(tmp_path, served, headings, column):
    report = bring(tmp_path, graded(headings, column), served=served)
    assert (report.judges, report.n_new, report.n_again) == (["panel/Eva", "panel/Tom"], 12, 0)
    assert report.words == []
    assert ("panel/Tom", "t/0001", "top1", "no") in said(tmp_path)


@pytest.mark.parametrize("headings", HEADINGS[:3])
@pytest.mark.parametrize("differ", [True, False])
def test_an_unknown_column_of_raters_is_asked(tmp_path, served, headings, differ):
    rows = graded(headings, "sign-off")
    rows = rows if differ else [{**row, headings[0]: "yes"} for row in rows]
    with pytest.raises(FileError, match=r"--column rater='sign-off'"):
        bring(tmp_path, rows, served=served)
    report = bring(tmp_path, rows, served=served, columns={"rater": "sign-off"})
    assert (report.judges, report.n_new) == (["panel/Eva", "panel/Tom"], 12)


def test_raters_have_a_heading_each_for_a_question(tmp_path, served):
    rows = [{"case_id": f"t/{n:04}", "eva_top1": "1", "tom_top1": "0"} for n in (1, 2, 3)]
    assert bring(tmp_path, rows, served=served).judges == ["panel/eva", "panel/tom"]


def test_words_of_different_questions_are_asked(tmp_path, served):
    rows = [{"case_id": f"t/{n:04}", "zeta top1": "1", "omega top3": "1"} for n in (1, 2, 3)]
    with pytest.raises(FileError, match=r"'zeta' and 'omega' are raters nobody can tell"):
        bring(tmp_path, rows, served=served)
    assert bring(tmp_path, rows, served=served, raters=["Eva"]).judges == ["panel/Eva"]


@pytest.mark.parametrize(
    ("words", "judges"),
    [
        (("agreement_top1", "agreement_top3"), ["panel"]),
        (("resultado top1", "¿Lo acepta en top 3?"), ["panel"]),
        (("eva_top1", "eva_top3"), ["panel/eva"]),
    ],
)
def test_one_word_in_all_headings(tmp_path, served, words, judges):
    rows = [{"case_id": f"t/{n:04}", words[0]: "1", words[1]: "1"} for n in (1, 2, 3)]
    report = bring(tmp_path, rows, served=served)
    assert report.judges == judges
    assert report.words == [judge.removeprefix("panel/") for judge in judges if "/" in judge]


def test_two_columns_of_a_question_beside_raters(tmp_path, served):
    rows = graded(("early top1", "late top1"), "rater")
    with pytest.raises(FileError, match=r"'early top1' and 'late top1' ask the same"):
        bring(tmp_path, rows, served=served)
    report = bring(tmp_path, rows, served=served, columns={"top1": "late top1"})
    assert (report.judges, report.n_new) == (["panel/Eva", "panel/Tom"], 6)


def test_a_word_before_the_scale_beside_raters(tmp_path, served):
    rows = [
        {"case_id": "t/0001", "rater": who, "diagnosis": "Gout", "specialist relation": label}
        for who, label in (("Eva", "Exact Synonym"), ("Tom", "Not Related"))
    ]
    report = bring(tmp_path, rows, served=served)
    assert (report.judges, report.n_new) == (["panel/Eva", "panel/Tom"], 2)


def test_a_repeated_label_is_counted(tmp_path, served):
    rows = [{"case_id": f"t/{n:04}", "rater": "Eva", "gold_rank": "P1"} for n in (1, 2, 2, 3)]
    report = bring(tmp_path, rows, served=served)
    assert (report.n_new, report.n_again, report.rejects) == (3, 1, [])
