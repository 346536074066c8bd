"""The columns of a table that a prompt shows: kept by the import, and never the gold diagnosis."""

import json

import duckdb
import pytest

from python_llm.console.cases import how_read
from python_llm.console.filled_prompts import show_prompt
from python_llm.errors import UserError
from python_llm.experiments.lines import ExperimentError
from python_llm.job.admission import preflight
from python_llm.job.planning import experiment
from python_llm.prompting.templates import PromptError
from python_llm.test_sets import store
from python_llm.test_sets.importing import Choices, import_cases

TABLE = (
    "id,text,diagnosis,Age,Ward name,Other\n"
    'a,"A first note, long.",Gout,40 y,"North {case}",x\n'
    "b,A second note.,Lupus,,South,y\n"
)
FILE = """\
cases: notes.csv
real_patients: false
models: {name: mine, api_model: m, address: "http://localhost:1/v1"}
prompts: shown.txt
"""


@pytest.fixture
def folder(tmp_path, monkeypatch):
    for name in ("EXPERIMENTS", "CASES"):
        monkeypatch.setenv(f"KERNEL29_{name}_DIR", str(tmp_path / name.lower()))
    own = tmp_path / "experiments"
    own.mkdir()
    (own / "notes.csv").write_text(TABLE)
    (own / "shown.txt").write_text("{age}, {sex}, {column:Ward name}:\n{case}")
    (own / "mine.yml").write_text(FILE)
    return own


def test_only_the_columns_that_prompts_show_are_kept(folder):
    experiment.prepared(folder / "mine.yml")
    records = store.records_of("notes")
    kept = [json.loads(values) for values in records.column("row_values").to_pylist()]
    assert kept == [
        {"age": "40 y", "Ward name": "North {case}"},
        {"age": "", "Ward name": "South"},
    ]


def test_a_column_that_is_kept_is_not_called_unread(folder):
    _, imported = experiment.prepared(folder / "mine.yml")
    lines = [*how_read(imported["notes"])]
    assert "Kept for prompts that show them: Age, Ward name." in lines
    assert "Not read: Other." in lines


def test_a_shown_prompt_has_the_columns_of_its_case(folder):
    experiment.prepared(folder / "mine.yml")
    nowhere = folder / "kernel29.duckdb"
    first, second = (show_prompt("shown", f"notes/000{case}", nowhere, nowhere) for case in "12")
    assert first.endswith("## user\n40 y, , North {case}:\nA first note, long.")
    assert second.endswith("## user\n, , South:\nA second note.")


@pytest.fixture
def ward(folder):
    """A set imported with no prompt in mind, built, and a prompt that is registered."""
    experiment.prepared(folder / "mine.yml")
    table = folder.parent / "ward.csv"
    table.write_text("text,diagnosis,Age,Sex\nA note of the ward.,Gout,forty,f\n")
    import_cases(table, "table", "ward", store.cases_folder(), Choices(contains_phi=False))
    served = folder / "kernel29.duckdb"
    with duckdb.connect(str(served)) as database:
        database.execute(
            "create table dim_case as select 'ward/0001' as case_id, 'A note.' as narrative, "
            "'Gout' as gold_diagnosis, 40 as age_years, 'female' as sex"
        )
    return served


def test_age_and_sex_are_shown_as_they_are_sent(folder, ward):
    (folder / "shown.txt").write_text("{age}, {sex}: {case}")
    assert show_prompt("shown", "ward/0001", ward, ward).endswith("40, female: A note.")


def test_a_shown_prompt_has_no_hole(ward):
    with pytest.raises(PromptError, match=r"'Ward name', which ward/0001 does not have.*--keep"):
        show_prompt("shown", "ward/0001", ward, ward)


