"""The plan of a run as it is printed."""

from types import SimpleNamespace

import pyarrow as pa
import pytest

from python_llm.engine import Settings
from python_llm.job import build as job
from python_llm.job import run as job_run
from python_llm.job.admission.preflight import RunError
from python_llm.job.build import plan
from python_llm.job.planning.plan import announce, format_plan

MODEL = {
    "role": "model",
    "name": "gpt4o",
    "task": "generation",
    "n_cells": 200,
    "n_answered": 150,
    "n_requests": 50,
    "input_tokens": 41_000,
    "output_tokens": 75_000,
    "expected_usd": 0.25,
    "worst_case_usd": 0.8525,
    "minutes": 1.5,
    "access_state": "callable",
}
JUDGE = {
    **MODEL,
    "role": "judge",
    "name": "a_judge",
    "task": "semantic judge",
    "n_answered": 0,
    "n_requests": 600,
    "expected_usd": 3.0,
    "worst_case_usd": 9.0,
    "minutes": 10.0,
}


def test_models_come_first_and_everything_is_summed():
    lines = format_plan([JUDGE, MODEL], cap=10).splitlines()
    assert lines[2].split() == [
        "gpt4o",
        "200",
        "150",
        "50",
        "41,000",
        "75,000",
        "$0.25",
        "$0.85",
        "1:30",
    ]
    assert lines[3].split()[:3] == ["a_judge,", "semantic", "judge"]
    assert lines[4].split()[:6] == ["total", "400", "150", "650", "82,000", "150,000"]
    assert lines[4].split()[6:] == ["$3.25", "$9.85", "11:30"]
    assert "Judges: an upper bound" in lines[6]
    assert lines[-1] == "The worst case is within the cap of $10.00 (max_usd)."
    assert max(map(len, lines[:5])) <= 100


def test_a_time_that_is_not_known_is_called_so():
    asked, done = {**MODEL, "minutes": None}, {**MODEL, "n_requests": 0, "minutes": None}
    text = format_plan([asked], cap=10)
    assert [line.split()[-1] for line in text.splitlines()[2:4]] == ["unknown", "unknown"]
    assert "\nunknown: a model without known limits" in text
    text = format_plan([done], cap=10)
    assert [line.split()[-1] for line in text.splitlines()[2:4]] == ["0:00", "0:00"]
    assert "unknown" not in text


def test_numbers_of_any_length_stand_apart():
    large = {**MODEL, "input_tokens": 53_425_620, "output_tokens": 173_200_000}
    lines = format_plan([MODEL, large], cap=10).splitlines()
    assert "53,466,620 173,275,000" in lines[4]
    assert len({*map(len, lines[1:5])}) == 1


def test_texts_that_are_sent_once_are_explained():
    assert "cells with the same text share one request" in format_plan(
        [{**MODEL, "n_requests": 45}], cap=10
    )
    assert "share one request" not in format_plan([MODEL, {**JUDGE, "n_requests": 0}], cap=10)


def test_what_the_cap_will_stop_is_said():
    text = format_plan([MODEL], cap=0.5)
    assert "The worst case is above the cap of $0.50 (max_usd)." in text
    assert "So is what is expected" not in text
    assert "So is what is expected: raise the cap" in format_plan([MODEL], cap=0.2)
    assert "blocked_by_budget" in text
    assert "Judges" not in text


def test_a_model_without_a_price_says_so_instead_of_dollars():
    unpriced = {**MODEL, "expected_usd": None, "worst_case_usd": None, "minutes": None}
    unpriced["access_state"] = "no price"
    line = format_plan([unpriced, {**MODEL, "name": "other"}], cap=1).splitlines()[2]
    assert line.split()[-2:] == ["no", "price"]
    assert line.count("no price") == 1
    total = format_plan([unpriced, {**MODEL, "name": "other"}], cap=1)
    assert f"Not called, and not in the dollars: {MODEL['name']} (no price)." in total


