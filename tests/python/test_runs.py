"""Recorded runs: what is read from which file, what is refused, and that twice changes nothing."""

import json
import re

import duckdb
import openpyxl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner
from written import as_csv, as_excel, as_json, as_lines, as_parquet, as_semicolons

from python_llm.console.cli import main
from python_llm.errors import FileError
from python_llm.imports.served import Served
from python_llm.parsing.differential import parse_differential
from python_llm.runs import folders, store
from python_llm.runs.cases import KnownSets
from python_llm.runs.golds import Agreement
from python_llm.runs.importing import Report, Run, read_source
from python_llm.runs.importing import import_run as import_source
from python_llm.runs.reading import rank_of
from python_llm.test_sets import store as cases_store
from python_llm.test_sets.importing import import_cases

GOLD = ["Gout", "Measles / Rubeola", "Marfan syndrome", "Asthma"]
RUN = Run("m", "p", "t")
ANSWERS = [[f"['{name}']", f"+1. {name}: fits\n\\n\\n+2. Flu, mild: no"] for name in GOLD]


def import_run(file, run, runs_dir, served=None, labels=None, columns=None, **more) -> Report:
    columns = columns or {}
    return import_source(
        read_source(file, columns),
        run,
        runs_dir,
        KnownSets(Served(served), cases_dir=file.parent / "cases"),
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
    assert "2 of 4 cases have no answer and count as failures" in report.notes[0]
    assert "If they were never asked, import the answers for a test set of" in report.notes[0]


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


def test_labels_are_written_as_in_the_registry(tmp_path, served):
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
    told = "Not on the {} scale, and counted as unlabelled: '{}' (1, first in l.csv, line {})"
    assert told.format("semantic", "a cousin", 4) in notes
    assert told.format("severity", "dreadful", 3) in notes


def test_lists_of_several_models_are_sent_to_their_command(tmp_path, served):
    header = ["patient", "model", "rank", "diagnosis"]
    file = write_csv(tmp_path / "m.csv", header, [["1", m, "1", "Flu"] for m in ("a", "b")])
    with pytest.raises(FileError, match=r"are of 'a', 'b', none of 'm' .*kernel29 labels import"):
        import_run(file, RUN, tmp_path / "runs", served)


def test_only_rows_of_the_chosen_model_are_taken(tmp_path, served):
    rows = [[f"t/{n:04}", m, "1. Flu"] for m in ("other", "M") for n in (1, 2)]
    file = write_csv(tmp_path / "a.csv", ["case_id", "model", "answer"], rows)
    report = import_run(file, RUN, tmp_path / "runs", served)
    assert (report.n_answers, report.rejects) == (2, [])
    assert "a.csv: 2 rows are of other models ('other')." in report.notes
    rows = [[case, "another name of it", answer] for case, _, answer in rows[:2]]
    file = write_csv(tmp_path / "b.csv", ["case_id", "model", "answer"], rows)
    assert import_run(file, RUN, tmp_path / "runs", served).n_unchanged == 2


def test_labels_of_another_model_are_refused(tmp_path, served):
    answers = write_csv(
        tmp_path / "a.csv", ["case_id", "answer"], [[f"t/{n:04}", "1. Flu"] for n in (1, 2)]
    )
    header = ["case_id", "model", "gold_rank"]
    rows = [[f"t/{n:04}", m, "P1"] for m in ("m", "other") for n in (1, 2)]
    labels = write_csv(tmp_path / "l.csv", header, rows)
    report = import_run(answers, RUN, tmp_path / "runs", served, labels)
    assert report.n_labels == 2
    assert report.notes[-1] == "l.csv: 2 rows are of other models ('other')."
    labels = write_csv(tmp_path / "l.csv", header, rows[2:])
    with pytest.raises(FileError, match=r"l\.csv: the rows are of 'other', none of 'm'"):
        import_run(answers, RUN, tmp_path / "runs", served, labels)


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


def test_the_gold_rank_may_come_from_its_own_file(tmp_path, served):
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
    with pytest.raises(FileError, match=r"x\.csv, line 2: another gold diagnosis than"):
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


def test_another_answer_changes_nothing_without_replace(tmp_path, served):
    file = write_csv(tmp_path / "a.csv", ["GT", "Diagnosis 1"], ANSWERS)
    import_run(file, RUN, tmp_path / "runs", served)
    before = files(tmp_path / "runs")
    other = write_csv(
        tmp_path / "b.csv", ["GT", "Diagnosis 1"], [*ANSWERS[:3], [ANSWERS[3][0], "1. Flu"]]
    )
    with pytest.raises(FileError, match=r"b\.csv, line 8: case '4' already has another answer"):
        import_run(other, RUN, tmp_path / "runs", served)
    assert files(tmp_path / "runs") == before
    report = import_run(other, RUN, tmp_path / "runs", served, replace=True)
    assert (report.n_new, report.n_unchanged) == (1, 3)


def test_a_corrected_file_removes_the_rejects_it_replaces(tmp_path, served):
    header = ["case_id", "answer"]
    runs = tmp_path / "runs"

    def left(name, rows, **options):
        file = write_csv(tmp_path / name, header, rows)
        import_run(file, RUN, runs, served, **options)
        return {(row["source_file"], row["case_ref"]) for row in stored(runs, "rejects")}

    good = [["t/0001", "1. Flu"], ["t/0002", "1. Gout"]]
    faulty = [*good, ["t/0001", "1. Gout"], ["t/0099", "1. Flu"]]
    of_first = {("first.csv", "t/0001"), ("first.csv", "t/0099")}
    other = {("other.csv", "t/0098")}
    assert left("first.csv", faulty) == of_first
    assert left("other.csv", [["t/0003", "1. Flu"], ["t/0098", "1. Flu"]]) == of_first | other
    assert left("same.csv", good) == of_first | other
    assert left("part.csv", good[:1], replace=True) == {("first.csv", "t/0099")} | other
    assert left("fixed.csv", good, replace=True) == other
    assert left("first.csv", faulty, replace=True) == of_first | other


def test_another_label_by_the_same_judge_needs_replace(tmp_path, served):
    header = ["case_id", "rank", "diagnosis", "severity"]
    first = write_csv(tmp_path / "a.csv", header, [["t/0001", "1", "Flu", "mild"]])
    other = write_csv(tmp_path / "b.csv", header, [["t/0001", "1", "Flu", "severe"]])
    import_run(first, RUN, tmp_path / "runs", served)
    before = files(tmp_path / "runs")
    with pytest.raises(FileError, match=r"b\.csv, line 2: .* already has another label"):
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
        (
            ["case_id", "answer"],
            [["t/0001", "x"]] * 3,
            "1 of 3 rows can be.*already in line 2",
        ),
        (
            ["case_id", "answer"],
            [["", "x"]],
            "0 of 1 rows can be used.*line 2: the column 'case_id'",
        ),
        (["answer"], [["x"], ["y"]], "2 rows for 4 cases .* add a column"),
        (["gt", "answer"], [[n, "x"] for n in GOLD[1:] + GOLD[:1]], "4 of 4 gold diagnoses are"),
        (["case", "what"], [["a", "b"]], r"no column for the answer \(found 'case', 'what'\)"),
        (["case_id", "rank", "diagnosis"], [["1", "one", "Flu"]], "line 2: case '1': no rank can"),
        (["case_id", "rank", "diagnosis"], [["1", "1", "Flu"]] * 3, "line 3: .* rank 1 twice"),
        (["rank", "diagnosis"], [["1", "Flu"]], "no column that says which case"),
        (
            ["case_id", "answer", "score"],
            [["1", "x", "good"]],
            "line 2: 'good' is not a rank of the",
        ),
        (["answer", "answer"], [["x", "y"]], "column 'answer' is there twice"),
    ],
)
def test_contradictions_are_named_by_row_and_nothing_is_written(
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
    assert "m/p/t: 2 answers, 2 new, 0 stored before; 2 cases without one; 0 labels" in done.output
    assert "2 of 4 cases have no answer" in done.output
    assert run.invoke(main, ["runs", "list"]).output == "m/p/t: 2 answers, 0 labels\n"
    none = run.invoke(main, ["runs", "import", str(file), *of, "--column", "answer=nothing"])
    assert "no header with names that are known (nothing, " in none.output
    wrong = run.invoke(
        main, ["runs", "import", str(file), *of, *columns[2:], "--column", "answer=nothing"]
    )
    assert "there is no such column; there are n, text" in wrong.output
    assert run.invoke(main, ["runs", "forget", "m/p/t"]).exit_code == 0
    assert run.invoke(main, ["runs", "list"]).output == ""
    assert "no recorded run" in run.invoke(main, ["runs", "forget", "m/p/t"]).output


@pytest.fixture
def project(tmp_path, served, monkeypatch):
    """The command, with the served set and nothing else."""
    monkeypatch.setenv("KERNEL29_RUNS_DIR", str(tmp_path / "runs"))
    monkeypatch.setenv("KERNEL29_SERVE_DIR", str(served.parent))
    monkeypatch.setenv("KERNEL29_CASES_DIR", str(tmp_path / "cases"))

    def run(*arguments):
        return CliRunner().invoke(main, ["runs", "import", *map(str, arguments)])

    return run


def patient_files(folder, number_of, rank="否"):
    """A folder of RareBench's form: a file a patient, with a byte-order mark."""
    folder.mkdir(parents=True)
    for place, name in enumerate(GOLD):
        said = {
            "patient_info": "Fever,Cough",
            "golden_diagnosis": f"麻疹/{name}; ABC/{name} disease,麻疹/{name}; ABC",
            "predict_diagnosis": f" 1. Flu\n2. {name}",
            "predict_rank": rank if place else "2",
        }
        file = folder / f"patient_{number_of(place)}.json"
        file.write_text(json.dumps(said, ensure_ascii=False), encoding="utf-8-sig")
    return folder


@pytest.mark.parametrize(
    ("first", "how"),
    [(0, "position_from_0"), (1, "position")],
)
def test_files_of_patients_count_from_0_or_1_as_the_golds_say(tmp_path, project, first, how):
    folder = patient_files(tmp_path / "some_model_diagnosis", lambda place: place + first)
    done = project(folder, "--model", "m", "--prompt", "p", "--test-set", "t")
    assert done.exit_code == 0, done.output
    assert "4 of 4 gold diagnoses agree" in done.output
    rows = stored(tmp_path / "runs")
    assert {row["matched_by"] for row in rows} == {how}
    assert [(row["case_ref"], row["case_id"]) for row in rows] == [
        (f"patient_{place + first}", f"t/000{place + 1}") for place in range(4)
    ]
    assert rows[0]["gold_written"].startswith("麻疹/Gout; ABC")
    labels = {row["case_id"]: row["diagnosis_rank"] for row in stored(tmp_path / "runs", "labels")}
    assert labels == {"t/0001": 2, "t/0002": 0, "t/0003": 0, "t/0004": 0}


def test_names_that_the_registries_have_are_pointed_out(tmp_path, project):
    file = write_csv(tmp_path / "a.csv", ["GT", "Diagnosis 1"], ANSWERS)
    named = project(file, "--model", "gpt4o", "--prompt", "mine", "--test-set", "t")
    assert named.exit_code == 0, named.output
    assert "The registry has a model gpt4o, too: its settings are not said" in named.output
    assert "has a prompt" not in named.output
    (folder := tmp_path / "all").mkdir()
    for model in "ab":
        write_csv(folder / f"{model}_x.csv", ["GT", "Diagnosis 1"], ANSWERS)
    name = ("--name", "{model}_{skip}", "--prompt", "dxgpt_standard", "--test-set", "t")
    several = project(folder, *name)
    assert several.output.count("The registry has a prompt dxgpt_standard, too") == 1
    assert "has a model" not in several.output


def test_a_folder_of_folders_is_a_run_each(tmp_path, project):
    for name in ("glm_turbo_diagnosis", "glm_turbo_diagnosis_few_shot", "glm_diagnosis_auto-cot"):
        patient_files(tmp_path / "all" / name, lambda place: place)
    (tmp_path / "all" / "glm_diagnosis_auto-cot" / "patient_3.json").write_text("{", "utf-8")
    (tmp_path / "all" / "glm_turbo_diagnosis" / "about.json").write_text('{"of": 1}', "utf-8")
    (tmp_path / "all" / "README.md").write_text("Answers as published.", "utf-8")
    done = project(
        *(tmp_path / "all", "--name", "{model}_diagnosis_{prompt}", "--prompt", "zero_shot"),
        *("--test-set", "t"),
    )
    assert done.exit_code == 0, done.output
    assert {row["configuration_id"] for row in stored(tmp_path / "runs")} == {
        "glm_turbo/zero_shot/t",
        "glm_turbo/few_shot/t",
        "glm/auto-cot/t",
    }
    assert "3 of 3 runs imported" in done.output
    assert "patient_3.json holds no JSON object" in done.output
    aside = {row["case_ref"] for row in stored(tmp_path / "runs", "rejects")}
    assert aside == {"patient_3", "about"}


def test_json_files_of_several_answers_are_a_run_each(tmp_path, project):
    """As lists, or by case; neither is taken for the file of one patient."""
    (folder := tmp_path / "all").mkdir()
    answers = [f"1. {name}" for _, name in ANSWERS]
    for model in "ab":
        rows = [{"case_id": f"t/{n:04}", "answer": text} for n, text in enumerate(answers, 1)]
        (folder / f"{model}__p.json").write_text(json.dumps(rows), "utf-8")
    by_case = {f"t/{n:04}": text for n, text in enumerate(answers, 1)}
    (folder / "c__p.json").write_text(json.dumps(by_case), "utf-8")
    done = project(folder, "--name", "{model}__{prompt}", "--test-set", "t")
    assert done.exit_code == 0, done.output
    assert "3 of 3 runs imported" in done.output
    assert len(stored(tmp_path / "runs")) == 12
    done = project(folder / "a__p.json", "--model", "alone", "--prompt", "p", "--test-set", "t")
    assert "4 answers, 4 new" in done.output


def test_a_text_a_patient_is_a_raw_answer(tmp_path, project):
    folder = tmp_path / "texts"
    folder.mkdir()
    for number in range(4):
        (folder / f"case{number + 1}.txt").write_text(f"1. Flu\n2. {GOLD[number]}", "utf-8")
    done = project(folder, "--model", "m", "--prompt", "p", "--test-set", "t")
    assert done.exit_code == 0, done.output
    assert stored(tmp_path / "runs")[1]["answer_text"] == f"1. Flu\n2. {GOLD[1]}"


@pytest.mark.parametrize("names_case", [True, False])
def test_a_file_a_patient_may_have_its_ranks_as_objects(tmp_path, project, names_case):
    folder = tmp_path / "model"
    folder.mkdir()
    for number, gold in enumerate(GOLD, 1):
        ranks = [
            {"rank": n, "diagnosis": name, "reason": "so"} for n, name in ((1, "Flu"), (2, gold))
        ]
        case = {"case_id": f"t/{number:04}"} if names_case else {}
        (folder / f"case_{number}.json").write_text(json.dumps({**case, "differential": ranks}))
    done = project(folder, "--model", "m", "--prompt", "p", "--test-set", "t")
    assert "m/p/t: 4 answers, 4 new" in done.output
    for answer, gold in zip(stored(tmp_path / "runs"), GOLD, strict=True):
        items = parse_differential(answer["answer_text"], "numbered_list").diagnoses
        assert [item.diagnosis for item in items] == ["Flu", gold]


def run_files(folder, names, column="Diagnosis 1"):
    folder.mkdir(exist_ok=True)
    rows = ANSWERS if column == "Diagnosis 1" else [[one[0], "P1"] for one in ANSWERS]
    for name in names:
        write_csv(folder / name, ["GT ", f"{column} "], rows)
    return folder


def test_a_folder_of_runs_with_its_labels_beside_it(tmp_path, project):
    names = ["T_gpt4_0613.csv", "T_llama.csv"]
    folder = run_files(tmp_path / "all", [f"diagnoses_{name}" for name in names])
    run_files(folder, [f"scores_{name}" for name in names[:1]], "Score")
    write_csv(folder / "notes.csv", ["a", "b"], [["1", "2"]])
    done = project(
        *(folder, "--name", "diagnoses_{test_set}_{model}", "--prompt", "p"),
        *("--labels", folder, "--labels-name", "scores_{test_set}_{model}"),
    )
    assert done.exit_code == 0, done.output
    lines = done.output.splitlines()
    assert lines[0].startswith("gpt4_0613/p/t: 4 answers, 4 new")
    assert "4 labels" in lines[0]
    assert lines[1].startswith("llama/p/t: 4 answers")
    assert lines[1].endswith("No labels.")
    assert lines[2].endswith("does not fit the pattern: notes.csv.")
    assert "2 of 2 runs imported" in lines[3]


def runs_and_labels(tmp_path, labels):
    """Two runs, a and b, whose lists differ, and a file of labels for each name in `labels`: by
    rank the diagnosis and its relation."""
    for folder in ("runs_in", "labels_in"):
        (tmp_path / folder).mkdir()
    lists = {"a": ["Gout", "Flu"], "b": ["Asthma", "Marfan syndrome"]}
    ids = [f"t/{number:04}" for number in range(1, 5)]
    for run, names in lists.items():
        rows = [[case, *names] for case in ids]
        write_csv(tmp_path / "runs_in" / f"{run}.csv", ["case", "dx1", "dx2"], rows)
    for name, (of_run, relations) in labels.items():
        rows = [
            [case, str(rank), diagnosis, relation]
            for case in ids
            for rank, (diagnosis, relation) in enumerate(
                zip(lists[of_run], relations, strict=True), 1
            )
        ]
        header = ["case", "rank", "diagnosis", "semantic_relation"]
        write_csv(tmp_path / "labels_in" / f"of_{name}.csv", header, rows)
    return (
        *(tmp_path / "runs_in", "--name", "{model}", "--prompt", "p", "--test-set", "t"),
        *("--labels", tmp_path / "labels_in", "--labels-name"),
    )


RELATIONS = ("Exact Synonym", "Not Related")


def test_labels_of_another_runs_list_are_refused(tmp_path, project):
    brought = runs_and_labels(tmp_path, {"a": ("a", RELATIONS), "b": ("a", RELATIONS)})
    done = project(*brought, "of_{model}")
    assert done.exit_code == 1
    assert "1 of 2 runs imported" in done.output
    assert "b/p/t is not imported: of_b.csv: 0 of 8 labels can be used" in done.output
    assert "the label is of 'Gout', and rank 1 of the answer 'Asthma'" in done.output


def test_a_folder_says_which_labels_are_not_on_the_scale(tmp_path, project):
    brought = runs_and_labels(tmp_path, {"a": ("a", ("Kind of right", "Not Related"))})
    done = project(*brought, "of_{model}")
    assert done.exit_code == 0, done.output
    told = "Not on the semantic scale, and counted as unlabelled: 'Kind of right' (4, first in of_a"
    assert told in done.output


@pytest.mark.parametrize("pattern", ["of_{model}", "from_{model}"])
def test_labels_of_no_run_are_named(tmp_path, project, pattern):
    brought = runs_and_labels(tmp_path, {"a": ("a", RELATIONS), "omega": ("a", RELATIONS)})
    done = project(*brought, pattern)
    unused = "of_omega.csv" if pattern == "of_{model}" else "of_a.csv, of_omega.csv"
    assert f"Labels of no run, by their names: {unused}. Check --labels-name." in done.output


def test_names_that_can_be_read_in_two_ways_are_refused(tmp_path, project):
    folder = run_files(tmp_path / "all", ["a_few_shot.csv", "b_c_few_shot.csv"])
    done = project(folder, "--name", "{model}_{prompt}", "--test-set", "t")
    assert done.exit_code == 1
    assert "model 'a' and prompt 'few_shot', or as model 'a_few' and prompt 'shot'" in done.output
    assert not (tmp_path / "runs").exists()
    done = project(folder, "--name", "{model}_{prompt:few_shot|zero}", "--test-set", "t")
    assert done.exit_code == 0, done.output
    assert {row["model_alias"] for row in stored(tmp_path / "runs")} == {"a", "b_c"}


def test_a_given_name_of_a_set_goes_before_a_set_called_alike(tmp_path, project):
    folder = run_files(tmp_path / "all", ["T_ADM_gpt4_0613.csv"])
    named = ["--name", "{test_set}_{model}", "--prompt", "p"]
    assert project(folder, *named, "--test-set", "T_ADM=t").exit_code == 0
    assert {row["model_alias"] for row in stored(tmp_path / "runs")} == {"gpt4_0613"}


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--name", "{model}"], "--prompt is missing"),
        (["--name", "{modell}", "--prompt", "p"], "write the parts of a name"),
        (["--name", "x_{model}", "--prompt", "p"], "the first of 2 is 'a'"),
        (["--prompt", "p", "--model", "m"], "holds 2 runs .* --name"),
        (["--name", "{skip}_{model:a|b}", "--prompt", "p"], "No name in all"),
    ],
)
def test_a_folder_that_does_not_say_its_runs_is_refused(tmp_path, project, arguments, message):
    folder = run_files(tmp_path / "all", ["a.csv", "b.csv"])
    done = project(folder, "--test-set", "t", *arguments)
    assert done.exit_code == 1
    assert re.search(message, done.output), done.output
    assert not (tmp_path / "runs").exists()


