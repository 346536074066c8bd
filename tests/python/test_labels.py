"""People's labels: what is read from which file, what is refused row by row, and twice is once."""

import json

import openpyxl
import pytest
from click.testing import CliRunner
from written import as_csv, as_excel, as_lines, as_parquet, recorded

from python_llm.console.cli import main
from python_llm.errors import FileError
from python_llm.labels import store
from python_llm.labels.importing import Source, forget, import_labels
from python_llm.runs import store as runs_store
from python_llm.test_sets import store as cases_store

LONG = [
    {"case_id": "t/0001", "diagnosis": "Gout", "rater": "anna", "relation": "exact synonym"},
    {"case_id": "t/0001", "diagnosis": "Flu", "rater": "anna", "relation": '"Not Related".'},
    {"case_id": "t/0001", "diagnosis": "Gout", "rater": "ben", "relation": "Sinónimo exacto"},
    {"case_id": "t/0001", "diagnosis": "Flu", "rater": "ben", "relation": "unrelated"},
]


def said(folder):
    """(judge, diagnosis or rank, scale, label) of everything stored."""
    return {
        (row["judge_id"], row["diagnosis"] or row["diagnosis_rank"], row["scale"], row["label"])
        for row in store.read(folder, "labels").to_pylist()
    }


def files(folder):
    return {file: file.read_bytes() for file in folder.rglob("*.parquet")}


def bring(tmp_path, rows, source=None, **options):
    """Import rows as CSV into tmp_path."""
    return import_labels(
        as_csv(tmp_path / "labels", rows) if isinstance(rows, list) else rows,
        source or Source("panel"),
        tmp_path / "store",
        runs_dir=tmp_path / "runs",
        cases_dir=tmp_path / "cases",
        **options,
    )


EXPECTED = {
    (f"panel/{rater}", diagnosis, "semantic", label)
    for rater in ("anna", "ben")
    for diagnosis, label in (("Gout", "Exact Synonym"), ("Flu", "Not Related"))
}


@pytest.mark.parametrize("write", [as_csv, as_lines, as_parquet, as_excel])
def test_every_kind_of_file_gives_the_same_and_twice_is_once(tmp_path, write):
    file, folder = write(tmp_path / "labels", LONG), tmp_path / "store"
    report = import_labels(file, Source("panel"), folder)
    assert (report.n_new, report.n_unchanged, report.rejects) == (4, 0, [])
    assert report.judges == ["panel/anna", "panel/ben"]
    assert said(folder) == EXPECTED
    before = files(folder)
    again = import_labels(file, Source("panel"), folder)
    assert (again.n_new, again.n_unchanged) == (0, 4)
    assert files(folder) == before


@pytest.mark.parametrize(
    ("header", "raters"),
    [
        (("anna_relation", "ben_relation"), ()),
        (("anna", "ben"), ("anna", "ben")),
        (("Rater 1", "Rater 2"), ()),
    ],
)
def test_a_column_for_each_rater(tmp_path, header, raters):
    wide = [
        {"case": "t/0001", "Diagnosis": "Gout", header[0]: "synonym", header[1]: "EXACT SYNONYM"},
        {"case": "t/0001", "Diagnosis": "Flu", header[0]: "Not related", header[1]: "none"},
    ]
    bring(tmp_path, wide, raters=raters)
    found = {
        (judge.replace("Rater_1", "anna").replace("Rater_2", "ben"), *rest)
        for judge, *rest in said(tmp_path / "store")
    }
    assert found == EXPECTED


def test_relations_and_severities_of_wide_and_long_files(tmp_path):
    row = {"case": "1", "diagnosis": "Gout", "a_relation": "Broad Synonym", "a_severity": "leve"}
    bring(tmp_path, [row], Source("wide", test_set="t"))
    long = {"case": "1", "diagnosis": "Gout", "severity": "Rare", "semantic_relation": ""}
    bring(tmp_path, [long], Source("long", test_set="t"), raters=("dr. who",))
    assert said(tmp_path / "store") == {
        ("wide/a", "Gout", "semantic", "Broad Synonym"),
        ("wide/a", "Gout", "severity", "mild"),
        ("long/dr._who", "Gout", "severity", "rare"),
    }


