"""Recorded runs: what is read from which file, what is refused, and that twice changes nothing."""

import json

import duckdb
import openpyxl
import pytest
from click.testing import CliRunner
from written import as_csv, as_excel, as_json, as_lines, as_parquet, as_semicolons

from python_llm.cli import main
from python_llm.errors import FileError
from python_llm.runs import store
from python_llm.runs.cases import KnownSets
from python_llm.runs.importing import Report, Run, read_source
from python_llm.runs.importing import import_run as import_source

GOLD = ["Gout", "Measles / Rubeola", "Marfan syndrome", "Asthma"]
RUN = Run("m", "p", "t")
ANSWERS = [[f"['{name}']", f"+1. {name}: fits\n\\n\\n+2. Flu, mild: no"] for name in GOLD]


def import_run(file, run, runs_dir, served=None, labels=None, columns=None, **more) -> Report:
    columns = columns or {}
    return import_source(
        read_source(file, columns),
        run,
        runs_dir,
        KnownSets(served, cases_dir=file.parent / "cases"),
        labels=read_source(labels, columns) if labels else None,
        columns=columns,
        **more,
    )


@pytest.fixture
def served(tmp_path):
    """A served database with one test set of four cases."""
    file = tmp_path / "kernel29.duckdb"
    with duckdb.connect(str(file)) as database:
        database.execute(
            "create table dim_case as select * from (values "
            + ", ".join(
                f"('t/{number:04}', 't', {number}, '{name}', false)"
                for number, name in enumerate(GOLD, 1)
            )
            + ") as cases (case_id, test_set, case_number, gold_diagnosis, contains_phi)"
        )
    return file


def write_csv(path, header, rows, delimiter=","):
    import csv

    with path.open("w", newline="", encoding="utf-8") as handle:
        csv.writer(handle, delimiter=delimiter).writerows([header, *rows])
    return path


def stored(folder, kind="answers"):
    return store.read(folder, kind).to_pylist()


def files(folder):
    return {file.name: file.read_bytes() for file in folder.rglob("*.parquet")}


def test_a_file_without_cases_is_in_the_order_of_the_test_set(tmp_path, served):
    file = write_csv(tmp_path / "a.csv", ["GT", "Diagnosis 1"], ANSWERS)
    report = import_run(file, RUN, tmp_path / "runs", served)
    assert (report.n_new, report.n_unchanged, report.matched_by) == (
        *(4, 0, "row order (4 of 4 gold diagnoses agree)"),
    )
    rows = stored(tmp_path / "runs")
    assert [row["case_ref"] for row in rows] == ["1", "2", "3", "4"]
    assert rows[0]["gold_written"] == "Gout"
    assert rows[0]["answer_text"] == ANSWERS[0][1]
    assert [row["source_row"] for row in rows] == [2, 4, 6, 8]  # lines: every answer has two

    before = files(tmp_path / "runs")
    again = import_run(file, RUN, tmp_path / "runs", served)
    assert (again.n_new, again.n_unchanged) == (0, 4)
    assert files(tmp_path / "runs") == before


@pytest.mark.parametrize("write", [as_csv, as_semicolons, as_lines, as_json, as_parquet, as_excel])
def test_every_kind_of_file_gives_the_same(tmp_path, served, write):
    rows = [
        {"case_id": f"t/{case:04}", "Rank": rank, "Diagnosis": name, "relation": "Not Related"}
        for case in (1, 2, 3, 4)
        for rank, name in ((2, "Gripe; leve"), (1, 'Sarampión, "grave"\nde verdad'))
    ]
    report = import_run(write(tmp_path / "r", rows), RUN, tmp_path / "runs", served)
    assert (report.n_answers, report.n_labels) == (4, 8)
    first = stored(tmp_path / "runs")[0]
    assert first["answer_text"] is None
    assert [item["diagnosis"] for item in first["diagnoses"]] == [
        'Sarampión, "grave"\nde verdad',
        "Gripe; leve",
    ]


def as_wrapped_json(path, rows):
    path = path.with_suffix(".json")
    path.write_text(json.dumps({"model": "m", "results": rows}), encoding="utf-8")
    return path


def as_excel_with_a_margin(path, rows):
    path = as_excel(path, rows)
    book = openpyxl.load_workbook(path)
    book.worksheets[0].insert_rows(1, amount=2)
    book.save(path)
    return path


@pytest.mark.parametrize("write", [as_wrapped_json, as_excel_with_a_margin])
def test_a_table_may_be_wrapped(tmp_path, served, write):
    rows = [{"custom_id": f"{case}", "predictions": '["Gout", "Flu"]'} for case in (1, 2, 3, 4)]
    report = import_run(write(tmp_path / "r", rows), RUN, tmp_path / "runs", served)
    assert report.n_answers == 4
    assert report.matched_by == "position, counted from 1 (no gold diagnoses to check it by)"
    assert {row["answer_text"] for row in stored(tmp_path / "runs")} == {'["Gout", "Flu"]'}