def test_one_run_that_fails_leaves_the_others_alone(tmp_path, project):
    folder = run_files(tmp_path / "all", ["a_p.csv", "c_p.csv"])
    write_csv(folder / "b_p.csv", ["GT", "Diagnosis 1"], ANSWERS[1:] + ANSWERS[:1])
    done = project(folder, "--name", "{model}_{prompt}", "--test-set", "t")
    assert done.exit_code == 1
    assert "2 of 3 runs imported" in done.output
    assert "b/p/t is not imported: b_p.csv: 4 of 4 gold diagnoses are not" in done.output
    assert {row["model_alias"] for row in stored(tmp_path / "runs")} == {"a", "c"}


def test_an_unknown_test_set_is_told_the_nearest(tmp_path, project):
    run_files(tmp_path / "all", ["a.csv"])
    done = project(
        *(tmp_path / "all" / "a.csv", "--model", "m", "--prompt", "p", "--test-set", "simulated"),
    )
    assert done.exit_code == 1
    assert "There is no test set 'simulated'; the nearest: simulated_rare_200" in done.output
    assert "kernel29 cases import" in done.output
    known = ["--model", "m", "--prompt", "p", "--test-set", "simulated_rare_200"]
    done = project(tmp_path / "all" / "a.csv", *known)
    assert "not built yet" in done.output


