"""`kernel29 models list`: what can be called now, and why not, before any build."""

import json

import pytest
from click.testing import CliRunner

from python_llm.console import lists
from python_llm.console.cli import main


def _models(monkeypatch: pytest.MonkeyPatch, **environment: str) -> dict[str, dict[str, str]]:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    for name, text in environment.items():
        monkeypatch.setenv(name, text)
    result = CliRunner().invoke(main, ["models", "list", "--json"])
    assert result.exit_code == 0, result.output
    assert "secret-key" not in result.output
    return {row["model_alias"]: row for row in json.loads(result.output)}


def test_a_model_without_its_key_says_which_to_set(monkeypatch: pytest.MonkeyPatch) -> None:
    model = _models(monkeypatch)["gpt4o"]
    assert model["state"] == "no key"
    assert "OPENAI_API_KEY" in model["remedy"]


def test_a_key_changes_the_state_and_is_not_printed(monkeypatch: pytest.MonkeyPatch) -> None:
    assert _models(monkeypatch, OPENAI_API_KEY="secret-key")["gpt4o"]["state"] != "no key"


def test_a_baseline_needs_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    model = _models(monkeypatch)["ic_ranker"]
    assert (model["state"], model["remedy"]) == ("in the build", None)


def test_a_model_of_an_experiment_is_listed(monkeypatch, tmp_path) -> None:
    (tmp_path / "short.txt").write_text("{case}")
    (tmp_path / "mine.yml").write_text(
        "cases: simulated_rare_200\nprompts: short.txt\n"
        'models: {name: mine, api_model: m, address: "http://localhost:1/v1"}\n'
    )
    model = _models(monkeypatch, KERNEL29_EXPERIMENTS_DIR=str(tmp_path))["mine"]
    assert model["state"] == "callable"


def _rows(*arguments: str) -> dict[str, dict[str, object]]:
    result = CliRunner().invoke(main, [*arguments, "--json"])
    assert result.exit_code == 0, result.output
    return {str(next(iter(row.values()))): row for row in json.loads(result.output)}


@pytest.fixture
def nothing_built(monkeypatch, tmp_path):
    for name in ("SERVE", "CASES", "EXPERIMENTS"):
        monkeypatch.setenv(f"KERNEL29_{name}_DIR", str(tmp_path / name.lower()))
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    return tmp_path


def test_a_judge_is_what_its_model_is(nothing_built, monkeypatch) -> None:
    judges = _rows("judges", "list")
    assert judges["terminology"]["state"] == "in the build"
    assert judges["gpt4o_judge"]["state"] == "no key"
    assert "OPENAI_API_KEY" in str(judges["gpt4o_judge"]["remedy"])
    assert judges["jury_majority"]["asks"] == "terminology, gpt4o_judge, claude_sonnet45_judge"
    monkeypatch.setenv("OPENAI_API_KEY", "secret-key")
    assert _rows("judges", "list")["gpt4o_judge"]["state"] == "callable"


def test_a_judge_of_an_unknown_model_is_told_the_nearest(nothing_built, monkeypatch) -> None:
    known = [row for row in lists.access() if row["model_alias"] != "gpt4o"]
    monkeypatch.setattr(lists, "access", lambda: known)
    judge = _rows("judges", "list")["gpt4o_judge"]
    assert judge["state"] == "unknown model"
    assert "seeds/experiments/judges.csv: there is no model 'gpt4o'. The nearest: " in str(
        judge["remedy"]
    )


def test_a_prompt_says_whether_it_can_be_sent(nothing_built) -> None:
    own = nothing_built / "experiments"
    own.mkdir()
    (own / "short.txt").write_text("{case}")
    (nothing_built / "afar.txt").write_text("{case}")
    files = "[short.txt, ../afar.txt]"
    (own / "mine.yml").write_text(f"cases: simulated_rare_200\nmodels: gpt4o\nprompts: {files}\n")
    prompts = _rows("prompts", "list")
    assert prompts["dxgpt_standard"]["state"] == "ready"
    assert prompts["no_prompt"]["state"] == "in the build"
    assert prompts["short"]["description"] == "short.txt, named in mine.yml."
    assert prompts["afar"]["description"] == "afar.txt, named in mine.yml."
    assert "judge_semantic" in _rows("prompts", "list", "--task", "semantic_judge")
    assert "dxgpt_standard" in CliRunner().invoke(main, ["prompt", "list"]).output
    misspelt = CliRunner().invoke(main, ["prompts", "list", "--task", "semantic_juge"])
    assert "There is no task 'semantic_juge'. The nearest: semantic_judge" in misspelt.output


def test_a_set_says_whether_it_can_be_asked_about(nothing_built) -> None:
    notes = nothing_built / "notes.csv"
    notes.write_text("text,diagnosis\nA long note.,Gout\n")
    only_read = nothing_built / "read.csv"
    only_read.write_text("text\nA long note.\n")
    command = ["cases", "import", "--format", "table"]
    for file, more in ((notes, ["--no-phi"]), (only_read, ["--without-gold"])):
        arguments = [*command, str(file), "--test-set", file.stem, *more]
        done = CliRunner().invoke(main, arguments)
        assert done.exit_code == 0, done.output
    sets = _rows("test-sets", "list")
    assert sets["simulated_rare_200"] == {
        "test_set": "simulated_rare_200",
        "kind": "shipped",
        "n_cases": None,
        "language": None,
        "real_patients": None,
        "state": "ready",
        "remedy": None,
    }
    assert sets["notes"]["n_cases"] == 1
    assert sets["notes"]["real_patients"] is False
    assert sets["read"]["real_patients"] is True
    assert sets["read"]["state"] == "no gold diagnosis"
    assert "column of diagnoses" in str(sets["read"]["remedy"])


def test_what_can_be_done_is_pointed_at(nothing_built) -> None:
    printed = CliRunner().invoke(main, ["judges", "list"]).output
    assert "What to do about each: kernel29 judges list --json" in printed
    assert "remedy" not in printed