def test_columns_of_ranks_side_by_side(tmp_path, served):
    file = write_csv(
        tmp_path / "w.csv",
        ["case_id", "diagnosis_1", "diagnosis_2", "diagnosis_3"],
        [["t/0001", "Gout", "", "GOUT"], ["t/0002", "Flu", "NULL", "Mumps"]],
    )
    report = import_run(file, RUN, tmp_path / "runs", served)
    ranked = [
        [(d["rank"], d["diagnosis"]) for d in row["diagnoses"]] for row in stored(tmp_path / "runs")
    ]
    assert ranked == [[(1, "Gout"), (3, "GOUT")], [(1, "Flu"), (3, "Mumps")]]
    assert "2 of 4 cases have no answer" in report.notes[0]


def test_ranks_are_kept_as_given_and_labels_with_them(tmp_path, served):
    file = write_csv(
        tmp_path / "l.csv",
        ["case", "rank", "diagnosis", "semantic_relation", "severity"],
        [
            ["1", "1", "Flu", "Not Related", "mild"],
            ["1", "2", "FLU", "Not Related", "mild"],
            ["1", "4", "Gout", "Exact Synonym", "moderate"],
        ],
    )
    import_run(file, Run("m", "p", "t", judge="people"), tmp_path / "runs", served)
    labels = {
        row["diagnosis_rank"]: (row["semantic_relation"], row["judge_id"])
        for row in stored(tmp_path / "runs", "labels")
    }
    assert labels == {
        **dict.fromkeys((1, 2), ("Not Related", "people")),
        4: ("Exact Synonym", "people"),
    }
    assert [item["rank"] for item in stored(tmp_path / "runs")[0]["diagnoses"]] == [1, 2, 4]


def test_labels_are_kept_as_the_registry_writes_them_and_others_are_told(tmp_path, served):
    header = ["patient_id", "rank", "diagnosis", "semantic_relation", "severity"]
    said = [("1 - Exact synonym", "Leve"), ("BROAD_SYNONYM", "dreadful"), ("a cousin", "")]
    rows = [["1", rank, f"D{rank}", *one] for rank, one in enumerate(said, 1)]
    report = import_run(write_csv(tmp_path / "l.csv", header, rows), RUN, tmp_path / "runs", served)
    labels = {row["diagnosis_rank"]: row for row in stored(tmp_path / "runs", "labels")}
    assert [labels[rank]["semantic_relation"] for rank in (1, 2, 3)] == [
        *("Exact Synonym", "Broad Synonym", "a cousin"),
    ]
    assert [labels[rank]["severity"] for rank in (1, 2, 3)] == ["mild", "dreadful", None]
    notes = " ".join(report.notes)
    assert "1 labels of the scale semantic" in notes
    assert "l.csv, row 4: 'a cousin'" in notes
    assert "l.csv, row 3: 'dreadful'" in notes


def test_lists_of_several_models_are_sent_to_where_they_are_read(tmp_path, served):
    header = ["patient", "model", "rank", "diagnosis"]
    file = write_csv(tmp_path / "m.csv", header, [["1", m, "1", "Flu"] for m in ("a", "b")])
    with pytest.raises(FileError, match=r"lists are of 2 models: .*kernel29 labels import"):
        import_run(file, RUN, tmp_path / "runs", served)


def test_judged_rows_need_no_names_of_diagnoses(tmp_path, served):
    rows = [
        ("1", 1, "Exact Synonym", "rare"),
        ("1", 2, "Not Related", "mild"),
        ("2", 1, "Broad Synonym", ""),
    ]
    file = write_csv(tmp_path / "a.csv", ["case", "rank", "semantic_relation", "severity"], rows)
    report = import_run(file, RUN, tmp_path / "runs", served)
    assert (report.n_answers, report.n_labels) == (2, 3)
    assert any("name no diagnoses" in note for note in report.notes)
    first, second = stored(tmp_path / "runs")
    assert [item["rank"] for item in first["diagnoses"]] == [1, 2]
    # two ranks of one name would be one diagnosis twice
    assert len({item["diagnosis"] for item in first["diagnoses"]}) == 2
    assert len(second["diagnoses"]) == 1
    labels = {
        (row["case_ref"], row["diagnosis_rank"]): (row["semantic_relation"], row["severity"])
        for row in stored(tmp_path / "runs", "labels")
    }
    assert labels["1", 1] == ("Exact Synonym", "rare")
    assert labels["2", 1] == ("Broad Synonym", None)