def imported(folder, test_set, cases):
    """A test set as `kernel29 cases import` stores it: names or codes of the golds."""
    records = [
        {
            "test_set": test_set,
            "record_number": number,
            "record_id": record_id,
            "gold_names": [gold] if ":" not in gold else None,
            "gold_codes": [gold] if ":" in gold else None,
            "contains_phi": False,
        }
        for number, (record_id, gold) in enumerate(cases, 1)
    ]
    table = pa.Table.from_pylist(records, schema=cases_store.RECORDS)
    cases_store.write(folder, f"{test_set}--0", table, cases_store.REJECTS.empty_table())


def test_a_set_imported_a_moment_ago_is_known(tmp_path, served):
    imported(tmp_path / "cases", "mine", [("P-7", "Gout"), ("P-3", "Asthma")])
    file = write_csv(tmp_path / "a.csv", ["patient_id", "answer"], [["p-3", "1. Flu"]])
    report = import_run(file, Run("m", "p", "mine"), tmp_path / "runs", served)
    assert [row["case_id"] for row in stored(tmp_path / "runs")] == ["mine/0002"]
    assert report.n_missing == 1


def test_a_repeated_import_compares_golds_with_the_current_set(tmp_path, served):
    file = write_csv(tmp_path / "a.csv", ["case_id", "gold", "answer"], [["P", "Gout", "1. Flu"]])
    for gold, agreement in (("Asthma", "unlike"), ("Gout", "same")):
        imported(tmp_path / "cases", "mine", [("P", gold)])
        run = Run("m", "p", "mine")
        import_run(file, run, tmp_path / "runs", served, asked="ids")
        assert [row["gold_agreement"] for row in stored(tmp_path / "runs")] == [agreement]


def test_an_id_that_several_cases_have_is_of_none_of_them(tmp_path, served):
    imported(tmp_path / "cases", "mine", [("P-7", "Gout"), ("P-3", "Asthma"), ("P-7", "Flu")])
    rows = [["P-7", "1. Gout"], ["P-3", "1. Flu"], ["mine/0003", "1. Flu"]]
    file = write_csv(tmp_path / "a.csv", ["patient_id", "answer"], rows)
    report = import_run(file, Run("m", "p", "mine"), tmp_path / "runs", served)
    assert {row["case_id"] for row in stored(tmp_path / "runs")} == {"mine/0002", "mine/0003"}
    assert [(one.case_ref, one.rule) for one in report.rejects] == [("P-7", "case_ambiguous")]