def test_unreadable_rows_are_listed_by_line_and_the_rest_kept(tmp_path):
    rows = [
        {"case_id": "t/1", "diagnosis": "Gout", "rater": "a", "relation": "Cousin"},
        {"case_id": "", "diagnosis": "Gout", "rater": "a", "relation": "Exact Synonym"},
        {"case_id": "t/1", "diagnosis": "Flu", "rater": "a", "relation": "Exact Synonym"},
        {"case_id": "t/1", "diagnosis": "FLU", "rater": "a", "relation": "Not Related"},
        {"case_id": "t/1", "diagnosis": "", "rater": "a", "relation": "Not Related"},
        {"case_id": "t/1", "diagnosis": "Mumps", "rater": "a", "relation": ""},
    ]
    report = bring(tmp_path, rows)
    assert said(tmp_path / "store") == {("panel/a", "Flu", "semantic", "Exact Synonym")}
    listed = [(one["source_line"], one["field"]) for one in report.rejects]
    assert listed == [(2, "semantic"), (3, "case"), (5, "semantic"), (6, "rank")]
    assert "'Cousin' is not a label: use one of Exact Synonym, " in report.rejects[0]["reason"]
    assert "where line 4 says 'Exact Synonym'" in report.rejects[2]["reason"]
    kept = store.read(tmp_path / "store", "rejects").to_pylist()
    assert [one["reason"] for one in kept] == [one["reason"] for one in report.rejects]


def test_a_file_replaces_only_its_own_rejects(tmp_path):
    unread = [LONG[0], {**LONG[0], "diagnosis": "Flu", "relation": "Cousin"}]
    for name in ("one", "two", "one"):
        import_labels(as_csv(tmp_path / name, unread), Source("panel"), tmp_path / "store")
    kept = store.read(tmp_path / "store", "rejects").to_pylist()
    assert [(one["source_file"], one["reject_number"]) for one in kept] == [
        ("two.csv", 1),
        ("one.csv", 2),
    ]


def test_labels_of_another_program_are_not_a_persons(tmp_path):
    bring(tmp_path, LONG, Source("people"))
    bring(tmp_path, LONG, Source("program", kind="recorded"))
    rows = store.read(tmp_path / "store", "labels").to_pylist()
    assert {(row["panel"], row["kind"]) for row in rows} == {
        ("people", "person"),
        ("program", "recorded"),
    }


def test_grades_of_another_scale_are_told_what_they_mean(tmp_path):
    rows = [
        {"case_id": "t/1", "diagnosis": "Gout", "grade": "4", "severity": "1"},
        {"case_id": "t/1", "diagnosis": "Flu", "grade": "0.0", "severity": "5"},
    ]
    with pytest.raises(FileError, match=r"lowest is the best: --label '0=Exact Synonym'") as said_:
        bring(tmp_path, rows)
    assert "mildest: --label '1=mild'" in str(said_.value)
    assert not (tmp_path / "store").exists()
    # a number may mean a relation and a severity
    meanings = [("4", "Exact Synonym"), ("0", "not related"), ("1", "mild"), ("5", "rare")]
    bring(tmp_path, rows, meanings=meanings)
    assert said(tmp_path / "store") == {
        *(("panel", "Gout", *one) for one in (("semantic", "Exact Synonym"), ("severity", "mild"))),
        *(("panel", "Flu", *one) for one in (("semantic", "Not Related"), ("severity", "rare"))),
    }
    with pytest.raises(FileError, match="'Twin' is not a label"):
        bring(tmp_path, rows, meanings=[("5", "Twin")])
    six = [{"case_id": "t/1", "diagnosis": str(n), "grade": str(n)} for n in range(6)]
    with pytest.raises(FileError, match="--label 'WRITTEN=Exact Synonym'"):
        bring(tmp_path, six)


@pytest.mark.parametrize(
    "written",
    [
        *(
            "2 - Broad synonym",
            "Broad Synonym (2)",
            "BROAD_SYNONYM",
            "BroadSynonym",
            "broad_synonym",
        ),
        *('"Broad Synonym".', "2. Sinónimo amplio", "  broad   synonyms "),
    ],
)
def test_a_label_may_be_numbered_or_run_together(tmp_path, written):
    bring(tmp_path, [{"case_id": "t/1", "diagnosis": "Gout", "relation": written}])
    assert {label for *_, label in said(tmp_path / "store")} == {"Broad Synonym"}


