"""`kernel29 models list`: what can be called now, and why not, before any build."""

import json

import pytest
from click.testing import CliRunner

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