@pytest.mark.parametrize("asked", [None, "ids"])
def test_every_rank_of_a_shared_id_is_set_aside(tmp_path, served, asked):
    imported(tmp_path / "cases", "mine", [("0", "Gout"), ("7", "Asthma"), ("0", "Flu")])
    rows = [[case, rank, "Gout"] for case in ("0", "7") for rank in (1, 2)]
    file = write_csv(tmp_path / "a.csv", ["patient_id", "rank", "diagnosis"], rows)
    report = import_run(file, Run("m", "p", "mine"), tmp_path / "runs", served, asked=asked)
    assert {row["case_id"] for row in stored(tmp_path / "runs")} == {"mine/0002"}
    aside = [(one.source_row, one.rule) for one in report.rejects]
    assert aside == [(2, "case_ambiguous"), (3, "case_ambiguous")]
    assert report.rejects[1].reason == "2 cases of 'mine' have the id '0'"


def test_a_number_that_is_a_shared_id_is_no_position(tmp_path, served):
    """Most numbers are positions; the one that several cases have as their id is none."""
    names = [(one, gold) for one in ("3", "3") for gold in ("Gout", "Flu")]
    imported(tmp_path / "cases", "mine", [*names, ("x", "Asthma")])
    rows = [[str(n), gold, "1. Flu"] for n, gold in ((1, "Gout"), (2, "Flu"), (3, "Gout"))]
    file = write_csv(tmp_path / "a.csv", ["patient_id", "gold", "answer"], rows)
    report = import_run(file, Run("m", "p", "mine"), tmp_path / "runs", served)
    assert {row["case_id"] for row in stored(tmp_path / "runs")} == {"mine/0001", "mine/0002"}
    assert [(one.case_ref, one.rule) for one in report.rejects] == [("3", "case_ambiguous")]


def test_ids_that_all_have_several_cases_are_no_positions(tmp_path, served):
    names = [("R1", "Gout"), ("R1", "Flu"), ("R2", "Asthma"), ("R2", "Croup")]
    imported(tmp_path / "cases", "mine", names)
    rows = [["R1", "1. Gout"], ["R2", "1. Asthma"]]
    file = write_csv(tmp_path / "a.csv", ["patient_id", "answer"], rows)
    with pytest.raises(
        FileError, match="line 2: 2 cases of 'mine' have the id 'R1'; name the case by"
    ):
        import_run(file, Run("m", "p", "mine"), tmp_path / "runs", served)
    assert not (tmp_path / "runs").exists()


def test_an_answer_is_taken_out_of_the_response_it_came_in(tmp_path, served):
    imported(tmp_path / "cases", "mine", [("B1", "Gout")])
    words = "1. Wilson disease\n2. Gaucher disease"
    body = {"choices": [{"message": {"role": "assistant", "content": words}}]}
    line = {"custom_id": "B1", "response": {"status_code": 200, "body": body}}
    file = tmp_path / "batch.jsonl"
    file.write_text(json.dumps(line) + "\n")
    import_run(file, Run("m", "p", "mine"), tmp_path / "runs", served)
    assert [row["answer_text"] for row in stored(tmp_path / "runs")] == [words]


@pytest.mark.parametrize("test_set", ["ramedis_200", "rarebench"])
def test_a_chosen_set_has_the_cases_of_its_sources(tmp_path, served, test_set):
    imported(tmp_path / "cases", "ramedis", [(None, f"Disease number {n}") for n in range(201)])
    imported(tmp_path / "cases", "mme", [("x", "Gout")])
    numbers = [1, 2] if test_set == "ramedis_200" else [2, 3]
    rows = [[number, f"Disease number {n}", "1. Flu"] for n, number in enumerate(numbers)]
    file = write_csv(tmp_path / "a.csv", ["case_number", "gold", "answer"], rows)
    import_run(file, Run("m", "p", test_set), tmp_path / "runs", served)
    assert [row["case_id"] for row in stored(tmp_path / "runs")] == ["ramedis/0001", "ramedis/0002"]


def test_a_number_is_the_users_own_id_before_it_is_a_position(tmp_path, served):
    imported(tmp_path / "cases", "mine", [("3", "Gout"), ("1", "Asthma"), ("2", "Measles")])
    rows = [["1", "Asthma", "1. Flu"], ["2", "Measles", "1. Flu"]]
    file = write_csv(tmp_path / "a.csv", ["patient_id", "gold", "answer"], rows)
    import_run(file, Run("m", "p", "mine"), tmp_path / "runs", served)
    found = {row["case_ref"]: row["case_id"] for row in stored(tmp_path / "runs")}
    assert found == {"1": "mine/0002", "2": "mine/0003"}


@pytest.mark.parametrize("has_golds", [True, False])
def test_numbers_of_which_some_are_ids_need_golds(tmp_path, served, has_golds):
    golds = [f"Disease {word}" for word in ("alpha", "beta", "gamma", "delta")]
    ids = ["900", "3", "901", "902"]
    imported(tmp_path / "cases", "mine", list(zip(ids, golds, strict=True)))
    rows = [[n, gold if has_golds else "", "1. Flu"] for n, gold in enumerate(golds, 1)]
    file = write_csv(tmp_path / "a.csv", ["patient_id", "gold", "answer"], rows)
    run = Run("m", "p", "mine")
    if has_golds:
        import_run(file, run, tmp_path / "runs", served)
        assert {row["matched_by"] for row in stored(tmp_path / "runs")} == {"position"}
        return
    with pytest.raises(FileError, match=r"1 of 4 numbers are ids of 'mine'.*--match ids"):
        import_run(file, run, tmp_path / "runs", served)
    import_run(file, run, tmp_path / "runs", served, asked="positions")
    assert len(stored(tmp_path / "runs")) == 4


@pytest.mark.parametrize("n_wrong", [1, 2])
def test_more_than_5_percent_of_other_golds_stop_positions(tmp_path, served, n_wrong):
    golds = [f"Disease {chr(97 + n) * 5}" for n in range(24)]
    imported(tmp_path / "cases", "mine", [(None, gold) for gold in golds])
    written = golds[24 - n_wrong :] + golds[n_wrong : 24 - n_wrong] + golds[:n_wrong]
    written = [golds[-1], *golds[1:]] if n_wrong == 1 else written
    file = write_csv(tmp_path / "a.csv", ["gt", "answer"], [[gold, "1. Flu"] for gold in written])
    run = Run("m", "p", "mine")
    if n_wrong == 1:
        report = import_run(file, run, tmp_path / "runs", served)
        assert "23 of 24 gold diagnoses agree, 1 are another case's" in report.matched_by
        assert stored(tmp_path / "runs")[0]["gold_agreement"] == "other"
        return
    with pytest.raises(
        FileError, match="line 2 has 'Disease wwwww', case mine/0001 'Disease aaaaa'"
    ):
        import_run(file, run, tmp_path / "runs", served)
    assert not (tmp_path / "runs").exists()


def test_golds_that_cannot_be_compared_stop_nothing(tmp_path, served):
    imported(tmp_path / "cases", "mine", [(None, gold) for gold in (*GOLD, "OMIM:154700")])
    written = ["痛风", "enfermedad del sarampión", "Síndrome de Marfan", "", "Marfan (OMIM 154700)"]
    file = write_csv(tmp_path / "a.csv", ["gt", "answer"], [[gold, "1. Flu"] for gold in written])
    import_run(file, Run("m", "p", "mine"), tmp_path / "runs", served)
    assert [row["gold_agreement"] for row in stored(tmp_path / "runs")] == [
        *("not_compared", "not_compared", "same", "not_given", "same"),
    ]


def test_a_set_of_other_diseases_is_another_set(tmp_path, served):
    written = ["Hepatitis", "Cataract", "Migraine", "Epilepsy"]
    file = write_csv(tmp_path / "a.csv", ["gt", "answer"], [[gold, "1. Flu"] for gold in written])
    with pytest.raises(FileError, match="4 of 4 gold diagnoses are not those"):
        import_run(file, RUN, tmp_path / "runs", served)
    report = import_run(file, RUN, tmp_path / "runs", served, asked="order")
    assert "4 read otherwise" in report.matched_by


@pytest.mark.parametrize(
    "header",
    [
        ("Nº do caso", "Resposta do modelo", "Padrão-ouro"),
        ("Fall-Nr.", "Antwort", "Richtige Diagnose"),
        ("Numéro du cas", "Réponse du modèle", "Diagnostic correct"),
        ("Número del caso", "Respuesta del modelo", "Estándar de oro"),
    ],
)
def test_headers_of_other_languages_are_known(tmp_path, served, header):
    rows = [[f"t/{n:04}", f"1. {name}\n2. Flu", name] for n, name in enumerate(GOLD, 1)]
    report = import_run(write_csv(tmp_path / "a.csv", header, rows), RUN, tmp_path / "runs", served)
    assert "4 of 4 gold diagnoses agree" in report.matched_by
    assert [row["answer_text"] for row in stored(tmp_path / "runs")] == [row[1] for row in rows]


