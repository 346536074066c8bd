"""Gradings of whole lists: which columns they are in, what they say, and whose lists are meant."""

import json

import duckdb
import openpyxl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st
from written import as_csv, as_excel, as_lines, recorded

from python_llm.console.cli import main
from python_llm.errors import FileError
from python_llm.imports.numbered_rows import Row
from python_llm.imports.served import Served
from python_llm.labels import gradings, store
from python_llm.labels.importing import Places, Source, forget, import_labels
from python_llm.runs import store as runs_store
from python_llm.test_sets import store as cases_store

GOLDS = ["Gout", "Measles", "Asthma"]
CONFIGURATIONS = ["m1/p/t", "gpt4_0613/p/t"]


@pytest.fixture
def served(tmp_path):
    """A served database with a test set of three cases and two configurations."""
    file = tmp_path / "served.duckdb"
    cases = ", ".join(f"('t/{n:04}', 't', {n}, '{g}', false)" for n, g in enumerate(GOLDS, 1))
    names = ", ".join(f"('{name}')" for name in CONFIGURATIONS)
    with duckdb.connect(str(file)) as database:
        database.execute(
            f"create table dim_case as select * from (values {cases}) "
            "as cases (case_id, test_set, case_number, gold_diagnosis, contains_phi)"
        )
        database.execute(
            f"create table dim_configuration as select * from (values {names}) "
            "as configurations (configuration_id)"
        )
    return file