def test_another_label_changes_nothing_without_replace(tmp_path):
    bring(tmp_path, LONG)
    before = files(tmp_path / "store")
    changed = [{**LONG[0], "relation": "Broad Synonym"}, {**LONG[0], "diagnosis": "Measles"}]
    with pytest.raises(FileError, match=r"labels\.csv, line 2: panel/anna said 'Exact Synonym'"):
        bring(tmp_path, changed)
    assert files(tmp_path / "store") == before
    report = bring(tmp_path, changed, replace=True)
    assert report.n_new == 2
    assert ("panel/anna", "Gout", "semantic", "Broad Synonym") in said(tmp_path / "store")


def test_ranks_are_of_the_list_of_a_configuration(tmp_path):
    rows = [{"case": "t/1", "rank": "2", "relation": "Exact Synonym"}]
    with pytest.raises(FileError, match="whose list they are of: add --configuration"):
        bring(tmp_path, rows)
    recorded(tmp_path, "m/p/t")
    bring(tmp_path, rows, Source("panel", configuration="m/p/t"))
    (label,) = store.read(tmp_path / "store", "labels").to_pylist()
    assert (label["configuration_id"], label["test_set"]) == ("m/p/t", "t")
    assert said(tmp_path / "store") == {("panel", 2, "semantic", "Exact Synonym")}


@pytest.mark.parametrize(
    ("rows", "options", "message"),
    [
        ([{"who": "x", "relation": "None"}], {}, "no column that says which case"),
        ([{"case": "x", "relation": "None"}], {}, "no column for the diagnosis"),
        ([{"case": "x", "diagnosis": "y"}], {}, "has no labels .found 'case', 'diagnosis'"),
        (LONG, {"raters": ("x", "y")}, "neither it nor x is a column"),
        (LONG, {"columns": {"case": "nothing"}}, "there is no such column"),
        (LONG, {"columns": {"colour": "rater"}}, "--column colour=…: use one of case, gold"),
        (LONG, {"source": Source("x", test_set="t", makes_test_set=True)}, "for the gold"),
    ],
)
def test_a_file_that_does_not_say_enough_is_refused(tmp_path, rows, options, message):
    with pytest.raises(FileError, match=message):
        bring(tmp_path, rows, **options)
    assert not (tmp_path / "store").exists()


@pytest.mark.parametrize("name", ["terminology", "judges", "a/b"])
def test_a_panel_has_a_name_of_its_own(name):
    with pytest.raises(FileError, match="--judge"):
        Source(name)


PAIRS = [
    {"gold": "Gout", "diagnosis": name, "rater": rater, "label": label, "severity": "mild"}
    for rater in ("a", "b")
    for name, label in [
        ("Gout", "Exact Synonym"),
        ("Gouty arthritis", "Broad Synonym"),
        *((f"Arthritis {number}", "Exact Disease Group") for number in range(1, 6)),
    ]
] + [{"gold": "Addison's disease", "diagnosis": "Flu", "rater": "a", "label": "None"}]
for row in PAIRS:
    row.setdefault("severity", "")


def lists(tmp_path, name="panel"):
    answers = runs_store.read(tmp_path / "runs", "answers").to_pylist()
    assert {answer["configuration_id"] for answer in answers} == {f"judged_lists/recorded/{name}"}
    return {
        answer["case_ref"]: [item["diagnosis"] for item in answer["diagnoses"]]
        for answer in answers
    }


def test_pairs_without_cases_become_a_test_set_and_a_run(tmp_path):
    report = bring(tmp_path, PAIRS)
    assert (report.new_test_set, report.n_new_cases, report.n_new) == ("panel", 3, 29)
    assert lists(tmp_path) == {
        "1": ["Gout", "Gouty arthritis", "Arthritis 1", "Arthritis 2", "Arthritis 3"],
        "2": ["Arthritis 4", "Arthritis 5"],
        "3": ["Flu"],
    }
    cases = cases_store.read_records(tmp_path / "cases").to_pylist()
    assert [(case["record_number"], case["gold_names"]) for case in cases] == [
        (1, ["Gout"]),
        (2, ["Gout"]),
        (3, ["Addison's disease"]),
    ]
    stored = store.read(tmp_path / "store", "labels").to_pylist()
    places = {(row["case_ref"], row["diagnosis"]) for row in stored if row["rater"] == "b"}
    assert places == {(ref, name) for ref, names in lists(tmp_path).items() for name in names} - {
        ("3", "Flu")
    }

    before = files(tmp_path)
    again = bring(tmp_path, PAIRS)
    assert (again.n_new, again.n_new_cases) == (0, 0)
    assert files(tmp_path) == before