@pytest.mark.parametrize(
    ("refs", "answered"),
    [
        (["1.0", "1", "12.0"], {"t/0001": "1.0", "t/0002": "1", "t/0003": "12.0"}),
        (["1", "1.0", "12,00"], {"t/0001": "1.0", "t/0002": "1", "t/0003": "12,00"}),
        (["12.0", "12", "1"], {"t/0002": "1", "t/0003": "12"}),
    ],
)
def test_an_exact_id_goes_before_a_number_that_is_alike(tmp_path, served, refs, answered):
    with duckdb.connect(str(served)) as database:
        database.execute("alter table dim_case add column record_id varchar")
        database.execute(
            "update dim_case set record_id = ['1.0', '1', '12', 'x'][case_number::int]"
        )
    file = write_csv(tmp_path / "a.csv", ["case", "answer"], [[ref, f"1. {ref}"] for ref in refs])
    report = import_run(file, RUN, tmp_path / "runs", served)
    answers = {row["case_id"]: row["answer_text"] for row in stored(tmp_path / "runs")}
    assert answers == {case: f"1. {ref}" for case, ref in answered.items()}
    assert len(report.rejects) == len(refs) - len(answered)


@pytest.mark.parametrize(
    ("ids", "refs", "answered"),
    [
        (["007", "7", "12", "x"], ["7", "12", "x"], {"t/0003": "12", "t/0004": "x"}),
        (["007", "7", "12", "x"], ["7", "007"], {"t/0002": "7", "t/0001": "007"}),
        (["e\u0301 1", "b", "c", "d"], ["é\u00a01", "B", "c"], {1: "é\u00a01", 2: "B", 3: "c"}),
        (["José", "b", "B", "d"], ["Jose\u0301", "B", "D"], {1: "Jose\u0301", 3: "B"}),
    ],
)
def test_ids_that_look_alike(tmp_path, served, ids, refs, answered):
    with duckdb.connect(str(served)) as database:
        database.execute("alter table dim_case add column record_id varchar")
        database.execute("update dim_case set record_id = ?[case_number::int]", [ids])
    file = write_csv(tmp_path / "a.csv", ["case", "answer"], [[ref, f"1. {ref}"] for ref in refs])
    report = import_run(file, RUN, tmp_path / "runs", served)
    answers = {row["case_id"]: row["answer_text"] for row in stored(tmp_path / "runs")}
    assert answers == {
        case if isinstance(case, str) else f"t/{case:04}": f"1. {ref}"
        for case, ref in answered.items()
    }
    assert len(report.rejects) == len(refs) - len(answered)


def test_zeros_that_a_spreadsheet_took_are_told(tmp_path, served):
    with duckdb.connect(str(served)) as database:
        database.execute("alter table dim_case add column record_id varchar")
        ids = ["007", "7", "12", "x"]
        database.execute("update dim_case set record_id = ?[case_number::int]", [ids])
    rows = [["7", "1. Gout"], ["12", "1. Flu"], ["x", "1. Flu"]]
    file = write_csv(tmp_path / "a.csv", ["case", "answer"], rows)
    [reject] = import_run(file, RUN, tmp_path / "runs", served).rejects
    assert "2 cases of 't' have the id '7', with zeros before it or without" in reject.reason


def test_what_cannot_be_used_is_set_aside_with_its_reason(tmp_path, served):
    header = ["case", "rank", "diagnosis", "relation"]
    rows = [
        ["t/0001", "1", "Flu", ""],
        ["t/0001", "0", "Gout", "Exact Synonym"],
        ["t/0001", "3", "Mumps", "NULL"],
        ["t/0002", "early", "Flu", ""],
        ["t/0002", "2.0", "Gout", "Not Related"],
        ["t/0002", "2", "Measles", "Exact Synonym"],
        ["t/0003", "1", "N/A", ""],
        ["t/0003", "2", "Gout", ""],
        ["nobody", "1", "Gout", ""],
    ]
    report = import_run(write_csv(tmp_path / "a.csv", header, rows), RUN, tmp_path / "runs", served)
    ranked = {
        row["case_id"]: [(item["rank"], item["diagnosis"]) for item in row["diagnoses"]]
        for row in stored(tmp_path / "runs")
    }
    assert ranked == {
        "t/0001": [(1, "Flu"), (3, "Mumps")],
        "t/0002": [(2, "Gout")],
        "t/0003": [(2, "Gout")],
    }
    assert report.n_labels == 1
    found = {(row["source_row"], row["rule"]) for row in stored(tmp_path / "runs", "rejects")}
    assert found == {
        *((3, "rank_unusable"), (5, "rank_unusable"), (7, "rank_twice"), (10, "case_unknown")),
    }
    import_run(write_csv(tmp_path / "a.csv", header, rows[:8]), RUN, tmp_path / "runs", served)
    assert len(stored(tmp_path / "runs", "rejects")) == 3


def test_labels_that_say_nothing_are_missing(tmp_path, served):
    said = ["P1", "NULL", "n/a", "P?"]
    rows = [[*one, label] for one, label in zip(ANSWERS, said, strict=True)]
    file = write_csv(tmp_path / "a.csv", ["GT", "Answer", "Score"], rows)
    report = import_run(file, RUN, tmp_path / "runs", served)
    assert (report.n_labels, [one.rule for one in report.rejects]) == (1, ["label_unusable"])


def test_a_column_has_one_role(tmp_path, served):
    file = write_csv(tmp_path / "a.csv", ["GT", "Diagnosis 1 "], ANSWERS)
    columns = {"answer": "Diagnosis 1", "gold": "diagnosis 1"}
    with pytest.raises(FileError, match=r"'Diagnosis 1' of a\.csv is given as answer and gold"):
        import_run(file, RUN, tmp_path / "runs", served, columns=columns)
    import_run(file, RUN, tmp_path / "runs", served, columns={"answer": "diagnosis 1"})
    assert len(stored(tmp_path / "runs")) == 4


def test_an_older_store_is_read_and_replaced_by_an_import(tmp_path, served):
    file = write_csv(tmp_path / "a.csv", ["GT", "Diagnosis 1", "Score"], [[*ANSWERS[0], "P1"]])
    import_run(file, RUN, tmp_path / "runs", served, asked="order")
    for kind in ("answers", "labels"):
        (old,) = (tmp_path / "runs" / kind).glob("*.parquet")
        table = pq.read_table(old)
        gone = [n for n in ("case_id", "matched_by", "gold_agreement") if n in table.column_names]
        pq.write_table(table.drop_columns(gone), old)
    assert stored(tmp_path / "runs")[0]["case_id"] is None
    report = import_run(file, RUN, tmp_path / "runs", served, asked="order")
    assert (report.n_new, report.n_unchanged) == (1, 0)
    assert [row["case_id"] for row in stored(tmp_path / "runs")] == ["t/0001"]
    assert [row["case_id"] for row in stored(tmp_path / "runs", "labels")] == ["t/0001"]


def test_order_of_imports_changes_nothing(tmp_path, served):
    rows = {"a": ANSWERS, "b": ANSWERS[::-1], "c": [*ANSWERS[:2], ["", "ERROR"]]}
    written = {}
    for name, said in rows.items():
        numbered = [[GOLD.index(one[0][2:-2]) + 1 if one[0] else 4, *one] for one in said]
        header = ["patient", "GT", "Answer"]
        written[name] = write_csv(tmp_path / f"{name}.csv", header, numbered)
    for folder, order in (("one", "abc"), ("two", "cba")):
        for name in order:
            import_run(written[name], Run(name, "p", "t"), tmp_path / folder, served)
    assert files(tmp_path / "one") == files(tmp_path / "two")


def test_an_empty_store_is_an_empty_table(tmp_path):
    assert store.read(tmp_path / "none", "answers").schema == store.ANSWERS
    (tmp_path / "answers").mkdir()
    (tmp_path / "answers" / "x.parquet").write_bytes(b"broken")
    with pytest.raises(FileError, match=r"answers/x\.parquet is not a readable recorded run"):
        store.read(tmp_path, "answers")