def test_cases_go_by_the_name_their_source_gave_them(tmp_path, served):
    with duckdb.connect(str(served)) as database:
        database.execute("alter table dim_case add column record_id varchar")
        database.execute("update dim_case set record_id = 'P-' || case_number")
    file = write_csv(
        tmp_path / "a.csv", ["case_id", "answer"], [("P-2", "1. Flu"), ("t/0003", "1. Flu")]
    )
    report = import_run(file, RUN, tmp_path / "runs", served)
    assert report.n_new == 2
    assert [row["case_id"] for row in stored(tmp_path / "runs")] == ["t/0002", "t/0003"]
    file = write_csv(tmp_path / "b.csv", ["case_id", "answer"], [("P-9", "1. Flu")])
    with pytest.raises(FileError, match="none of its 1 cases"):
        import_run(file, RUN, tmp_path / "runs", served)


def test_the_rank_of_the_gold_diagnosis_comes_from_a_file_of_its_own(tmp_path, served):
    answers = write_csv(tmp_path / "a.csv", ["GT", "Diagnosis 1"], ANSWERS)
    scores = write_csv(
        tmp_path / "s.csv",
        ["GT", "Score"],
        [[row[0], score] for row, score in zip(ANSWERS, ["P1", '"P0"', "p2", ""], strict=True)],
    )
    import_run(answers, RUN, tmp_path / "runs", served, labels=scores)
    assert [
        (row["case_ref"], row["diagnosis_rank"], row["semantic_relation"])
        for row in stored(tmp_path / "runs", "labels")
    ] == [("1", 1, "Exact Synonym"), ("2", 0, None), ("3", 2, "Exact Synonym")]
    shifted = write_csv(
        tmp_path / "x.csv", ["GT", "Score"], [[row[0], "P1"] for row in ANSWERS[::-1]]
    )
    with pytest.raises(FileError, match=r"x\.csv, row 2: gold diagnosis 'Asthma' where"):
        import_run(answers, RUN, tmp_path / "other", served, labels=shifted)


@pytest.mark.parametrize("is_long", [True, False])
def test_ranks_of_the_gold_diagnosis_by_several_raters(tmp_path, served, is_long):
    run = Run("m", "p", "t", judge="clinic")
    file = write_csv(tmp_path / "a.csv", ["case", "answer"], [["1", "1. Gout"], ["2", "1. Flu"]])
    said = [("1", "P1", "P2"), ("2", "P0", '"P0"')]
    rows = [[case, rater, one[n]] for case, *one in said for n, rater in enumerate(("a", "Dr. B"))]
    labels = (
        write_csv(tmp_path / "l.csv", ["case", "rater", "score"], rows)
        if is_long
        else write_csv(tmp_path / "l.csv", ["case", "a", "Dr. B"], said)
    )
    assert import_run(file, run, tmp_path / "runs", served, labels=labels).n_labels == 4
    found = {
        (row["judge_id"], row["case_ref"]): row["diagnosis_rank"]
        for row in stored(tmp_path / "runs", "labels")
    }
    assert found == {
        ("clinic/a", "1"): 1,
        ("clinic/a", "2"): 0,
        ("clinic/Dr._B", "1"): 2,
        ("clinic/Dr._B", "2"): 0,
    }
    with pytest.raises(FileError, match="name their panel with --judge"):
        import_run(file, RUN, tmp_path / "other", served, labels=labels)


def test_another_answer_needs_replace_and_changes_nothing_without(tmp_path, served):
    file = write_csv(tmp_path / "a.csv", ["GT", "Diagnosis 1"], ANSWERS)
    import_run(file, RUN, tmp_path / "runs", served)
    before = files(tmp_path / "runs")
    other = write_csv(
        tmp_path / "b.csv", ["GT", "Diagnosis 1"], [*ANSWERS[:3], [ANSWERS[3][0], "1. Flu"]]
    )
    with pytest.raises(FileError, match=r"b\.csv, row 8: case '4' already has another answer"):
        import_run(other, RUN, tmp_path / "runs", served)
    assert files(tmp_path / "runs") == before
    report = import_run(other, RUN, tmp_path / "runs", served, replace=True)
    assert (report.n_new, report.n_unchanged) == (1, 3)


def test_another_label_by_the_same_judge_needs_replace(tmp_path, served):
    header = ["case_id", "rank", "diagnosis", "severity"]
    first = write_csv(tmp_path / "a.csv", header, [["t/0001", "1", "Flu", "mild"]])
    other = write_csv(tmp_path / "b.csv", header, [["t/0001", "1", "Flu", "severe"]])
    import_run(first, RUN, tmp_path / "runs", served)
    before = files(tmp_path / "runs")
    with pytest.raises(FileError, match=r"b\.csv, row 2: .* already has another label"):
        import_run(other, RUN, tmp_path / "runs", served)
    assert files(tmp_path / "runs") == before
    import_run(other, Run("m", "p", "t", judge="second"), tmp_path / "runs", served)
    import_run(other, RUN, tmp_path / "runs", served, replace=True)
    labels = {(row["judge_id"], row["severity"]) for row in stored(tmp_path / "runs", "labels")}
    assert labels == {("recorded_labels", "severe"), ("second", "severe")}


