"""Experiments from Python before any build: the file that is written, and what is refused."""

import os

import pandas as pd
import pytest

import kernel29
from kernel29 import experiments
from python_llm.experiments.file import read
from python_llm.test_sets import store

CASES = pd.DataFrame(
    {"id": [7, 8], "text": ["A note,\r\nlong. ", "Ünother"], "diagnosis": ["Gout", "Lupus"]}
)
MINE = {"name": "mine", "api_model": "m", "address": "http://localhost:1/v1"}
BRIEF = {"name": "brief", "text": "Name five.\n\n{case}"}


@pytest.fixture
def folder(tmp_path, monkeypatch):
    for name in ("EXPERIMENTS", "CASES", "SERVE"):
        monkeypatch.setenv(f"KERNEL29_{name}_DIR", str(tmp_path / name.lower()))
    monkeypatch.setattr(experiments, "_planned", lambda _: [])
    return tmp_path / "experiments"


def test_a_table_becomes_a_test_set_with_its_texts_as_they_are(folder):
    kernel29.plan(CASES, [MINE], [BRIEF], real_patients=False, sample=1, seed=3, repeats=2)
    experiment = read(folder / "notebook.yml")
    assert experiment.test_sets == ["notebook_cases"]
    assert experiment.models == ["mine", "mine-r2"]
    assert experiment.prompts == ["brief"]
    assert (experiment.written.sample.cases, experiment.written.sample.seed) == (1, 3)
    records = store.records_of("notebook_cases")
    assert records.column("narrative").to_pylist() == CASES["text"].tolist()
    assert records.column("record_id").to_pylist() == ["7", "8"]


def test_the_table_of_patients_is_its_owners_alone(folder):
    before = os.umask(0)
    try:
        kernel29.plan(CASES, [MINE], [BRIEF])
        assert {file.stat().st_mode & 0o077 for file in folder.iterdir()} == {0}
    finally:
        os.umask(before)


def test_files_and_sets_are_named_from_where_one_is(folder, monkeypatch, tmp_path):
    (tmp_path / "notes.csv").write_text("text,diagnosis\nA note.,Gout\n")
    (tmp_path / "short.txt").write_text("{case}")
    monkeypatch.chdir(tmp_path)
    kernel29.plan(["notes.csv", "simulated_rare_200"], "local", "short.txt", name="two")
    experiment = read(folder / "two.yml")
    assert experiment.test_sets == ["notes", "simulated_rare_200"]
    assert experiment.own_prompts[0][1].user == "{case_narrative}"


def test_its_own_file_is_written_again_and_nobody_elses(folder):
    kernel29.plan("simulated_rare_200", "local", "dxgpt_json", name="mine")
    kernel29.plan("simulated_rare_200", "local", "dxgpt_standard", name="mine")
    assert read(folder / "mine.yml").prompts == ["dxgpt_standard"]
    by_hand = "cases: simulated_rare_200\nmodels: local\nprompts: dxgpt_json\n"
    (folder / "mine.yml").write_text(by_hand)
    with pytest.raises(kernel29.Error, match="was written by hand"):
        kernel29.plan("simulated_rare_200", "local", "dxgpt_standard", name="mine")
    assert (folder / "mine.yml").read_text() == by_hand


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"max_dollars": 2}, "no option 'max_dollars': judges"),
        ({"seed": 3}, "say how many cases it has"),
        ({"name": "a/b"}, "is no name of an experiment"),
        ({"cases": CASES.head(0)}, "has no rows"),
        ({"cases": CASES.drop(columns="diagnosis")}, "In an experiment: `columns: .gold: NAME.`"),
        ({"cases": CASES.drop(columns="text")}, "In an experiment: `columns: .text: NAME.`"),
        ({"models": ["gtp4o"]}, "there is no model 'gtp4o'. The nearest: gpt4o"),
        ({"prompts": [{"name": "x", "text": "no case"}]}, "shows no case"),
    ],
)
def test_what_cannot_be_done_is_one_error(folder, options, message):
    asked = {"cases": CASES, "models": [MINE], "prompts": ["dxgpt_json"], **options}
    with pytest.raises(kernel29.Error, match=message):
        kernel29.plan(**asked)


def test_tables_before_a_build_say_so(folder):
    with pytest.raises(kernel29.Error, match="run `kernel29 build` first"):
        kernel29.table("rpt_leaderboard")