def test_codes_of_cases_are_compared_before_anything_is_built(tmp_path):
    codes = {"OMIM:154700": "Marfan syndrome", "OMIM:277900": "Wilson disease"}
    cases = tmp_path / "a.jsonl"
    cases.write_text(
        "\n".join(
            json.dumps({"Phenotype": ["HP:0001250"], "RareDisease": [code]}) for code in codes
        )
    )
    import_cases(cases, "rarebench", "t", tmp_path / "cases")
    sets = KnownSets(Served(None), tmp_path / "cases")
    pairs = [(name, f"t/000{place}") for place, name in enumerate(codes.values(), 1)]
    assert sets.golds("t").compare(pairs) == [Agreement.SAME, Agreement.SAME]
    shifted = [(pairs[1][0], pairs[0][1]), (pairs[0][0], pairs[1][1])]
    assert sets.golds("t").compare(shifted) == [Agreement.OTHER, Agreement.OTHER]


@pytest.mark.parametrize(
    ("name", "content", "row"),
    [
        ("a.csv", "case_id,answer\n1,1. Gout\n2,1. Flu,1. Gout\n3,1. Flu\n4,1. Gout\n", 3),
        ("a.jsonl", '{"id": 1, "answer": "Gout"}\n{broken json\n{"id": 3, "answer": "Flu"}\n', 2),
    ],
)
def test_a_row_that_cannot_be_read_is_set_aside(tmp_path, served, name, content, row):
    (tmp_path / name).write_text(content, encoding="utf-8")
    report = import_run(tmp_path / name, RUN, tmp_path / "runs", served)
    assert report.n_answers == content.count("\n") - 1 - content.startswith("case_id")
    (reject,) = stored(tmp_path / "runs", "rejects")
    assert (reject["source_row"], reject["rule"]) == (row, "row_unreadable")
    assert reject["remedy"]


def test_a_row_of_labels_that_cannot_be_read_is_set_aside(tmp_path, served):
    answers = write_csv(tmp_path / "a.csv", ["case_id", "answer"], [[n, "Gout"] for n in "1234"])
    labels = write_csv(
        tmp_path / "l.csv", ["case_id", "gold_rank"], [["1", "P1"], ["2"], ["3", "P0"]]
    )
    report = import_run(answers, RUN, tmp_path / "runs", served, labels=labels)
    assert (report.n_answers, report.n_labels) == (4, 2)
    assert [(one.source_file, one.source_row, one.rule) for one in report.rejects] == [
        ("l.csv", 3, "row_unreadable")
    ]


def test_ranks_counted_from_0_are_refused(tmp_path, served):
    header = ["case_id", "rank", "diagnosis"]
    rows = [[f"t/{n:04}", rank, f"D{rank}"] for n in (1, 2, 3, 4) for rank in (0, 1, 2)]
    file = write_csv(tmp_path / "a.csv", header, rows)
    with pytest.raises(FileError, match=r"in 4 of 4 cases the column 'rank' counts the ranks from"):
        import_run(file, RUN, tmp_path / "runs", served)
    file = write_csv(
        tmp_path / "b.csv", header, [row for row in rows if row[1] or row[0][-1] < "2"]
    )
    report = import_run(file, RUN, tmp_path / "runs", served)
    assert [one.rule for one in report.rejects] == ["rank_unusable"]
    wide = write_csv(tmp_path / "c.csv", ["id", "dx_0", "dx_1"], [["1", "Gout", "Flu"]])
    with pytest.raises(FileError, match="begin with 'dx_0', so they count from 0"):
        import_run(wide, RUN, tmp_path / "runs", served)
    answers = write_csv(tmp_path / "d.csv", ["id", "answer"], [[n, "Gout"] for n in "1234"])
    labels = write_csv(
        tmp_path / "l.csv", ["id", "rank", "relation"], [[n, r, "x"] for n in "1234" for r in "01"]
    )
    with pytest.raises(FileError, match=r"l\.csv: in 4 of 4 cases"):
        import_run(answers, RUN, tmp_path / "runs", served, labels=labels)


@pytest.mark.parametrize(
    ("written", "rank"),
    [
        *(("1st", 1), ("2ND", 2), ("3º", 3), ("4.ª", 4), ("Top 5", 5), ("Rank 2", 2)),
        *(("rank: #3", 3), ("#4", 4), ("4.0", 4), ("2.", 2), ("Dx #1", 1), ("Diagnosis 2", 2)),
        *(("Primero", 1), ("deuxième", 2), ("Dritte", 3), ("second", 2), ("Platz 2", 2)),
        *(("①", 1), ("❷", 2), ("⑩", 10), ("½", None), ("二", None), ("Gout 2", None)),
        *(("0", None), ("P2", None), ("2 or 3", None), ("", None)),
    ],
)
def test_ranks_are_read_as_people_write_them(written, rank):
    assert rank_of(written) == rank


def test_numbers_from_0_are_not_taken_for_the_numbers_of_ids(tmp_path):
    names = ["Gout", "Measles", "Asthma", "Gout", "Measles", "Asthma"]
    cases = write_csv(
        tmp_path / "cases.csv",
        ["id", "text", "gold"],
        [[f"C{n:02}", "Text", name] for n, name in enumerate(names, 1)],
    )
    import_cases(cases, "table", "c", tmp_path / "cases")
    run = Run("m", "p", "c")
    file = write_csv(tmp_path / "a.csv", ["id", "answer"], [[n, "Gout"] for n in range(6)])
    with pytest.raises(FileError, match="--match positions-from-0 or --match ids"):
        import_run(file, run, tmp_path / "runs")
    report = import_run(file, run, tmp_path / "runs", asked="positions-from-0")
    assert (report.n_answers, report.rejects) == (6, [])
    report = import_run(file, run, tmp_path / "other", asked="ids")
    assert (report.n_answers, len(report.rejects)) == (5, 1)
    rows = [[n, "Gout", name] for n, name in enumerate(names)]
    golds = write_csv(tmp_path / "g.csv", ["id", "answer", "gt"], rows)
    report = import_run(golds, run, tmp_path / "golds")
    assert report.matched_by == "position, counted from 0 (6 of 6 gold diagnoses agree)"
    rows = [[n, "Gout"] for n in range(7)]  # a 6 is a position from 0 on of no case
    file = write_csv(tmp_path / "b.csv", ["id", "answer"], rows)
    assert import_run(file, run, tmp_path / "both").n_answers == 6


@pytest.mark.parametrize(
    "said",
    [
        {"1": "1. Gout\n2. Flu", "2": "1. Flu", "3": "1. Flu", "4": "1. Flu"},
        {"1": ["Gout", "Flu"], "2": ["Flu"], "3": ["Flu"], "4": []},
    ],
)
def test_an_object_of_answers_by_case_is_a_row_a_case(tmp_path, served, said):
    (tmp_path / "a.json").write_text(json.dumps(said), encoding="utf-8")
    report = import_run(tmp_path / "a.json", RUN, tmp_path / "runs", served)
    assert report.n_answers == 4
    first = stored(tmp_path / "runs")[0]
    assert (first["case_ref"], "Gout" in first["answer_text"]) == ("1", True)


def test_an_object_of_one_case_is_no_object_of_cases(tmp_path, served):
    (tmp_path / "a.json").write_text(json.dumps({"case_id": "1", "answer": "Gout"}))
    assert import_run(tmp_path / "a.json", RUN, tmp_path / "runs", served).n_answers == 1


@pytest.mark.parametrize("names", [["C01_alpha2", "C02_alpha2"], ["C01_alpha", "C02_alpha"]])
def test_files_that_are_not_called_as_their_cases_are_told_how(tmp_path, served, names):
    folder = tmp_path / "answers"
    folder.mkdir()
    for name in names:
        (folder / f"{name}.txt").write_text("1. Gout")
    sets = KnownSets(Served(served), tmp_path)

    def bring():
        (job,), _ = folders.plan(folder, None, folders.Names("m", "p", {"": "t"}), sets)
        import_source(folders.read_run(job.path, {}), RUN, tmp_path / "runs", sets)

    with pytest.raises(FileError, match="name each file as its case and nothing else") as error:
        bring()
    assert "--column" not in str(error.value)


SHARED = "id,text,diagnosis\nE1,Fever.,Gout\nE1,Cough.,Asthma\nE2,Rash.,Measles\n"


def of_shared_ids(tmp_path):
    (tmp_path / "mine.csv").write_text(SHARED)
    import_cases(tmp_path / "mine.csv", None, "mine", tmp_path / "cases")
    return Run("m", "p", "mine")