def test_the_family_of_a_model_is_as_said_and_else_its_own(tmp_path, served):
    file = write_csv(tmp_path / "a.csv", ["GT", "Diagnosis 1"], ANSWERS)
    for model, family in (("m", ""), ("n", "openai")):
        import_run(file, Run(model, "p", "t", family=family), tmp_path / "runs", served)
    families = {(row["model_alias"], row["model_family"]) for row in stored(tmp_path / "runs")}
    assert families == {("m", "m"), ("n", "openai")}


@pytest.mark.parametrize(
    ("header", "rows", "message"),
    [
        (["case_id", "answer"], [["t/x", "x"], ["t/y", "y"]], r"none of its 2 cases \('t/x', 't/y"),
        (["case_id", "answer"], [["t/0001", "x"]] * 3, "1 of 3 rows can be used.*already in row 2"),
        (
            ["case_id", "answer"],
            [["", "x"]],
            "0 of 1 rows can be used.*row 2: the column 'case_id'",
        ),
        (["answer"], [["x"], ["y"]], "2 rows for 4 cases .* add a column case_id"),
        (["gt", "answer"], [[n, "x"] for n in GOLD[1:] + GOLD[:1]], "4 of 4 gold diagnoses are"),
        (["case", "what"], [["a", "b"]], r"no column for the answer \(found 'case', 'what'\)"),
        (["case_id", "rank", "diagnosis"], [["1", "one", "Flu"]], "row 2: case '1': no rank can"),
        (["case_id", "rank", "diagnosis"], [["1", "1", "Flu"]] * 3, "row 3: .* rank 1 twice"),
        (["rank", "diagnosis"], [["1", "Flu"]], "no column that says which case"),
        (["case_id", "answer", "score"], [["1", "x", "good"]], "row 2: 'good' is no rank of the"),
        (["answer", "answer"], [["x", "y"]], "column 'answer' is there twice"),
    ],
)
def test_what_does_not_add_up_is_named_by_row_and_nothing_is_written(
    tmp_path, served, header, rows, message
):
    file = write_csv(tmp_path / "bad.csv", header, rows)
    with pytest.raises(FileError, match=message):
        import_run(file, RUN, tmp_path / "runs", served)
    assert not (tmp_path / "runs").exists()


def test_the_command_imports_lists_and_forgets(tmp_path, served, monkeypatch):
    monkeypatch.setenv("KERNEL29_RUNS_DIR", str(tmp_path / "runs"))
    monkeypatch.setenv("KERNEL29_SERVE_DIR", str(served.parent))
    monkeypatch.setenv("KERNEL29_CASES_DIR", str(tmp_path / "cases"))
    file = write_csv(tmp_path / "a.csv", ["n", "text"], [["1", "1. Flu"], ["2", "1. Gout"]])
    run = CliRunner()
    of = ["--model", "m", "--prompt", "p", "--test-set", "t"]
    columns = ["--column", "answer=text", "--column", "case=n"]
    done = run.invoke(main, ["runs", "import", str(file), *of, *columns])
    assert done.exit_code == 0, done.output
    assert "m/p/t: 2 answers, 2 new, 0 stored before; 0 labels; 0 set aside" in done.output
    assert "2 of 4 cases have no answer" in done.output
    assert run.invoke(main, ["runs", "list"]).output == "m/p/t: 2 answers, 0 labels\n"
    none = run.invoke(main, ["runs", "import", str(file), *of, "--column", "answer=nothing"])
    assert "no header with any of the columns expected (nothing, " in none.output
    wrong = run.invoke(
        main, ["runs", "import", str(file), *of, *columns[2:], "--column", "answer=nothing"]
    )
    assert "there is no such column; there are n, text" in wrong.output
    assert run.invoke(main, ["runs", "forget", "m/p/t"]).exit_code == 0
    assert run.invoke(main, ["runs", "list"]).output == ""
    assert "no recorded run" in run.invoke(main, ["runs", "forget", "m/p/t"]).output


def test_nothing_imported_is_an_empty_table_and_a_broken_store_is_named(tmp_path):
    assert store.read(tmp_path / "none", "answers").schema == store.ANSWERS
    (tmp_path / "answers").mkdir()
    (tmp_path / "answers" / "x.parquet").write_bytes(b"broken")
    with pytest.raises(FileError, match=r"answers/x\.parquet is no recorded run"):
        store.read(tmp_path, "answers")