def test_a_model_that_cannot_be_called_has_its_dollars_and_why():
    line = format_plan([{**MODEL, "access_state": "no key"}], cap=1).splitlines()[2]
    assert line.endswith("$0.85   1:30  no key")


def test_a_retired_model_is_not_in_the_sums():
    """A provider that no longer serves a model is paid nothing for it."""
    retired = {**MODEL, "name": "old", "access_state": "retired", "worst_case_usd": 400.0}
    text = format_plan([MODEL, {**retired, "minutes": 500.0}], cap=1)
    (total,) = (line for line in text.splitlines() if line.startswith("total"))
    assert total.split()[1:4] == ["200", "150", "50"]
    assert total.split()[6:] == ["$0.25", "$0.85", "1:30"]
    assert "Not called, and not in the dollars: old (retired)." in text
    assert "The worst case is within the cap of $1.00" in text


def test_nothing_to_do_is_one_sentence():
    assert format_plan([], cap=1) == (
        "Plan: nothing to send; no configuration has what was chosen. Cases of real patients are "
        "planned for models with phi_approved alone (docs/operations.md#security), and cases that "
        "were forgotten for none."
    )


@pytest.mark.parametrize(("models", "is_told"), [("", False), ("gpt4o", True)])
def test_questions_alone_have_no_plan_of_cases(monkeypatch, capsys, models, is_told):
    """Questions are planned by their own command, which has just printed what it sends."""
    for name, value in {"models": models, "questions": "gpt4o"}.items():
        monkeypatch.setitem(job_run.VARIABLES, name, value)
    monkeypatch.setattr("python_llm.job.planning.plan._shown", set())  # other tests have shown it
    announce(pa.table({"role": pa.array([], pa.string())}), Settings(mode="live"))
    printed = capsys.readouterr()
    assert ("nothing to send" in printed.out + printed.err) is is_told


def test_a_plan_outside_the_grid_names_the_row_to_add():
    run = dict.fromkeys(("mode", "judges", "limit", "questions"), "")
    run |= {"models": "gpt4o", "prompts": "dxgpt_rare", "test_sets": "hybrid_pediatric"}
    with pytest.raises(RunError, match="add the row gpt4o,dxgpt_rare,hybrid_pediatric"):
        plan({**run, "judge_runs": "live", "max_usd": "1", "execution": "direct"})


def test_what_a_plan_builds_is_said_before_it_is_built(tmp_path, monkeypatch, capsys):
    """How much it is, and that nothing is sent; nothing is said where nothing is due."""
    nodes = {"seed.kernel29.a", "model.kernel29.b", "model.kernel29.c"}

    def building(built, **_):
        print(f"building {len(built)}")
        return []

    made, due = {}, nodes
    monkeypatch.setattr(job, "Dbt", lambda *_: SimpleNamespace(project=None, build=building))
    for name, double in (("is_as_closed", True), ("note_closed", None)):
        monkeypatch.setattr(job.state, name, lambda *_, double=double: double)
    monkeypatch.setattr(job.state, "tidy", lambda *_: (made, {}))
    monkeypatch.setattr(job.selection, "stale", lambda *_: {})
    monkeypatch.setattr(job.selection, "needed_for", lambda *_: due)
    monkeypatch.setattr(job.retention, "apply_before_a_build", lambda: None)
    assert job.build_part({}, tmp_path / "w.duckdb", ["b"], "the plan")
    assert capsys.readouterr().out.splitlines() == [
        "First, 1 seed and 2 models that the plan reads are built, which takes minutes the first "
        "time. Nothing is sent to any model.",
        "building 3",
    ]
    made = {"model.kernel29.c": None}
    job.build_part({}, tmp_path / "w.duckdb", ["b"], "the plan")
    assert "First, up to 1 seed and 2 models that" in capsys.readouterr().out
    due = set()
    job.build_part({}, tmp_path / "w.duckdb", ["b"], "the plan")
    assert capsys.readouterr().out == ""