def test_match_order_uses_no_id_of_a_row(tmp_path):
    run = of_shared_ids(tmp_path)
    rows = [["E1", "1. Gout"], ["E1", "1. Asthma"], ["E2", "1. Measles"]]
    file = write_csv(tmp_path / "a.csv", ["case_id", "answer"], rows)
    report = import_run(file, run, tmp_path / "runs", asked="order")
    assert (report.n_answers, report.rejects) == (3, [])
    assert [(row["case_id"], row["answer_text"]) for row in stored(tmp_path / "runs")] == [
        ("mine/0001", "1. Gout"),
        ("mine/0002", "1. Asthma"),
        ("mine/0003", "1. Measles"),
    ]
    file = write_csv(
        tmp_path / "ranks.csv",
        ["case_id", "rank", "diagnosis"],
        [["E1", 1, "Gout"], ["E1", 2, "Flu"], ["E1", 1, "Asthma"], ["E2", 1, "Measles"]],
    )
    import_run(file, run, tmp_path / "by_rank", asked="order")
    assert [
        [item["diagnosis"] for item in row["diagnoses"]] for row in stored(tmp_path / "by_rank")
    ] == [["Gout", "Flu"], ["Asthma"], ["Measles"]]


def test_a_shared_id_is_no_second_answer_to_a_case(tmp_path):
    run = of_shared_ids(tmp_path)
    rows = [["E1", "1. Gout"], ["E1", "1. Asthma"], ["E2", "1. Measles"]]
    file = write_csv(tmp_path / "a.csv", ["case_id", "answer"], rows)
    with pytest.raises(FileError) as caught:
        import_run(file, run, tmp_path / "runs")
    message = str(caught.value)
    assert "case_ambiguous: 2" in message
    assert "keep one answer" not in message
    assert "--match order" in message
    rows = [["E2", "1. Measles"], ["E2", "1. Flu"], ["mine/0001", "1. Gout"]]
    file = write_csv(tmp_path / "b.csv", ["case_id", "answer"], rows)
    report = import_run(file, run, tmp_path / "runs")
    assert [reject.rule for reject in report.rejects] == ["case_twice"]


def test_a_row_that_is_lost_keeps_its_place_in_the_order(tmp_path, served):
    lines = ['{"answer": "1. Gout"}', '{"answer": ', '{"answer": "1. Marfan"}', '{"answer": "x"}']
    (tmp_path / "a.jsonl").write_text("\n".join(lines))
    import_run(tmp_path / "a.jsonl", RUN, tmp_path / "runs", served, asked="order")
    assert [row["case_id"] for row in stored(tmp_path / "runs")] == ["t/0001", "t/0003", "t/0004"]


def test_models_over_the_same_columns_are_told_apart(tmp_path, served):
    book = openpyxl.Workbook()
    for row in [
        ["", "GPT-4", None, "Claude 3", None],
        ["case_id", "diagnosis 1", "diagnosis 2", "diagnosis 1", "diagnosis 2"],
        *[[f"t/{n:04}", f"{name} x", "Flu", name, "Croup"] for n, name in enumerate(GOLD, 1)],
    ]:
        book.active.append(row)
    book.save(tmp_path / "a.xlsx")
    report = import_run(tmp_path / "a.xlsx", Run("claude_3", "p", "t"), tmp_path / "runs", served)
    assert [item["diagnosis"] for item in stored(tmp_path / "runs")[3]["diagnoses"]] == [
        "Asthma",
        "Croup",
    ]
    assert report.notes == ["a.xlsx: 2 columns are of other models ('GPT-4')."]
    with pytest.raises(FileError, match="of 'GPT-4', 'Claude 3', none of 'other'"):
        import_run(tmp_path / "a.xlsx", Run("other", "p", "t"), tmp_path / "runs", served)


ANSWER_OF = {f"t/{number:04}": f"1. {name}" for number, name in enumerate(GOLD, 1)}
TURNS = [{"role": "user", "content": "A case."}]


@pytest.mark.parametrize(
    "written",
    [
        {case: {"answer": answer} for case, answer in ANSWER_OF.items()},
        {
            "case_id": {str(n): case for n, case in enumerate(ANSWER_OF)},
            "answer": {str(n): answer for n, answer in enumerate(ANSWER_OF.values())},
        },
        {"columns": ["Nº de caso", "respuesta"], "data": [[*item] for item in ANSWER_OF.items()]},
        [
            {"id": case, "messages": [*TURNS, {"role": "assistant", "content": answer}]}
            for case, answer in ANSWER_OF.items()
        ],
        [
            {
                "custom_id": case,
                "result": {
                    "type": "succeeded",
                    "message": {"role": "assistant", "content": [{"type": "text", "text": text}]},
                },
            }
            for case, text in ANSWER_OF.items()
        ],
    ],
)
def test_answers_are_read_in_whatever_json_programs_write(tmp_path, served, written):
    (tmp_path / "a.json").write_text(json.dumps(written))
    report = import_run(tmp_path / "a.json", RUN, tmp_path / "runs", served)
    assert report.matched_by.startswith("case or record id")
    answers = {row["case_id"]: row["answer_text"] for row in stored(tmp_path / "runs")}
    assert answers == ANSWER_OF


def test_ranks_may_have_a_decimal_comma():
    assert [rank_of(written) for written in ("1,0", "2.0", "3", "1,5")] == [1, 2, 3, None]


def test_a_damaged_file_of_a_patient_does_not_refuse_the_folder(tmp_path, served):
    folder = tmp_path / "run"
    folder.mkdir()
    for number in (1, 2, 3):
        (folder / f"{number}.json").write_text(json.dumps({"answer": f"1. {GOLD[number - 1]}"}))
    (folder / "4.json").write_bytes(b"\x1f\x8b packed")
    report = import_source(
        folders.read_run(folder, {}),
        RUN,
        tmp_path / "runs",
        KnownSets(Served(served), tmp_path / "c"),
    )
    assert (report.n_answers, [reject.rule for reject in report.rejects]) == (
        *(3, ["file_unreadable"]),
    )


NESTED = {case: {"m": [text[3:]], "other": ["Gout"]} for case, text in ANSWER_OF.items()}


@pytest.mark.parametrize(
    "written",
    [
        NESTED,
        {model: {case: by[model] for case, by in NESTED.items()} for model in ("m", "other")},
        [{"id": case, "answers": by_model} for case, by_model in NESTED.items()],
        {case: {"m": by_model["m"]} for case, by_model in NESTED.items()},
        [{"id": case, "solutions": by_model["m"]} for case, by_model in NESTED.items()],
    ],
    ids=("case and model", "model and case", "field of models", "one model", "solutions"),
)
def test_answers_by_case_and_model_are_read(tmp_path, served, written):
    (tmp_path / "a.json").write_text(json.dumps(written))
    report = import_run(tmp_path / "a.json", Run("m", "p", "t"), tmp_path / "runs", served)
    assert report.matched_by.startswith("case or record id")
    answers = {row["case_id"]: json.loads(row["answer_text"]) for row in stored(tmp_path / "runs")}
    assert answers == {case: by_model["m"] for case, by_model in NESTED.items()}


@pytest.mark.parametrize(
    "header",
    [
        [["case_id", "m", "", "n", ""], ["case_id", 1, 2, 1, 2]],
        [["case_id", "m", "", "n", ""], ["", "Dx 1", "Dx 2", "Dx 1", "Dx 2"]],
        [["Pilot", "m", "", "n", ""], ["case_id", 1, 2, 1, 2]],
        [["case_id", "m", "", "n", ""], ["case_id", "rank 1", "rank 2", "rank 1", "rank 2"]],
        [["", "m", "", "n", ""], ["case_id", "1st", "2nd", "1st", "2nd"]],
        [["", "m", "", "n", ""], ["case_id", "Primero", "Segundo", "Primero", "Segundo"]],
        [["", "m", "", "n", ""], ["case_id", *(["1st choice", "2nd choice"] * 2)]],
    ],
)
def test_models_over_their_ranks_are_a_header(tmp_path, served, header):
    rows = [
        [case, text[3:], "Influenza", "Sarcoidosis", "Influenza"]
        for case, text in ANSWER_OF.items()
    ]
    book = openpyxl.Workbook()
    for row in [*header, *rows]:
        book.active.append(row)
    book.save(tmp_path / "a.xlsx")
    report = import_run(tmp_path / "a.xlsx", Run("m", "p", "t"), tmp_path / "runs", served)
    assert (report.n_answers, report.notes) == (
        len(rows),
        ["a.xlsx: 2 columns are of other models ('n')."],
    )


def of_helm(case, answer):
    references = [{"output": {"text": GOLD[int(case[-1]) - 1]}, "tags": ["correct"]}]
    return {
        "instance": {"input": {"text": "A case."}, "references": references, "id": case},
        "request": {"model": "m", "prompt": "1. Fever\n2. Cough", "id": f"call {case}"},
        "result": {"success": True, "completions": [{"text": answer, "logprob": 0}]},
    }