def test_more_pairs_of_a_known_set_go_on_where_it_ended(tmp_path):
    bring(tmp_path, PAIRS)
    more = [
        {"gold": "gout", "diagnosis": "GOUT", "rater": "c", "label": "Exact Synonym"},
        {"gold": "Gout", "diagnosis": "Pseudogout", "rater": "c", "label": "Exact Disease Group"},
        {"gold": "Mumps", "diagnosis": "Parotitis", "rater": "c", "label": "Broad Synonym"},
    ]
    report = bring(tmp_path, more)
    assert (report.n_new, report.n_new_cases) == (3, 1)
    assert lists(tmp_path)["2"] == ["Arthritis 4", "Arthritis 5", "Pseudogout"]
    assert lists(tmp_path)["4"] == ["Parotitis"]
    numbers = cases_store.read_records(tmp_path / "cases").column("record_number").to_pylist()
    assert sorted(numbers) == [1, 2, 3, 4]


def test_lists_with_cases_of_another_project(tmp_path):
    rows = [
        {"case": "x", "gold": "Gout", "rank": str(rank), "diagnosis": f"D{rank}", "label": "None"}
        for rank in (2, 1, 7, 3, 4, 5, 6)
    ]
    source = Source("panel", test_set="theirs", makes_test_set=True)
    bring(tmp_path, rows, source)
    # as many as the case had: what is beyond the fifth is judged, and not scored
    assert lists(tmp_path, "theirs") == {"1": [f"D{rank}" for rank in range(1, 8)]}


def test_forgetting_a_panel_forgets_the_set_only_it_labelled(tmp_path):
    bring(tmp_path, PAIRS)
    bring(tmp_path, PAIRS, Source("other", test_set="panel"))
    places = (tmp_path / "store", "panel", tmp_path / "runs", tmp_path / "cases")
    assert forget(*places)
    assert lists(tmp_path)
    assert forget(places[0], "other", *places[2:])
    assert store.read(tmp_path / "store", "labels").num_rows == 0
    assert not files(tmp_path)
    assert not forget(*places)


def test_the_command_imports_lists_and_forgets(tmp_path, monkeypatch):
    for name in ("LABELS", "RUNS", "CASES", "SERVE"):
        monkeypatch.setenv(f"KERNEL29_{name}_DIR", str(tmp_path / name))
    file = as_csv(tmp_path / "l", [*LONG, {**LONG[0], "diagnosis": "Mumps", "relation": "Uncle"}])
    run = CliRunner()
    done = run.invoke(main, ["labels", "import", str(file), "--judge", "p"])
    assert done.exit_code == 0, done.output
    assert "p/anna, p/ben: 4 new labels, 0 stored before, 1 rejected." in done.output
    assert "1 rejected, semantic: 'Uncle' is not a label" in done.output
    assert "[l.csv, line 6]" in done.output
    listed = run.invoke(main, ["labels", "list"]).output
    assert listed == "p/anna  -  semantic: 2 labels\np/ben  -  semantic: 2 labels\n"
    assert "line 6, semantic: 'Uncle'" in run.invoke(main, ["labels", "list", "--rejects"]).output
    assert run.invoke(main, ["labels", "forget", "p"]).exit_code == 0
    assert run.invoke(main, ["labels", "list"]).output == ""
    assert "no labels of 'p'" in run.invoke(main, ["labels", "forget", "p"]).output


GIVEN = [
    *(("m1", "p1", "Gout", 1, "Gout", "exact synonym", "mild"),),
    *(("m1", "p1", "Gout", 2, "Flu", "Broad Category", "severe"),),
    *(("m2 large", "p1", "Gout", 1, "Flu", "NR", "Leve"),),
    *(("m2 large", "p2", "Rickets", 1, "Osteomalacia", "Exact Disease Category", "rara"),),
]