def bring(tmp_path, rows, source=None, write=as_csv, **options):
    return import_labels(
        rows if not isinstance(rows, list) else write(tmp_path / "grades", rows),
        source or Source("panel", configuration="m1/p/t"),
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


def rows_of(values, name="x"):
    return [Row(number, {name: value}) for number, value in enumerate(values, 1)]


@pytest.mark.parametrize("heading", ["gold_diagnosis", "Gold dx", "gold_name"])
def test_gold_diagnoses_beside_gold_ranks_are_no_rater(tmp_path, served, heading):
    rows = [
        {"case_id": f"t/{n:04}", heading: gold, "gold_rank": rank}
        for n, (gold, rank) in enumerate(zip(GOLDS, ("P2", "P0", "P1"), strict=True), 1)
    ]
    bring(tmp_path, rows, served=served)
    assert said(tmp_path) == {
        ("panel", "t/0001", "gold_rank", "2"),
        ("panel", "t/0002", "gold_rank", "0"),
        ("panel", "t/0003", "gold_rank", "1"),
    }


@pytest.mark.parametrize(
    "question", ["posición del diagnóstico correcto", "Rank of the correct diagnosis"]
)
def test_a_rank_of_the_correct_diagnosis_is_no_gold_diagnosis(served, tmp_path, question):
    header = ("case_id", f"{question} (Dra. Gil)", f"{question} (Dr. Paz)")
    ranks = [("t/0001", "2", "no está"), ("t/0002", "1", "1"), ("t/0003", "ausente", "2")]
    rows = [dict(zip(header, row, strict=True)) for row in ranks]
    report = bring(tmp_path, rows, served=served)
    assert report.rejects == []
    assert said(tmp_path) == {
        ("panel/dra_gil", "t/0001", "gold_rank", "2"),
        ("panel/dra_gil", "t/0002", "gold_rank", "1"),
        ("panel/dra_gil", "t/0003", "gold_rank", "0"),
        ("panel/dr_paz", "t/0001", "gold_rank", "0"),
        ("panel/dr_paz", "t/0002", "gold_rank", "1"),
        ("panel/dr_paz", "t/0003", "gold_rank", "2"),
    }


@pytest.mark.parametrize(
    ("name", "values", "found"),
    [
        ("top1", ["yes", "no"], ("", "top1")),
        ("Top-5", ["1", "0"], ("", "top5")),
        ("hit@3", ["True", "False"], ("", "top3")),
        ("in_top_5", ["sí", "NO"], ("", "top5")),
        ("correct_top1", ["y", ""], ("", "top1")),
        ("acierto_5", ["1.0", "NULL"], ("", "top5")),
        ("¿Acierto en los 3 primeros?", ["Sí", "No"], ("", "top3")),
        ("anna_top5", ["x", "no"], ("anna", "top5")),
        ("Top 1 (Dr. Ruiz)", ["✓", "✗"], ("dr_ruiz", "top1")),
        ("hit@5", ["P2", "P0"], ("", "gold_rank")),
        ("Dr. A", ["P2", '"P0"', "NULL"], ("dr_a", "gold_rank")),
        ("score", ["P1", "P0", "??"], ("", "gold_rank")),
        ("gold_rank", ["1", "否", "no"], ("", "gold_rank")),
        ("ben gold rank", ["4", "0"], ("ben", "gold_rank")),
        # labels of ranks, and names
        ("top1", ["Gout", "Flu"], None),
        ("top3_relation", ["1", "0"], None),
        ("score", ["1", "5"], None),
        ("rank", ["1", "2"], None),
        ("comment top5", ["yes", "no"], None),
        ("top5", ["", "NULL"], None),
        # cases that are called so
        ("case_id", ["P1", "P2"], None),
        ("Patient no", ["P1", "P0"], None),
    ],
)
def test_gradings_are_known_by_the_name_and_values_of_a_column(name, values, found):
    columns = gradings.columns(rows_of(values, name), {}, ())
    assert columns == ([(*found, name)] if found else [])


TOTALS = ["Total", "Suma", "MEDIA", "Total general", "Sum:", "Mean (n=3)", "Promedio de casos", ""]


@pytest.mark.parametrize("total", [*TOTALS, "aciertos", "t/0009"])
@pytest.mark.parametrize("name", ["top5", "top5_ana", "Top-5 (Dr. Ruiz)", "hit@5"])
def test_a_row_of_no_case_does_not_say_what_a_column_means(tmp_path, served, name, total):
    rows = [{"case_id": f"t/{n:04}", name: hit} for n, hit in ((1, "1"), (2, "0"), (3, "1"))]
    report = bring(tmp_path, [*rows, {"case_id": total, name: "12"}], served=served)
    assert sorted(stored[1:] for stored in said(tmp_path)) == [
        *(("t/0001", "top5", "yes"), ("t/0002", "top5", "no"), ("t/0003", "top5", "yes"))
    ]
    (reject,) = report.rejects
    reason = "no case" if not total else "there is no case"
    reason = "a total of the table" if total in TOTALS[:-1] else reason
    assert reject["source_line"] == 5
    assert reject["reason"].startswith(reason)


def test_a_total_without_a_column_of_cases_is_set_aside(tmp_path):
    rows = [{**row, "anna_top5": "1"} for row in LISTS]
    rows.append({"gold": "", "answer": "Total", "anna": "", "ben": "", "anna_top5": "2"})
    report = bring(tmp_path, rows, Source("clinic"))
    assert ("clinic/anna", "1", "top5", "yes") in said(tmp_path)
    assert report.rejects[0]["reason"].startswith("a total of the table")


@pytest.mark.parametrize("values", [["3", "0", "5"], ["1", "0", "2"], ["P3", "1", "4"]])
@pytest.mark.parametrize("name", ["top5", "Top 5", "top-5 (Ana)", "in_top_5"])
def test_a_column_of_hits_is_not_read_as_ranks(tmp_path, served, name, values):
    rows = [{"case_id": f"t/{n:04}", name: text} for n, text in enumerate(values, 1)]
    with pytest.raises(
        FileError, match=r"line \d: '.*' asks by its name .* has '[2-5]', .* 1 nor 0"
    ):
        bring(tmp_path, rows, served=served)
    bring(tmp_path, rows, columns={"gold_rank": name}, served=served)
    assert {scale for *_, scale, _ in said(tmp_path)} == {"gold_rank"}


def test_a_number_in_a_column_of_hits_may_be_given_a_meaning(tmp_path, served):
    rows = [{"case_id": "t/0001", "top5": "1"}, {"case_id": "t/0002", "top5": "2"}]
    bring(tmp_path, rows, meanings=[("2", "no")], served=served)
    assert {stored[1:] for stored in said(tmp_path)} == {
        *(("t/0001", "top5", "yes"), ("t/0002", "top5", "no"))
    }


@pytest.mark.parametrize(
    "names",
    [("rater_1", "rater_2"), ("Dr. A", "Dra. Ruiz"), ("R1", "R2"), ("nota ana", "nota luis")],
)
@pytest.mark.parametrize("values", [["3", "3", "0"], ["3", "P0", "3"], ["3", "3", "no"]])
@pytest.mark.parametrize("raters", [False, True])
def test_raters_of_one_file_are_read_alike(tmp_path, served, names, values, raters):
    rows = [
        {"case_id": f"t/{n:04}", names[0]: "P3", names[1]: text} for n, text in enumerate(values, 1)
    ]
    report = bring(tmp_path, rows, served=served, raters=names[1:] if raters else ())
    assert report.n_new == (3 if raters else 6)
    assert {scale for *_, scale, _ in said(tmp_path)} == {"gold_rank"}
    assert len(report.judges) == (1 if raters else 2)
    assert not any("if these are ranks" in name for name in report.unread)


def test_a_rater_who_says_something_else_is_not_dropped(tmp_path, served):
    rows = [{"case_id": f"t/{n:04}", "rater_1": "P3", "rater_2": "yes"} for n in (1, 2, 3)]
    with pytest.raises(FileError, match=r"'rater_2' has 'yes' where 'rater_1' has ranks"):
        bring(tmp_path, rows, served=served)
    with pytest.raises(FileError, match=r"'rater_2' has 'yes' where 'rater_1' has ranks"):
        bring(tmp_path, rows, served=served, raters=["rater_2"])
    assert bring(tmp_path, rows, served=served, raters=["rater_1"]).n_new == 3


def test_ranks_of_another_model_are_named_as_not_read(tmp_path, served):
    rows = [{"case_id": f"t/{n:04}", "gold_rank": "P2", "claude_rank": "1"} for n in (1, 2, 3)]
    report = bring(tmp_path, rows, served=served, columns={"gold_rank": "gold_rank"})
    assert [name.split(" ")[0] for name in report.unread] == ["claude_rank"]


def test_a_column_that_may_be_a_raters_is_named_with_what_to_do(tmp_path, served):
    rows = [{"case_id": f"t/{n:04}", "ana": "P3", "luis": "3", "age": "40"} for n in (1, 2, 3)]
    report = bring(tmp_path, rows, served=served)
    assert report.unread == [
        "luis (if these are ranks of a rater: --rater 'luis', with --rater for each other)",
        "age",
    ]
    report = bring(tmp_path, rows, served=served, raters=["ana", "luis"], replace=True)
    assert ("panel/luis", "t/0001", "gold_rank", "3") in said(tmp_path)


def test_numbers_of_raters_alone_are_asked_what_they_are(tmp_path, served):
    rows = [{"case_id": f"t/{n:04}", "rater_1": str(n), "rater_2": "0"} for n in (1, 2, 3)]
    with pytest.raises(FileError, match=r"may grade whole lists.*gold_rank='rater_1,rater_2'"):
        bring(tmp_path, rows, served=served)
    bring(tmp_path, rows, served=served, columns={"gold_rank": "rater_1,rater_2"})
    assert ("panel/rater_1", "t/0003", "gold_rank", "3") in said(tmp_path)
    assert ("panel/rater_2", "t/0003", "gold_rank", "0") in said(tmp_path)


@pytest.mark.parametrize(
    ("written", "scale", "label"),
    [
        *(
            (text, "top5", "yes")
            for text in ("Yes", "sí", "1", "1.0", "TRUE", "acierto", "✓", "Oui", "J")
        ),
        *((text, "top5", "no") for text in ("n", "0", "False", "fallo", "否", "✗", "non", "Nein")),
        *(("P3", "top1", "no"), ("P3", "top3", "yes"), ("P0", "top5", "no"), ("p1", "top1", "yes")),
        *(('"P4"', "gold_rank", "4"), ("4.0", "gold_rank", "4"), ("否", "gold_rank", "0")),
        *(("not in list", "gold_rank", "0"), ("maybe", "top5", None), ("Gout", "gold_rank", None)),
        *(("6", "top5", None), ("yes", "gold_rank", None)),
        *((text, "top5", None) for text in ("yes?", "¿sí?", "no (?)", "P2?", "✓？")),
        *((text, "gold_rank", None) for text in ("P2?", "no?")),
    ],
)
def test_what_a_grading_says(written, scale, label):
    assert gradings.grade(written, scale) == label


@given(rank=st.integers(0, 30), depth=st.integers(1, 20))
def test_a_rank_answers_every_question_for_a_hit(rank, depth):
    assert (gradings.grade(f"P{rank}", f"top{depth}") == "yes") == (1 <= rank <= depth)


@pytest.mark.parametrize("write", [as_csv, as_lines, as_excel])
def test_a_column_for_each_rater_and_question(tmp_path, served, write):
    rows = [
        {"case_id": "t/0001", "anna_top1": "yes", "anna_top5": "yes", "ben_top5": "yes"},
        {"case_id": "t/0002", "anna_top1": "no", "anna_top5": "yes", "ben_top5": "NULL"},
        {"case_id": "t/0003", "anna_top1": "0", "anna_top5": "no", "ben_top5": "perhaps"},
    ]
    report = bring(tmp_path, rows, served=served, write=write)
    assert (report.n_new, report.n_missing, len(report.rejects)) == (7, 1, 1)
    assert "'perhaps' is not a grading: write yes or no" in report.rejects[0]["reason"]
    assert report.judges == ["panel/anna", "panel/ben"]
    assert ("panel/anna", "t/0002", "top1", "no") in said(tmp_path)
    assert ("panel/ben", "t/0001", "top5", "yes") in said(tmp_path)
    again = bring(tmp_path, rows, served=served, write=write)
    assert (again.n_new, again.n_unchanged) == (0, 7)


@pytest.mark.parametrize(
    ("grades", "kept"),
    [
        ({"top1": "yes", "top3": "no", "top5": "yes"}, {"top5"}),
        ({"top1": "0", "top3": "1", "top5": "0"}, {"top1"}),
        ({"gold_rank": "P2", "top1": "yes", "top3": "yes"}, {"top3"}),
        ({"gold_rank": "P0", "top1": "no", "top3": "no"}, {"gold_rank", "top1", "top3"}),
        ({"gold_rank": "P4", "top3": "no", "top5": "yes"}, {"gold_rank", "top3", "top5"}),
    ],
)
def test_gradings_that_deny_each_other_are_set_aside(tmp_path, served, grades, kept):
    other = {"gold_rank": "P1", **dict.fromkeys(("top1", "top3", "top5"), "yes")}
    rows = [
        {"case_id": "t/0001", **grades},
        {"case_id": "t/0002", **{name: other[name] for name in grades}},
    ]
    report = bring(tmp_path, rows, served=served)
    assert {scale for _, case, scale, _ in said(tmp_path) if case == "t/0001"} == kept
    assert len(report.rejects) == len(grades) - len(kept)
    assert all("cannot both be" in reject["reason"] for reject in report.rejects)
    assert {reject["source_line"] for reject in report.rejects} <= {2}


@pytest.mark.parametrize("heading", ["rater", "Gutachter", "Médecin"])
def test_a_column_of_raters_and_one_without_a_name(tmp_path, served, heading):
    rows = [
        {"case": "t/0001", heading: "anna", "hit@5": "1"},
        {"case": "t/0001", heading: "ben", "hit@5": "0"},
        {"case": "t/0002", heading: "", "hit@5": "1"},
    ]
    report = bring(tmp_path, rows, served=served)
    assert said(tmp_path) == {
        ("panel/anna", "t/0001", "top5", "yes"),
        ("panel/ben", "t/0001", "top5", "no"),
    }
    assert [one["reason"] for one in report.rejects] == [f"no rater: fill the column '{heading}'"]


def test_a_sheet_for_each_rater(tmp_path, served):
    book = openpyxl.Workbook()
    for sheet, grade in ((book.active, "P1"), (book.create_sheet(), "P0")):
        sheet.append(["case_id", "score"])
        for number in (1, 2, 3):
            sheet.append([f"t/000{number}", grade])
    book.active.title, book.worksheets[1].title = "Anna", "Ben"
    book.save(tmp_path / "g.xlsx")
    bring(tmp_path, tmp_path / "g.xlsx", served=served)
    assert ("panel/Anna", "t/0003", "gold_rank", "1") in said(tmp_path)
    assert ("panel/Ben", "t/0003", "gold_rank", "0") in said(tmp_path)


def test_rows_without_cases_are_matched_by_their_golds(tmp_path, served):
    rows = [
        {"GT": f"['{gold}']", "Score": score}
        for gold, score in zip(GOLDS, ("P1", "NULL", "P7"), strict=True)
    ]
    report = bring(tmp_path, rows, served=served)
    assert said(tmp_path) == {
        ("panel", "t/0001", "gold_rank", "1"),
        ("panel", "t/0003", "gold_rank", "7"),
    }
    assert report.n_missing == 1
    with pytest.raises(FileError, match="gold diagnoses are not those of the cases"):
        bring(tmp_path, rows[::-1], Source("other", configuration="m1/p/t"), served=served)
    assert not store.rows(tmp_path / "labels", "labels", "other")


@pytest.mark.parametrize("name", ["row", "key"])
def test_gradings_go_by_ids_under_any_name(tmp_path, served, name):
    rows = [{name: f"t/000{n}", "gold_rank": rank} for n, rank in ((3, "P1"), (1, "P2"), (2, "P0"))]
    bring(tmp_path, rows, served=served)
    assert ("panel", "t/0003", "gold_rank", "1") in said(tmp_path)
    assert ("panel", "t/0001", "gold_rank", "2") in said(tmp_path)


def test_gradings_in_another_order_are_refused(tmp_path, served):
    rows = [{"n": n, "gold_rank": rank} for n, rank in ((3, "P1"), (1, "P2"), (2, "P0"))]
    with pytest.raises(FileError, match=r"'n' .* in another order than they stand"):
        bring(tmp_path, rows, served=served)
    bring(tmp_path, rows, served=served, match="order")
    assert ("panel", "t/0001", "gold_rank", "1") in said(tmp_path)


def test_rows_of_another_model_are_refused(tmp_path, served):
    rows = [
        {"case_id": "t/0001", "model": "GPT-4 0613", "top1": "yes"},
        {"case_id": "t/0002", "model": "m1", "top1": "yes"},
    ]
    report = bring(tmp_path, rows, served=served)
    assert said(tmp_path) == {("panel", "t/0002", "top1", "yes")}
    assert report.rejects[0]["source_line"] == 2
    assert report.rejects[0]["reason"] == "of model 'GPT-4 0613', not of 'm1'"
    with pytest.raises(FileError, match="line 2, model: of model 'GPT-4 0613', not of 'm1'"):
        bring(tmp_path, rows[:1], served=served)


def test_labels_of_ranks_refuse_rows_of_another_model(tmp_path, served):
    row = {"case_id": "t/0001", "rank": "1", "model": "m2", "relation": "synonym"}
    report = bring(tmp_path, [row, {**row, "model": "M-1"}], served=served)
    assert (report.n_new, len(report.rejects)) == (1, 1)


@pytest.mark.parametrize("asked", [{"top1": "yes"}, {"rank": "1", "relation": "synonym"}])
def test_an_unknown_configuration_is_told_the_nearest(tmp_path, served, asked):
    source = Source("panel", configuration="gpt4_0631/p/t")
    nearest = "no configuration 'gpt4_0631/p/t'.*; the nearest: gpt4_0613/p/t"
    with pytest.raises(FileError, match=nearest):
        bring(tmp_path, [{"case_id": "t/0001", **asked}], source, served=served)
    assert not store.rows(tmp_path / "labels", "labels", "panel")
    rows = [{"case_id": "t/0001", "model": model, **asked} for model in ("GPT4 0631", "GPT-4 0613")]
    source = Source("panel", configuration="{model}/p/t")
    report = bring(tmp_path, rows, source, served=served)
    (label,) = store.rows(tmp_path / "labels", "labels", "panel")
    assert (label["configuration_id"], label["source_line"]) == ("gpt4_0613/p/t", 3)
    assert "the nearest: gpt4_0613/p/t" in report.rejects[0]["reason"]


def test_configurations_of_the_grid_are_known(tmp_path):
    known = Places(tmp_path, tmp_path, tmp_path, Served(None)).configurations()
    assert "gpt4o/dxgpt_standard/simulated_rare_200" in known


def test_a_column_of_models_fills_the_configuration_in(tmp_path, served):
    rows = [
        {"case_id": "t/0001", "model": "GPT-4 0613", "top1": "yes"},
        {"case_id": "t/0001", "model": "m1", "top1": "no"},
        {"case_id": "t/0002", "model": "", "top1": "no"},
    ]
    report = bring(tmp_path, rows, Source("panel", configuration="{model}/p/t"), served=served)
    labels = store.read(tmp_path / "labels", "labels").to_pylist()
    assert {(one["configuration_id"], one["label"]) for one in labels} == {
        ("gpt4_0613/p/t", "yes"),
        ("m1/p/t", "no"),
    }
    assert report.rejects[0]["reason"].startswith("no model")


def test_whose_lists_they_are_has_to_be_said(tmp_path):
    with pytest.raises(FileError, match=r"'Dr\. A' grades whole lists and nothing says whose"):
        bring(tmp_path, [{"case_id": "t/1", "Dr. A": "P2", "Dr. B": "P0"}], Source("panel"))


def test_a_marked_doubt_is_no_grading_without_a_meaning(tmp_path, served):
    rows = [{"case_id": "t/0001", "top5": "sí?"}, {"case_id": "t/0002", "top5": "no"}]
    report = bring(tmp_path, rows, served=served)
    assert said(tmp_path) == {("panel", "t/0002", "top5", "no")}
    assert report.rejects[0]["reason"].startswith("'sí?' is a doubt, not a grading: write yes or")
    assert not bring(tmp_path, rows, meanings=[("sí?", "yes")], served=served).rejects
    rows[0]["top5"] = "no?"
    assert bring(tmp_path, rows, meanings=[("no", "no")], served=served).rejects
    of_ranks = [{"case": "t/0001", "rank": str(n), "relation": said} for n, said in LABELS]
    report = bring(tmp_path, of_ranks, Source("other", configuration="m1/p/t"), served=served)
    assert report.n_new == 1
    assert "'Broad Synonym?' is a doubt" in report.rejects[0]["reason"]


def test_columns_and_words_can_be_named(tmp_path, served):
    rows = [{"case_id": "t/0001", "found it": "bien"}, {"case_id": "t/0002", "found it": "mal"}]
    bring(
        *(tmp_path, rows),
        columns={"top5": "found it"},
        meanings=[("bien", "yes"), ("mal", "no")],
        served=served,
    )
    assert {label for *_, label in said(tmp_path)} == {"yes", "no"}


LABELS = [(1, "Exact Synonym"), (2, "Broad Synonym?")]
LISTS = [
    {"gold": "Gout", "answer": "1. Gout\n2. Flu", "anna": "P1", "ben": "P1"},
    {"gold": "Measles", "answer": "1. Flu\n2. Mumps", "anna": "P0", "ben": "P2"},
]


def test_unknown_lists_become_a_test_set_with_their_texts(tmp_path):
    report = bring(tmp_path, LISTS, Source("clinic"))
    assert (report.new_test_set, report.n_new_cases, report.n_new) == ("clinic", 2, 4)
    answers = runs_store.read(tmp_path / "runs", "answers").to_pylist()
    assert [one["answer_text"] for one in answers] == ["1. Gout\n2. Flu", "1. Flu\n2. Mumps"]
    assert {one["configuration_id"] for one in answers} == {"judged_lists/recorded/clinic"}
    records = cases_store.read_records(tmp_path / "cases").to_pylist()
    assert [one["gold_names"] for one in records] == [["Gout"], ["Measles"]]
    assert ("clinic/ben", "2", "gold_rank", "2") in said(tmp_path)
    # somebody else grades the same lists, in another order
    cleo = [{**row, "cleo_top5": "no"} for row in LISTS[::-1]]
    for row in cleo:
        del row["anna"], row["ben"]
    file = as_csv(tmp_path / "cleo", cleo)
    report = bring(tmp_path, file, Source("clinic", test_set="clinic"))
    assert (report.n_new_cases, report.n_new) == (0, 2)
    assert ("clinic/cleo", "1", "top5", "no") in said(tmp_path)
    assert forget(tmp_path / "labels", "clinic", tmp_path / "runs", tmp_path / "cases")
    assert not cases_store.read_records(tmp_path / "cases").num_rows


def test_lists_in_columns_of_several_models(tmp_path):
    rows = [
        {"case": "a", "gold": "Gout", "model": m, "dx1": "Flu", "dx2": d, "in_top_5": hit}
        for m, d, hit in (("m1", "Gout", "yes"), ("m2", "Mumps", "no"))
    ]
    report = bring(tmp_path, rows, Source("clinic"))
    assert (report.n_new_cases, report.n_new, report.rejects) == (1, 2, [])
    labels = store.read(tmp_path / "labels", "labels").to_pylist()
    assert {(one["configuration_id"], one["label"]) for one in labels} == {
        ("m1/recorded/clinic", "yes"),
        ("m2/recorded/clinic", "no"),
    }
    answers = runs_store.read(tmp_path / "runs", "answers").to_pylist()
    assert [[d["diagnosis"] for d in one["diagnoses"]] for one in answers] == [
        ["Flu", "Gout"],
        ["Flu", "Mumps"],
    ]


def imported_cases(tmp_path, ids, contains_phi=False):
    """A test set 'mine' of cases with these ids of their own, not built yet, and a run on it."""
    record = {"test_set": "mine", "source_hash": "h", "language": "en"}
    record["contains_phi"] = contains_phi
    records = [
        {**record, "record_number": n, "record_id": name, "gold_names": [GOLDS[n % len(GOLDS)]]}
        for n, name in enumerate(ids, 1)
    ]
    cases_store.write(
        *(tmp_path / "cases", "mine--h"),
        cases_store.pa.Table.from_pylist(records, schema=cases_store.RECORDS),
        cases_store.REJECTS.empty_table(),
    )
    recorded(tmp_path, "m/p/mine")


@pytest.mark.parametrize("written", ["M{}", "{}", "m0{}"])
def test_an_id_of_several_cases_names_none_of_them(tmp_path, written):
    ids = [written.format(n) for n in (0, 1, 2)]
    imported_cases(tmp_path, [*ids, *ids])
    rows = [{"case_id": name, "gold_rank": "1"} for name in ids]
    source = Source("panel", configuration="m/p/mine")
    with pytest.raises(FileError, match=r"2 cases of 'mine' have the id .* by its case_id"):
        bring(tmp_path, rows, source)
    rows.append({"case_id": "mine/0004", "gold_rank": "2"})
    report = bring(tmp_path, rows, source)
    assert said(tmp_path) == {("panel", "mine/0004", "gold_rank", "2")}
    assert [reject["source_line"] for reject in report.rejects] == [2, 3, 4]
    assert report.matched_by["m/p/mine"].startswith("case or record id")


@pytest.mark.parametrize(
    ("ids", "named", "expected"),
    [
        # ids that are also the numbers of other cases
        (["3", "2", "1"], ["3", "1"], {"mine/0001", "mine/0003"}),
        (["C-1", "C-2"], ["C-2"], {"mine/0002"}),
        ([None, None], ["2", "mine/0001"], {"mine/0001", "mine/0002"}),
    ],
)
def test_labels_of_diagnoses_of_patients_are_of_their_case(tmp_path, ids, named, expected):
    """No table of a build has the ids of patients, so the import says which case each means."""
    imported_cases(tmp_path, ids, contains_phi=True)
    rows = [{"case_id": name, "diagnosis": "Gout", "relation": "exact"} for name in named]
    report = bring(tmp_path, rows, Source("panel", configuration="m/p/mine"))
    assert {case for _, case, *_ in said(tmp_path)} == expected
    assert not report.rejects


@pytest.mark.parametrize("contains_phi", [False, True])
def test_a_label_of_a_diagnosis_of_a_shared_id_is_rejected(tmp_path, contains_phi):
    imported_cases(tmp_path, ["a", "b", "a", "1"], contains_phi)
    rows = [{"case_id": name, "diagnosis": "Gout", "relation": "exact"} for name in ("a", "b", "1")]
    report = bring(tmp_path, rows, Source("panel", configuration="m/p/mine"))
    cases = {"mine/0002", "mine/0004"} if contains_phi else {"b", "1"}
    assert {case for _, case, *_ in said(tmp_path)} == cases
    (reject,) = report.rejects
    assert reject["source_line"] == 2
    assert reject["reason"] == "2 cases of 'mine' have the id 'a': name the case by its case_id"


def test_every_row_of_a_shared_id_is_rejected(tmp_path):
    """Whoever grades it, and however often."""
    imported_cases(tmp_path, ["a", "b", "a"])
    rows = [
        {"case_id": name, "rater": rater, "gold_rank": "1"}
        for name in ("a", "b")
        for rater in ("anna", "ben")
    ]
    report = bring(tmp_path, [*rows, rows[0]], Source("panel", configuration="m/p/mine"))
    assert {(judge, case) for judge, case, *_ in said(tmp_path)} == {
        ("panel/anna", "mine/0002"),
        ("panel/ben", "mine/0002"),
    }
    assert [(one["source_line"], one["rater"]) for one in report.rejects] == [
        (2, "anna"),
        (3, "ben"),
        (6, "anna"),
    ]
    reason = "2 cases of 'mine' have the id 'a': name the case by its case_id"
    assert all(one["reason"].startswith(reason) for one in report.rejects)


def test_a_set_just_imported_is_known_at_once(tmp_path):
    """Cases and their own ids, imported and not built yet."""
    imported_cases(tmp_path, ["C001", "C002", "C003"])
    bring(tmp_path, [{"case": "C002", "top1": "1"}], Source("panel", configuration="m/p/mine"))
    assert said(tmp_path) == {("panel", "mine/0002", "top1", "yes")}
    with pytest.raises(FileError, match=r"no configuration 'm/p/min'.*; the nearest: m/p/mine"):
        bring(tmp_path, [{"case": "C002", "top1": "1"}], Source("p", configuration="m/p/min"))


def test_a_folder_is_a_file_for_each_run_or_rater(tmp_path, served, monkeypatch):
    monkeypatch.setenv("KERNEL29_LABELS_DIR", str(tmp_path / "labels"))
    monkeypatch.setenv("KERNEL29_RUNS_DIR", str(tmp_path / "runs"))
    monkeypatch.setenv("KERNEL29_CASES_DIR", str(tmp_path / "cases"))
    monkeypatch.setenv("KERNEL29_SERVE_DIR", str(tmp_path))
    served.rename(tmp_path / "kernel29.duckdb")
    folder = tmp_path / "grades"
    folder.mkdir()
    for model in ("m1", "gpt4_0613"):
        as_csv(folder / f"scores_{model}", [{"case_id": "t/0001", "score": "P1"}])
    as_csv(folder / "other", [{"case_id": "t/0001", "score": "P1"}])
    result = CliRunner().invoke(
        main,
        [
            *("labels", "import", str(folder), "--judge", "panel", "--name", "scores_{model}"),
            *("--configuration", "{model}/p/t"),
        ],
    )
    lines = result.output.splitlines()
    assert result.exit_code == 0
    assert lines[0] == "other.csv: left out, not named as in --name 'scores_{model}'."
    assert lines[1] == "scores_gpt4_0613.csv: panel: 1 new labels, 0 stored before, 0 rejected."
    assert lines[2] == "scores_m1.csv: panel: 1 new labels, 0 stored before, 0 rejected."
    assert "Traceback" not in result.output
    labels = store.read(tmp_path / "labels", "labels").to_pylist()
    assert {one["configuration_id"] for one in labels} == set(CONFIGURATIONS)
    listed = CliRunner().invoke(main, ["labels", "list"]).output.splitlines()
    assert listed == [f"panel  {name}  gold_rank: 1 labels" for name in sorted(CONFIGURATIONS)]
    # one file that cannot be read does not keep the others out, and is not passed over
    (folder / "scores_m3.csv").write_text("case_id,score\nt/0009,P1\n")
    recorded(tmp_path, "m3/p/t", "m4/p/t")
    as_csv(folder / "scores_m4", [{"case_id": "t/0002", "score": "P3"}])
    result = CliRunner().invoke(
        main,
        [
            *("labels", "import", str(folder), "--judge", "panel", "--name", "scores_{model}"),
            *("--configuration", "{model}/p/t"),
        ],
    )
    assert result.exit_code == 1
    assert "scores_m3.csv: not imported. scores_m3.csv: none of its 1 cases" in result.output
    assert "scores_m4.csv: panel: 1 new labels" in result.output


@pytest.mark.parametrize("mark", ["✓", "✗", "no", "1", "P2"])
def test_an_x_beside_other_marks_says_nothing_certain(tmp_path, served, mark):
    rows = [{"case_id": f"t/{n:04}", "top5": one} for n, one in enumerate(["x", mark, "X"], 1)]
    report = bring(tmp_path, rows, served=served)
    assert report.n_new == 1
    assert [one["source_line"] for one in report.rejects] == [2, 4]
    assert "'x' beside other marks in 'top5' may be a tick" in report.rejects[0]["reason"]
    report = bring(tmp_path, rows, served=served, meanings=[("x", "no")])
    assert (report.n_new, report.rejects) == (2, [])


def test_an_x_beside_empty_cells_is_a_ticked_box(tmp_path, served):
    rows = [{"case_id": f"t/{n:04}", "top5": one} for n, one in enumerate(["x", "", "X"], 1)]
    report = bring(tmp_path, rows, served=served)
    assert (report.n_new, report.n_missing, report.rejects) == (2, 1, [])
    assert {label for *_, label in said(tmp_path)} == {"yes"}


def test_a_question_mark_is_a_doubt(tmp_path, served):
    rows = [{"case_id": f"t/{n:04}", "top5": one} for n, one in enumerate(["yes", "?", ""], 1)]
    report = bring(tmp_path, rows, served=served)
    assert (report.n_new, report.n_missing) == (1, 1)
    assert [(one["source_line"], "a doubt" in one["reason"]) for one in report.rejects] == [
        (3, True)
    ]


@pytest.mark.parametrize(
    "columns",
    [
        {"rank1": "010", "rank2": "000", "rank3": "100"},
        {"dx1": "abc", "dx1_correct": "010", "dx2": "def", "dx2_correct": "000"}
        | {"dx3": "ghi", "dx3_correct": "100"},
        {"rank_1_correct": ["no", "yes", "no"], "rank_2_correct": ["no", "no", "no"]}
        | {"rank_3_correct": ["yes", "no", "no"]},
    ],
)
def test_a_yes_for_one_rank_is_the_rank_of_the_gold(tmp_path, served, columns):
    rows = [
        {"case_id": f"t/{n:04}", **{name: values[n - 1] for name, values in columns.items()}}
        for n in (1, 2, 3)
    ]
    bring(tmp_path, rows, served=served)
    assert said(tmp_path) == {
        ("panel", f"t/{n:04}", "gold_rank", rank) for n, rank in ((1, "3"), (2, "1"), (3, "0"))
    }


def test_half_a_yes_is_set_aside(tmp_path, served):
    rows = [{"case_id": f"t/{n:04}", "rank1": n == 1, "rank2": 0.5 * (n == 2)} for n in (1, 2, 3)]
    report = bring(tmp_path, rows, served=served, write=as_lines)
    assert [reject["reason"][:5] for reject in report.rejects] == ["'0.5'"]
    assert {(case, rank) for _, case, _, rank in said(tmp_path)} == {
        *(("t/0001", "1"), ("t/0003", "0"))
    }


def test_several_yes_ask_what_is_meant_and_the_remedy_works(tmp_path, served):
    rows = [{"case_id": f"t/{n:04}", "rank1": 0, "rank2": n % 2, "rank3": 1} for n in (1, 2, 3)]
    named = "--column top1='rank1' --column top2='rank2' --column top3='rank3'"
    with pytest.raises(FileError, match=named):
        bring(tmp_path, rows, served=served)
    columns = {f"top{rank}": f"rank{rank}" for rank in (1, 2, 3)}
    assert bring(tmp_path, rows, served=served, columns=columns).n_new == 9


def test_letters_of_a_column_that_is_named_are_ranks(tmp_path, served):
    rows = [{"case_id": f"t/{n:04}", "verdict": v} for n, v in enumerate(("B", "none", "A"), 1)]
    with pytest.raises(FileError, match="letters, with --column gold_rank=NAME"):
        bring(tmp_path, rows, served=served)
    bring(tmp_path, rows, served=served, columns={"gold_rank": "verdict"})
    assert {(case, rank) for _, case, _, rank in said(tmp_path)} == {
        *(("t/0001", "2"), ("t/0002", "0"), ("t/0003", "1"))
    }


def test_labels_that_mean_nothing_are_all_named(tmp_path, served):
    rows = [
        {"case_id": f"t/{n:04}", "rank": rank, "score": score}
        for n in (1, 2, 3)
        for rank, score in ((1, 0), (2, 0.5), (3, 1))
    ]
    with pytest.raises(FileError, match=r"--label '0=…' --label '0\.5=…' --label '1=…'"):
        bring(tmp_path, rows, served=served)
    meanings = [("0", "Not Related"), ("0.5", "Broad Synonym"), ("1", "Exact Synonym")]
    assert bring(tmp_path, rows, served=served, meanings=meanings).n_new == 9


RANKS_FROM_0 = [["0", "-1", "1"], ["0", "", "1"], ["0", "null", "2"]]


@pytest.mark.parametrize("written", RANKS_FROM_0)
def test_ranks_that_may_count_from_0_are_asked_about(tmp_path, served, written):
    rows = [{"case_id": f"t/{n:04}", "gold_rank": rank} for n, rank in enumerate(written, 1)]
    with pytest.raises(FileError, match="--ranks-from 0"):
        bring(tmp_path, rows, served=served)
    bring(tmp_path, rows, Source("p0", configuration="m1/p/t", ranks_from=0), served=served)
    bring(tmp_path, rows, Source("p1", configuration="m1/p/t", ranks_from=1), served=served)
    labels = {(judge, case): label for judge, case, _, label in said(tmp_path)}
    assert labels["p0", "t/0001"] == "1"
    assert labels["p0", "t/0003"] == str(int(written[2]) + 1)
    assert labels["p1", "t/0001"] == "0"
    assert labels["p1", "t/0003"] == written[2]


@pytest.mark.parametrize("is_text", [False, True])
def test_ranks_one_before_the_name_in_the_list_count_from_0(tmp_path, served, is_text):
    lists = [["Gout", "Flu"], ["Flu", "Measles"], ["Flu", "Gout", "Asthma"]]
    (tmp_path / "runs" / "answers").mkdir(parents=True)
    table = [
        {
            "case_id": f"t/{n:04}",
            "diagnoses": []
            if is_text
            else [{"rank": r, "diagnosis": name} for r, name in enumerate(names, 1)],
            "answer_text": "\n".join(f"{r}. {name}" for r, name in enumerate(names, 1)),
        }
        for n, names in enumerate(lists, 1)
    ]
    pq.write_table(pa.Table.from_pylist(table), tmp_path / "runs" / "answers" / "m1@p@t.parquet")

    def rows(ranks):
        return [{"case_id": f"t/{n:04}", "gold_rank": rank} for n, rank in enumerate(ranks, 1)]

    with pytest.raises(FileError, match="3 of 3 lists the gold diagnosis stands by name one"):
        bring(tmp_path, rows("012"), served=served)
    bring(tmp_path, rows(["1", "0", "3"]), served=served)
    assert {label for *_, label in said(tmp_path)} == {"1", "0", "3"}


def test_minus_one_without_a_0_is_absent(tmp_path, served):
    rows = [{"case_id": f"t/{n:04}", "gold_rank": rank} for n, rank in enumerate("1-2", 1)]
    rows[1]["gold_rank"] = "-1"
    bring(tmp_path, rows, served=served)
    assert sorted(label for *_, label in said(tmp_path)) == ["0", "1", "2"]


def test_half_a_credit_is_told_how_to_count(tmp_path, served):
    rows = [{"case_id": f"t/{n:04}", "top1": hit} for n, hit in enumerate(("0.5", "1", "0"), 1)]
    report = bring(tmp_path, rows, served=served)
    assert "--label 0.5=no" in report.rejects[0]["reason"]


@pytest.mark.parametrize("written", ["absent", "not found", "Ausente", "not in list", "fehlt"])
def test_a_word_for_absent_is_rank_0(written):
    assert gradings.grade(written, "gold_rank") == "0"


OF_A_MISS = [
    "incorrect_top1",
    "error_top1",
    "missed_top1",
    "not_in_top1",
    "fallo_top1",
    "failed_top1",
]


@pytest.mark.parametrize("name", [*OF_A_MISS, "fallo_top1", "No acierto top 1"])
@pytest.mark.parametrize("written", [("0", "1", ""), ("no", "yes", "-"), ("✗", "✓", "NA")])
def test_a_yes_to_a_miss_is_no_hit_and_it_is_said(tmp_path, served, name, written):
    rows = [{"case_id": f"t/{n:04}", name: answer} for n, answer in enumerate(written, 1)]
    report = bring(tmp_path, rows, served=served)
    assert said(tmp_path) == {
        ("panel", "t/0001", "top1", "yes"),
        ("panel", "t/0002", "top1", "no"),
    }
    assert report.inverted == [name]


def test_words_for_a_miss_and_given_meanings_stand(tmp_path, served):
    rows = [
        {"case_id": f"t/{n:04}", "error_top1": answer}
        for n, answer in ((1, "miss"), (2, "hit"), (3, "1"))
    ]
    bring(tmp_path, rows, served=served, meanings=[("1", "yes")])
    assert {(case, label) for _, case, _, label in said(tmp_path)} == {
        *(("t/0001", "no"), ("t/0002", "yes"), ("t/0003", "yes"))
    }


def test_a_question_that_denies_twice_is_refused(tmp_path, served):
    rows = [{"case_id": "t/0001", "not_missed_top1": "1"}]
    with pytest.raises(FileError, match="denies twice"):
        bring(tmp_path, rows, served=served)


def test_wrong_ranks_are_those_that_are_not_the_gold(tmp_path, served):
    rows = [
        {"case_id": f"t/{n:04}", **{f"dx{rank}_wrong": int(rank != n) for rank in (1, 2)}}
        for n in (1, 2, 3)
    ]
    report = bring(tmp_path, rows, served=served)
    assert {(case, rank) for _, case, _, rank in said(tmp_path)} == {
        *(("t/0001", "1"), ("t/0002", "2"), ("t/0003", "0"))
    }
    assert report.inverted == ["dx1_wrong", "dx2_wrong"]


def test_the_time_a_grading_took_is_no_rater(tmp_path, served):
    rows = [{"case_id": f"t/{n:04}", "top1": 1, "top1_seconds": n % 2} for n in (1, 2, 3)]
    report = bring(tmp_path, rows, served=served)
    assert report.judges == ["panel"]
    assert report.unread == ["top1_seconds"]


@pytest.mark.parametrize(
    ("written", "label"),
    [
        *(("100%", "yes"), ("100 %", "yes"), ("100,0%", "yes"), ("0%", "no"), ("0.0 %", "no")),
        *(("✖", "no"), ("✖\ufe0f", "no"), ("✅", "yes"), ("❌", "no"), ("✔\ufe0f", "yes")),
        *(("50%", None), ("99%", None)),
    ],
)
def test_percentages_and_signs_say_yes_and_no(written, label):
    assert gradings.grade(written, "top1") == label


def test_a_sign_that_is_not_known_is_no_missing_label(tmp_path, served):
    rows = [{"case_id": f"t/{n:04}", "top1": mark} for n, mark in enumerate("✔✔★", 1)]
    report = bring(tmp_path, rows, served=served)
    assert (report.n_missing, [reject["source_line"] for reject in report.rejects]) == (0, [4])


@pytest.mark.parametrize("names", [("Dr. Ruiz", "Gil 2"), ("Ana", "Ben")])
@pytest.mark.parametrize("turned", [False, True])
def test_a_matrix_of_raters_by_ranks_is_a_rank_for_each(tmp_path, served, names, turned):
    rows = [
        {"case_id": f"t/{n:04}"}
        | {
            f"Rank {rank} {name}" if turned else f"{name} Rank {rank}": int(
                rank == n + names.index(name)
            )
            for name in names
            for rank in (1, 2, 3)
        }
        for n in (1, 2, 3)
    ]
    options = {}
    if "Ana" in names:
        with pytest.raises(FileError, match="--rater 'ana' --rater 'ben'"):
            bring(tmp_path, rows, served=served)
        options = {"raters": ["Ana", "ben"]}
    bring(tmp_path, rows, served=served, **options)
    ranks = {(judge, case): rank for judge, case, _, rank in said(tmp_path)}
    first, second = sorted({judge for judge, _ in ranks}, key=lambda j: ranks[j, "t/0003"])[::-1]
    assert [ranks[first, f"t/{n:04}"] for n in (1, 2, 3)] == ["1", "2", "3"]
    assert [ranks[second, f"t/{n:04}"] for n in (1, 2, 3)] == ["2", "3", "0"]


@pytest.mark.parametrize("nothing", ["", "N/A", "n.d.", "null"])
def test_a_cell_without_a_label_costs_no_rater_the_others(tmp_path, served, nothing):
    rows = [
        {"case_id": f"t/{n:04}"}
        | {f"Dr. {name} Rank {rank}": int(rank == n) for name in ("Gil", "Ruiz") for rank in (1, 2)}
        for n in (1, 2, 3)
    ]
    rows[1]["Dr. Ruiz Rank 1"] = nothing
    rows[2] |= {"Dr. Ruiz Rank 1": nothing, "Dr. Ruiz Rank 2": nothing}
    bring(tmp_path, rows, served=served)
    ranks = {(judge, case): rank for judge, case, _, rank in said(tmp_path)}
    gil, ruiz = ({c[-1]: r for (j, c), r in ranks.items() if name in j} for name in ("gil", "ruiz"))
    assert gil == {"1": "1", "2": "2", "3": "0"}
    assert ruiz == {"1": "1", "2": "2"}


@pytest.mark.parametrize("name", ["Consenso", "majority", "Panel consensus", "Konsens", "Mehrheit"])
def test_what_raters_agreed_on_is_no_rater(tmp_path, served, name):
    rows = [
        {"case_id": f"t/{n:04}", "Dr. Ruiz": "P1", "Dra. Gil": "P2", name: "P1"} for n in (1, 2)
    ]
    report = bring(tmp_path, rows, served=served)
    assert report.judges == ["panel/dr_ruiz", "panel/dra_gil"]
    assert f"--rater '{name}' and another --judge" in report.unread[0]
    apart = Source("agreed", configuration="m1/p/t")
    assert bring(tmp_path, rows, apart, served=served, raters=[name]).n_new == 2


def test_a_program_among_raters_is_no_person(tmp_path, served):
    rows = [{"case_id": f"t/{n:04}", "rater_1": "P1", "GPT-4 judge": "P2"} for n in (1, 2)]
    report = bring(tmp_path, rows, served=served)
    assert report.judges == ["panel/rater_1"]
    assert "--kind recorded" in report.unread[0]
    recorded_source = Source("program", configuration="m1/p/t", kind="recorded")
    bring(tmp_path, rows, recorded_source, served=served, raters=["GPT-4 judge"])
    long = [
        {"case_id": "t/0001", "rater": rater, "gold_rank": "P1"}
        for rater in ("ana", "gpt-4o", "consensus")
    ]
    report = bring(tmp_path, long, Source("long", configuration="m1/p/t"), served=served)
    assert report.judges == ["long/ana"]
    assert [reject["source_line"] for reject in report.rejects] == [3, 4]


def test_a_column_named_as_a_program_alone_is_asked(tmp_path, served):
    rows = [{"case_id": f"t/{n:04}", "gpt4_top1": "1"} for n in (1, 2)]
    with pytest.raises(FileError, match="--kind recorded"):
        bring(tmp_path, rows, served=served)
    bring(tmp_path, rows, served=served, columns={"top1": "gpt4_top1"})
    assert {judge for judge, *_ in said(tmp_path)} == {"panel"}


@pytest.mark.parametrize("code", ["99", "88", "999"])
def test_a_code_for_what_is_missing_is_no_rank(tmp_path, served, code):
    rows = [{"case_id": f"t/{n:04}", "gold_rank": r} for n, r in enumerate(("1", code, "2"), 1)]
    report = bring(tmp_path, rows, served=served)
    assert f"--label {code}=P0" in report.rejects[0]["reason"]
    bring(tmp_path, rows, served=served, meanings=[(code, "P0")])
    assert ("panel", "t/0002", "gold_rank", "0") in said(tmp_path)


def test_a_number_beyond_every_list_is_asked_about(tmp_path, served):
    (tmp_path / "runs" / "answers").mkdir(parents=True)
    diagnoses = [{"rank": rank, "diagnosis": name} for rank, name in ((1, "Flu"), (2, "Sepsis"))]
    table = [{"case_id": f"t/{n:04}", "diagnoses": diagnoses} for n in (1, 2, 3)]
    pq.write_table(pa.Table.from_pylist(table), tmp_path / "runs" / "answers" / "m1@p@t.parquet")
    rows = [{"case_id": f"t/{n:04}", "gold_rank": r} for n, r in enumerate(("1", "3", "P3"), 1)]
    report = bring(tmp_path, rows, served=served)
    (reject,) = report.rejects
    assert "--label 3=P0" in reject["reason"]
    assert "--label 3=P3" in reject["reason"]
    bring(tmp_path, rows, served=served, meanings=[("3", "P3")])
    assert sorted(label for *_, label in said(tmp_path)) == ["1", "3", "3"]


def test_ranks_may_have_a_sign_for_number(tmp_path, served):
    rows = [{"case_id": f"t/{n:04}", "gold_rank": r} for n, r in enumerate(("#1", "Nº 2", "#0"), 1)]
    bring(tmp_path, rows, served=served)
    assert sorted(label for *_, label in said(tmp_path)) == ["0", "1", "2"]


@pytest.mark.parametrize("name", ["gold_rank", "Rango correcto"])
def test_letters_of_a_column_called_the_rank_are_ranks(tmp_path, served, name):
    rows = [{"case_id": f"t/{n:04}", name: v} for n, v in enumerate(("B", "none", "A"), 1)]
    bring(tmp_path, rows, served=served)
    assert sorted(label for *_, label in said(tmp_path)) == ["0", "1", "2"]


def test_a_label_in_a_list_of_one_is_that_label(tmp_path, served):
    rows = [
        {"text": "1. Flu", "case_id": f"t/{n:04}", "label": [label], "annotator": "ana"}
        for n, label in enumerate(("P2", "P0", "P1"), 1)
    ]
    bring(tmp_path, rows, served=served, write=as_lines)
    assert {(judge, case, rank) for judge, case, _, rank in said(tmp_path)} == {
        ("panel/ana", f"t/{n:04}", rank) for n, rank in enumerate("201", 1)
    }


def test_a_rank_beyond_lists_of_text_is_asked_about(tmp_path, served):
    text = "1. Gout\n2. Flu\n3. Asthma"
    table = [
        {"case_id": f"t/{n:04}", "diagnoses": [], "answer_text": text, "output_format": "x"}
        for n in (1, 2, 3)
    ]
    (tmp_path / "runs" / "answers").mkdir(parents=True)
    schema = pa.schema(
        [
            ("case_id", pa.string()),
            ("diagnoses", pa.list_(pa.struct([("rank", pa.int32()), ("diagnosis", pa.string())]))),
            *((name, pa.string()) for name in ("answer_text", "output_format")),
        ]
    )
    file = tmp_path / "runs" / "answers" / "m1@p@t.parquet"
    pq.write_table(pa.Table.from_pylist(table, schema), file)
    rows = [{"case_id": f"t/{n:04}", "gold_rank": rank} for n, rank in enumerate("143", 1)]
    report = bring(tmp_path, rows, served=served)
    assert "beyond the longest list, which has 3" in report.rejects[0]["reason"]


@pytest.mark.parametrize("column", ["Fehler Top-1", "Top-1-Fehler", "miss@1", "erreur top1"])
def test_a_column_of_errors_in_any_language_is_inverted(tmp_path, served, column):
    rows = [{"case_id": f"t/{n:04}", column: mark} for n, mark in enumerate(("ja", "nein"), 1)]
    report = bring(tmp_path, rows, served=served)
    assert report.inverted == [column]
    assert {(judge, case, label) for judge, case, _, label in said(tmp_path)} == {
        ("panel", "t/0001", "no"),
        ("panel", "t/0002", "yes"),
    }


@pytest.mark.parametrize("written", ["{}º", "#{}", "{}ª", "{}."])
def test_a_rank_may_be_an_ordinal(tmp_path, served, written):
    rows = [
        {"case_id": f"t/{n:04}", "gold_rank": written.format(rank)}
        for n, rank in enumerate("123", 1)
    ]
    bring(tmp_path, rows, served=served)
    assert sorted(label for *_, label in said(tmp_path)) == ["1", "2", "3"]


@pytest.mark.parametrize("written", ["1st", "1er", "1.º", "Platz 1", "Lugar 1", "Dx 1"])
def test_the_first_rank_is_written_in_words(written):
    assert gradings.grade(written, "gold_rank") == "1"


@pytest.mark.parametrize("written", [("P1", "P0", "P2"), (1, 0, 2)])
def test_an_object_for_each_rater_holds_labels_by_case(tmp_path, served, written):
    of_cases = {f"t/{n:04}": label for n, label in enumerate(written, 1)}
    file = tmp_path / "grades.json"
    file.write_text(json.dumps({"ana": of_cases, "ben": of_cases}))
    bring(tmp_path, file, served=served)
    assert said(tmp_path) == {
        (f"panel/{rater}", f"t/{n:04}", "gold_rank", rank)
        for rater in ("ana", "ben")
        for n, rank in enumerate("102", 1)
    }


@pytest.mark.parametrize(
    ("heading", "first", "none"),
    [
        ("Rang der richtigen Diagnose", "Platz 1", "nicht enthalten"),
        ("Rang du diagnostic correct", "premier", "pas dans la liste"),
        ("Posição do diagnóstico correto", "Lugar 1", "não consta"),
    ],
)
def test_ranks_of_the_gold_in_other_languages(tmp_path, served, heading, first, none):
    written = (first, none, "2")
    rows = [{"case_id": f"t/{n:04}", heading: text} for n, text in enumerate(written, 1)]
    bring(tmp_path, rows, served=served)
    assert sorted(label for *_, label in said(tmp_path)) == ["0", "1", "2"]


def test_columns_of_right_and_wrong_ranks_are_a_rank(tmp_path, served):
    marks = [(0, 1, 0), (0, 0, 0), (1, 1, 1)]
    rows = [
        {"case_id": f"t/{n:04}", **{f"correct_{k}": hit for k, hit in enumerate(hits, 1)}}
        for n, hits in enumerate(marks, 1)
    ]
    bring(tmp_path, rows, served=served)
    assert {(case, label) for _, case, _, label in said(tmp_path)} == {
        ("t/0001", "2"),
        ("t/0002", "0"),
        ("t/0003", "1"),
    }


def test_gradings_of_which_most_cannot_be_read_are_refused(tmp_path, served):
    marks = ("P1", "somewhere", "further down")
    rows = [
        {"case_id": f"t/{n:04}", "rater": rater, "gold_rank": mark}
        for rater in ("ana", "ben")
        for n, mark in enumerate(marks, 1)
    ]
    with pytest.raises(FileError, match="2 of 6 labels can be read, less than half"):
        bring(tmp_path, rows, served=served, columns={"gold_rank": "gold_rank"})


def test_raters_may_write_an_id_in_other_capitals(tmp_path, served):
    rows = [
        {"case_id": "t/0001", "rater": "ana", "gold_rank": "P2"},
        {"case_id": "T/0001", "rater": "bo", "gold_rank": "P3"},
        {"case_id": "T/0001", "rater": "ana", "gold_rank": "P1"},
    ]
    report = bring(tmp_path, rows, served=served)
    labels = {(judge, label) for judge, _, _, label in said(tmp_path)}
    assert labels == {("panel/ana", "2"), ("panel/bo", "3")}
    assert len(report.rejects) == 1


def test_an_unknown_case_of_a_form_is_set_aside_alone(tmp_path, served):
    form = {"Ana": {"t/0001": "P2", "t/0002": "P1"}, "Bo": {"t/0001": "P3", "XXX-1": "P1"}}
    (tmp_path / "a.json").write_text(json.dumps(form))
    report = bring(tmp_path, tmp_path / "a.json", served=served)
    labels = {(judge, case, label) for judge, case, _, label in said(tmp_path)}
    assert labels == {
        ("panel/Ana", "t/0001", "2"),
        ("panel/Ana", "t/0002", "1"),
        ("panel/Bo", "t/0001", "3"),
    }
    assert ["XXX-1" in reject["reason"] for reject in report.rejects] == [True]