def of_promptfoo(case, answer):
    return {
        "id": f"0f3c-{case}",
        "provider": {"id": "openai:m"},
        "vars": {"case_id": case, "case": "A case.", "gold": GOLD[int(case[-1]) - 1]},
        "response": {"output": answer, "tokenUsage": {"total": 9}},
        "success": True,
        "score": 1,
    }


def of_lm_eval(case, answer):
    doc = {"question": "1. Fever\n2. Cough", "id": case}
    gold = GOLD[int(case[-1]) - 1]
    return {
        "doc_id": 9,
        "doc": doc,
        "target": gold,
        "resps": [[answer]],
        "filtered_resps": [answer],
    }


@pytest.mark.parametrize("wrapped", [of_helm, of_promptfoo, of_lm_eval])
@pytest.mark.parametrize("cases", [(4, 2, 1, 3), (3, 1)])
def test_ids_and_golds_inside_objects_say_the_case(tmp_path, served, wrapped, cases):
    rows = [wrapped(f"t/000{n}", f"1. {GOLD[n - 1]}\n2. Flu") for n in cases]
    file = as_lines(tmp_path / "a", rows)
    report = import_run(file, RUN, tmp_path / "runs", served)
    same = f"{len(cases)} of {len(cases)} gold diagnoses agree"
    assert report.matched_by == f"case or record id ({same})"
    for row in stored(tmp_path / "runs"):
        names = parse_differential(row["answer_text"], "numbered_list").diagnoses
        assert [name.diagnosis for name in names] == [GOLD[int(row["case_id"][-1]) - 1], "Flu"]
    assert stored(tmp_path / "runs", "labels") == []  # an assertion passed, which is no rank


def test_a_column_inside_objects_can_be_named(tmp_path, served):
    rows = [
        {"meta": {"ref": f"t/000{n}"}, "said": [{"words": f"1. {GOLD[n - 1]}"}]} for n in (2, 1)
    ]
    columns = {"case": "meta.ref", "answer": "said.words"}
    report = import_run(
        as_lines(tmp_path / "a", rows), RUN, tmp_path / "runs", served, columns=columns
    )
    assert report.matched_by.startswith("case or record id")
    assert [row["answer_text"] for row in stored(tmp_path / "runs")] == [
        *("1. Gout", "1. Measles / Rubeola")
    ]


def test_a_score_beside_an_assertion_is_no_label_and_said_so(tmp_path, served):
    rows = [of_promptfoo(f"t/000{n}", "1. Flu\n2. Gout") for n in (1, 2, 3, 4)]
    report = import_run(as_lines(tmp_path / "a", rows), RUN, tmp_path / "runs", served)
    assert report.n_labels == 0
    assert any("an assertion passed" in note for note in report.notes)


def test_the_list_of_rows_is_found_deeper_in_a_document(tmp_path, served):
    rows = [of_promptfoo(f"t/000{n}", "1. Flu\n2. Gout") for n in (2, 1, 4, 3)]
    inner = {"version": 3, "prompts": [{"raw": "{{case}}"}], "results": rows, "stats": {"n": 4}}
    document = {"evalId": "e", "results": inner, "config": {"description": "x"}}
    (tmp_path / "a.json").write_text(json.dumps(document))
    assert import_run(tmp_path / "a.json", RUN, tmp_path / "runs", served).n_answers == 4


def test_lists_beside_one_answer_are_no_rows(tmp_path, served):
    row = {"case_id": "t/0001", "answer": "1. Gout", "trace": {"items": [{"id": 1}, {"id": 2}]}}
    (tmp_path / "a.json").write_text(json.dumps(row))
    import_run(tmp_path / "a.json", RUN, tmp_path / "runs", served)
    assert [row["answer_text"] for row in stored(tmp_path / "runs")] == ["1. Gout"]


def test_what_was_asked_is_never_the_answer(tmp_path, served):
    rows = [
        {"doc_id": n, "doc": {"question": "1. Fever"}, "target": name}
        for n, name in enumerate(GOLD)
    ]
    with pytest.raises(FileError, match="no column for the answer"):
        import_run(as_lines(tmp_path / "a", rows), RUN, tmp_path / "runs", served)
    rows = [{**row, "resps": [["1. Flu\n2. Gout"]]} for row in rows]
    report = import_run(as_lines(tmp_path / "b", rows), RUN, tmp_path / "runs", served)
    assert report.matched_by == "position, counted from 0 (4 of 4 gold diagnoses agree)"
    assert {row["answer_text"] for row in stored(tmp_path / "runs")} == {'[["1. Flu\\n2. Gout"]]'}


def test_columns_of_predictions_are_ranks_and_0_is_refused(tmp_path, served):
    rows = [[n, name, "Flu"] for n, name in enumerate(GOLD, 1)]
    file = write_csv(tmp_path / "a.csv", ["case_id", "pred_0", "pred_1"], rows)
    with pytest.raises(FileError, match="name them from 1 on \\('pred_1', …\\)"):
        import_run(file, RUN, tmp_path / "runs", served)
    file = write_csv(tmp_path / "b.csv", ["case_id", "pred_1", "pred_2"], rows)
    import_run(file, RUN, tmp_path / "runs", served)
    assert [
        [item["diagnosis"] for item in row["diagnoses"]] for row in stored(tmp_path / "runs")
    ] == [[name, "Flu"] for name in GOLD]


@pytest.mark.parametrize(
    ("header", "weights"),
    [
        (("case_id", "diagnosis", "probability"), ("0.2", "0.5", "0.3")),
        (("case_id", "prediction", "Confidence"), ("20 %", "50 %", "30 %")),
        (("caso", "diagnóstico", "probabilidad"), ("0,2", "0,5", "0,3")),
        (("case_id", "diagnosis", "score"), (".2", "5e-1", "0.3")),
        (("case_id", "diagnosis", "probability"), ("5%", "0.6", "30 %")),
    ],
)
def test_rows_of_a_diagnosis_each_are_ranked_by_their_weight(header, weights, served, tmp_path):
    rows = [
        (number, name, weight)
        for number, gold in enumerate(GOLD, 1)
        for name, weight in zip(("Flu", gold, "Lupus"), weights, strict=True)
    ]
    file = write_csv(tmp_path / "run.csv", header, [*rows, (1, "Mumps", "high")])
    report = import_run(file, RUN, tmp_path / "runs", served)
    assert "ranked by" in " ".join(report.notes)
    assert [reject.rule for reject in report.rejects] == ["probability_unusable"]
    answers = stored(tmp_path / "runs")
    ranked = [[item["diagnosis"] for item in answer["diagnoses"]] for answer in answers]
    assert ranked == [[gold, "Lupus", "Flu"] for gold in GOLD]


@pytest.mark.parametrize("header", ["neg_log_likelihood", "Perplexity", "distance", "NLL score"])
def test_the_greatest_loss_is_not_ranked_first(header, served, tmp_path):
    rows = [(number, name, 0.5) for number in range(1, 5) for name in ("Flu", "Lupus")]
    file = write_csv(tmp_path / "run.csv", ("case_id", "diagnosis", header), rows)
    with pytest.raises(FileError, match="small for a likely diagnosis"):
        import_run(file, RUN, tmp_path / "runs", served, columns={"probability": header})


def test_answers_with_a_confidence_each_are_no_rows_of_a_list(served, tmp_path):
    rows = [(1, "1. Gout\n2. Flu", "0.5"), (1, "1. Flu\n2. Gout", "0.9")]
    rows += [(number, "1. Flu\n2. Gout", "0.9") for number in (2, 3, 4)]
    file = write_csv(tmp_path / "run.csv", ("case_id", "answer", "confidence"), rows)
    report = import_run(file, RUN, tmp_path / "runs", served)
    assert report.n_answers == 4
    assert [reject.rule for reject in report.rejects] == ["case_twice"]


def test_columns_of_ranks_have_headings_of_other_languages(tmp_path, served):
    header = ["Código do caso", "Hipótese 1", "Hipótese 2", "Hipótese 3"]
    names = ["Gout", "Flu", "Asthma"]
    rows = [[f"t/{n:04}", *names[n:], *names[:n]] for n in (1, 2, 3)]
    import_run(write_csv(tmp_path / "a.csv", header, rows), RUN, tmp_path / "runs", served)
    answers = store.read(tmp_path / "runs", "answers").to_pylist()
    listed = [[item["diagnosis"] for item in answer["diagnoses"]] for answer in answers]
    assert listed == [names for _, *names in rows]