def test_a_prompt_that_shows_more_reads_the_table_again(folder):
    experiment.prepared(folder / "mine.yml")
    (folder / "shown.txt").write_text("{Other}: {case}")
    experiment.prepared(folder / "mine.yml")
    assert store.kept_columns("notes") == {"Other"}
    assert store.records_of("notes").num_rows == 2


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{case}\n\n{wrad}", "shown.txt, line 3: notes.csv has no column 'wrad'; it has id, text"),
        ("{case}, {Diagnosis}", "'Diagnosis' is the gold diagnosis, which no model may be shown"),
    ],
)
def test_a_column_that_cannot_be_shown_is_told(folder, text, message):
    (folder / "shown.txt").write_text(text)
    with pytest.raises(ExperimentError) as error:
        experiment.prepared(folder / "mine.yml")
    assert message in str(error.value)
    assert store.records_of("notes").num_rows == 0


def test_a_live_build_sends_no_prompt_with_a_hole(folder):
    (folder / "mine.yml").write_text(FILE.replace("notes.csv", "simulated_rare_200"))
    run = {"mode": "live", "models": "mine", "judges": "", "max_usd": 1}
    with pytest.raises(preflight.RunError, match="have no column 'Ward name'"):
        preflight.check_run(**run)
    (folder / "shown.txt").write_text("{age}, {sex}: {case}")
    preflight.check_run(**run)
    preflight.check_run(**{**run, "prompts": "shown"})


def test_a_case_among_the_solved_ones_is_told(folder):
    (folder / "shown.txt").write_text("{solved}\n{case}")
    prompt = "{name: shots, file: shown.txt, sections: {solved: {table: solved.csv}}}"
    (folder / "mine.yml").write_text(FILE.replace("prompts: shown.txt", f"prompts: {prompt}"))
    (folder / "solved.csv").write_text("text,diagnosis\nAnother note.,Gout\n")
    mine, _ = experiment.prepared(folder / "mine.yml")
    assert experiment.shown_answers(mine) == []
    (folder / "solved.csv").write_text("text,diagnosis\nA second note.,Lupus\n")
    mine, _ = experiment.prepared(folder / "mine.yml")
    (sentence,) = experiment.shown_answers(mine)
    assert "shots shows models the text of 1 of the cases" in sentence
    assert "notes/0002" in sentence


def test_a_real_patient_among_the_solved_ones_is_refused(folder, tmp_path):
    (folder / "shown.txt").write_text("{solved}\n{case}")
    prompt = "{name: shots, file: shown.txt, sections: {solved: {table: solved.csv}}}"
    (folder / "mine.yml").write_text(FILE.replace("prompts: shown.txt", f"prompts: {prompt}"))
    (folder / "solved.csv").write_text("text,diagnosis\nA note of the ward.,Gout\n")
    mine, _ = experiment.prepared(folder / "mine.yml")
    experiment.check_callable(mine)
    ward = tmp_path / "ward.csv"
    ward.write_text("id,text,diagnosis\nw,A note of the ward.,Gout\n")
    import_cases(ward, "table", "ward", store.cases_folder(), Choices(contains_phi=True))
    with pytest.raises(UserError, match="a table in shots has the text of one"):
        experiment.check_callable(mine)


def test_a_folder_of_patients_is_a_test_set(folder):
    (folder / "ward").mkdir()
    for number, text in enumerate(("A first note.", "A second note."), 1):
        patient = {"text": text, "diagnosis": "Gout", "ward": f"W{number}"}
        (folder / "ward" / f"patient_{number}.json").write_text(json.dumps(patient))
    (folder / "shown.txt").write_text("{ward}: {case}")
    (folder / "mine.yml").write_text(FILE.replace("notes.csv", "ward"))
    mine, imported = experiment.prepared(folder / "mine.yml")
    assert mine.test_sets == ["ward"]
    assert imported["ward"].n_records == 2
    kept = store.records_of("ward").column("row_values").to_pylist()
    assert [json.loads(values) for values in kept] == [{"ward": "W1"}, {"ward": "W2"}]