def test_judged_lists_are_a_run_for_each_model(tmp_path):
    header = ("model", "patient_id", "golden diagnosis", "rank", "predicted_dx")
    header = (*header, "similarity category", "Predicted severity")
    rows = [dict(zip(header, given, strict=True)) for given in GIVEN]
    report = bring(tmp_path, rows)
    assert (report.rejects, report.n_new_cases) == ([], 2)
    stored = store.read(tmp_path / "store", "labels").to_pylist()
    assert {
        (row["configuration_id"], row["case_ref"], row["diagnosis"], row["label"])
        for row in stored
        if row["scale"] == "semantic"
    } == {
        ("m1/recorded/panel", "1", "Gout", "Exact Synonym"),
        ("m1/recorded/panel", "1", "Flu", "Broad Disease Group"),
        ("m2_large/recorded/panel", "1", "Flu", "Not Related"),
        ("m2_large/recorded/panel", "2", "Osteomalacia", "Exact Disease Group"),
    }
    assert {row["label"] for row in stored if row["scale"] == "severity"} == {
        *("mild", "severe", "rare"),
    }
    answers = runs_store.read(tmp_path / "runs", "answers").to_pylist()
    assert sorted((row["model_alias"], row["case_ref"]) for row in answers) == [
        *(("m1", "1"), ("m2_large", "1"), ("m2_large", "2")),
    ]
    assert bring(tmp_path, rows).n_new == 0
    assert forget(tmp_path / "store", "panel", tmp_path / "runs", tmp_path / "cases")
    assert not runs_store.read(tmp_path / "runs", "answers").num_rows


def test_objects_in_a_row_and_columns_for_each_rank_are_lists(tmp_path):
    said_of = [("Gout", "Exact synonym"), ("Flu", "Not related")]
    nested = [
        {
            "id": "x",
            "gold": "Gout",
            "differential": [{"diagnosis": name, "relationship": said} for name, said in said_of],
        },
        {"id": "y", "gold": "Rickets", "differential": []},
    ]
    file = tmp_path / "nested.json"
    file.write_text(json.dumps(nested), encoding="utf-8")
    places = {"runs_dir": tmp_path / "runs", "cases_dir": tmp_path / "cases"}
    import_labels(file, Source("nested"), tmp_path / "store", **places)
    wide = {"Paciente": "x", "Dx oro": "Gout"}
    for rank, (name, label) in enumerate(said_of, 1):
        wide |= {f"dx{rank}": name, f"dx{rank}_relation": label}
    bring(tmp_path, [wide | {"dx3": "", "dx3_relation": ""}], Source("wide"))
    for panel in ("nested", "wide"):
        assert {one[1:] for one in said(tmp_path / "store") if one[0] == panel} == {
            ("Gout", "semantic", "Exact Synonym"),
            ("Flu", "semantic", "Not Related"),
        }


def test_a_sheet_as_clinicians_keep_it(tmp_path):
    book = openpyxl.Workbook()
    book.active.append(["Please read me first"])
    sheet = book.create_sheet("Grading")
    sheet.append(["Valoración, primera ronda"])
    sheet.append([])
    sheet.append(["Nº caso", "Diagnóstico real", "Dx propuesto", "Orden", "Comentario"])
    for column, text in (("F3", "Puntuación Dra. Ruiz"), ("G3", "Puntuación Dr. Gómez")):
        sheet[column] = text
    sheet.append([1, "Gota", "Gota", 1, "claro", "Sinónimo exacto", "Sinónimo amplio"])
    book.save(tmp_path / "r.xlsx")
    report = import_labels(
        *(tmp_path / "r.xlsx", Source("clinic"), tmp_path / "store"),
        **{"runs_dir": tmp_path / "runs", "cases_dir": tmp_path / "cases"},
    )
    assert report.rejects == []
    assert said(tmp_path / "store") == {
        ("clinic/dra_ruiz", "Gota", "semantic", "Exact Synonym"),
        ("clinic/dr_gomez", "Gota", "semantic", "Broad Synonym"),
    }


def test_an_ambiguous_diagnosis_column_is_not_guessed(tmp_path):
    row = {"case_id": "t/1", "dx modelo": "Gout", "dx candidato": "Flu", "label": "same"}
    with pytest.raises(FileError, match="'dx modelo' and 'dx candidato' could both be"):
        bring(tmp_path, [row])
    assert bring(tmp_path, [row], columns={"diagnosis": "dx modelo"}).n_new == 1


def test_a_row_with_a_field_too_many_leaves_the_others(tmp_path):
    file = tmp_path / "grades.csv"
    file.write_text(
        "case_id,diagnosis,rater,relation\nt/1,Flu,a,Exact Synonym\nt/2,Flu,mild,a,Not Related\n"
        "t/3,Flu,a,Not Related\n"
    )
    report = bring(tmp_path, file)
    assert report.n_new == 2
    assert [(one["source_line"], one["field"]) for one in report.rejects] == [(3, "record")]
