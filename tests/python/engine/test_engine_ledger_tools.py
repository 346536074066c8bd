"""`kernel29 ledger`: what it shows is what there is, and what it removes is what was meant."""

from __future__ import annotations

import json

import duckdb
import pytest
from asking import many, request, table
from click.testing import CliRunner
from loopback import Fault

from python_llm.console.cli import main
from python_llm.engine import answer, attempts
from python_llm.engine.ledger.folder import FileLedger


@pytest.fixture
def run(live, monkeypatch, tmp_path):
    monkeypatch.setenv("KERNEL29_LEDGER_DIR", str(live().ledger_dir))
    monkeypatch.setenv("KERNEL29_SERVE_DIR", str(tmp_path))
    return lambda *words: CliRunner().invoke(main, ["ledger", *words])


@pytest.mark.usefixtures("quick_retries")
def test_show_adds_up(serve, live, run):
    assert "empty" in run("show").output
    server = serve(faults=lambda seen: Fault("server_error") if seen.nth == 1 else None)
    answer(many(10), settings=live())
    server.faults = None
    batch = table(request("b", "anthropic", accepts_batch=True))
    answer(batch, settings=live(execution="batch"))
    waiting, asked = json.loads(run("show", "--json").output)[::-1][:2]
    if waiting["model_alias"] != "anthropic_model":
        waiting, asked = asked, waiting
    assert (asked["attempts"], asked["requests"], asked["answers"]) == (20, 10, 10)
    assert (waiting["attempts"], waiting["in_open_batches"]) == (0, 1)
    charged = sum(row["charged_usd"] for row in attempts(live().ledger_dir).to_pylist())
    assert float(asked["charged_usd"]) == pytest.approx(float(charged))
    shown = run("show").output
    assert "openai_model" in shown
    assert "assumed:" not in shown


def test_show_tells_what_of_the_cost_is_assumed(serve, live, run):
    serve(faults=lambda seen: Fault("no_usage"))
    answer(many(2), settings=live())
    [asked] = json.loads(run("show", "--json").output)
    assert float(asked["assumed_usd"]) == float(asked["charged_usd"]) > 0
    assert "assumed: the worst case of attempts that tell no cost" in run("show").output


def test_verify_says_where_the_damage_is(serve, live, run):
    serve()
    answer(many(3), settings=live())
    assert run("verify").exit_code == 0
    segment = live().ledger_dir / "segments" / "x.jsonl"
    segment.write_text('{"half": 1\n')
    verdict = run("verify")
    assert verdict.exit_code == 1
    assert f"line 1 of {segment}" in verdict.output
    assert "3 attempts can be read" in verdict.output


def test_verify_misses_what_the_last_build_has_seen(serve, live, run, tmp_path):
    serve()
    answer(many(3), settings=live())
    with duckdb.connect(str(tmp_path / "kernel29.duckdb")) as served:
        served.register("attempts", attempts(live().ledger_dir))
        served.execute("create table fct_llm_call as from attempts")
    assert run("verify").exit_code == 0
    (part,) = live().ledger_dir.glob("parts/*.parquet")
    part.unlink()
    verdict = run("verify")
    assert verdict.exit_code == 1
    assert "3 attempts of the last build, 3 of them answers, are no longer" in verdict.output


@pytest.mark.parametrize("ending", ["parquet", "csv", "jsonl"])
def test_export_is_everything(ending, serve, live, run, tmp_path):
    serve()
    answer(many(4), settings=live())
    file = tmp_path / f"all.{ending}"
    assert run("export", str(file)).exit_code == 0
    reader = {"parquet": "read_parquet", "csv": "read_csv", "jsonl": "read_json"}[ending]
    texts = duckdb.sql(f"select answer_text from {reader}('{file}') order by all").fetchall()
    there = attempts(live().ledger_dir).column("answer_text").to_pylist()
    assert [text for (text,) in texts] == sorted(there)
    assert [path.name for path in tmp_path.glob("*all*")] == [file.name]


def test_export_explains_itself(run, tmp_path):
    assert "ends in no known format" in run("export", str(tmp_path / "a.xls")).output
    answered = run("export", str(tmp_path / "nowhere" / "a.csv"))
    assert answered.exit_code == 1
    assert "cannot be written" in answered.output


@pytest.mark.usefixtures("quick_retries")
def test_prune_removes_what_was_meant_and_asks_first(serve, live, run):
    server = serve(faults=lambda seen: Fault("server_error") if seen.nth == 1 else None)
    answer(many(5), settings=live())
    folder = live().ledger_dir
    assert "0 attempts would be removed" in run("prune", "--before", "2020-01-01").output
    assert "5 attempts would be removed" in run("prune", "--before", "2999-01-01").output
    assert attempts(folder).num_rows == 10
    assert "5 attempts removed" in run("prune", "--before", "2999-01-01", "--yes").output
    assert attempts(folder).column("status").to_pylist() == ["ok"] * 5
    sent = server.total
    answer(many(5), settings=live())
    assert server.total == sent  # the answers are all there
    assert (
        "5 attempts removed" in run("prune", "--before", "2999-01-01", "--answers", "--yes").output
    )
    assert attempts(folder).num_rows == 0
    assert "is not a date" in run("prune", "--before", "soon").output


def test_nothing_is_touched_while_a_run_writes(serve, live, run):
    serve()
    answer(many(2), settings=live())
    with FileLedger(live().ledger_dir).writing("a-run", "session"):
        for words in (["compact"], ["prune", "--before", "2999-01-01", "--yes"]):
            said = run(*words)
            assert said.exit_code == 1
            assert "in use by run a-run" in said.output
    assert "attempts in 1 parts, requests in 1, 0 segments" in run("compact").output
