"""Composing prompts: what adds up, what changes a version, and which mistake is named how."""

import csv
import json
import shutil
import time
from pathlib import Path

import duckdb
import jinja2
import pyarrow as pa
import pytest
from click.testing import CliRunner

from python_llm import paths
from python_llm.console.cli import main
from python_llm.parsing.differential import PARSERS
from python_llm.parsing.json_answer import DiagnosisAnswer
from python_llm.prompting.history import SCORE_HISTORY, remember_scores, remember_versions
from python_llm.prompting.templates import (
    PromptError,
    check_all,
    compose,
    compose_all,
    compose_row,
    read_registry,
)
from python_llm.test_sets.importing import import_cases


@pytest.fixture
def prompts(tmp_path: Path):
    """A folder of prompts; write(path, text) adds a file to it."""

    def write(path: str, text: str) -> Path:
        file = tmp_path / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
        return tmp_path

    write("p/system.txt", "You are {role}.\n")
    write("p/role.txt", "a physician\n")
    write("p/user.txt", 'Case: {case}\nAnswer {{"a": 1}}. {safety}\n')
    write("_sections/safety.txt", "Be careful.\n")
    return write


def test_sections_are_filled_and_placeholders_left_open(prompts, tmp_path):
    prompt = compose("p", ["case"], tmp_path)
    assert prompt.system_template == "You are a physician."
    assert prompt.user_template == 'Case: {case}\nAnswer {"a": 1}. Be careful.'
    assert prompt.section_files == (
        "_sections/safety.txt",
        "p/role.txt",
        "p/system.txt",
        "p/user.txt",
    )


def test_a_section_of_the_prompt_goes_before_the_shared_one(prompts, tmp_path):
    prompts("p/safety.txt", "Own words.")
    assert compose("p", ["case"], tmp_path).user_template.endswith("Own words.")


def test_one_changed_word_is_a_new_version(prompts, tmp_path):
    before = compose("p", ["case"], tmp_path).version
    assert compose("p", ["case"], tmp_path).version == before
    prompts("_sections/safety.txt", "Be very careful.\n")
    assert compose("p", ["case"], tmp_path).version != before


@pytest.mark.parametrize(
    ("path", "text", "message"),
    [
        ("p/user.txt", "{case}\n{unknown}{safety}", r"p/user\.txt, line 2: \{unknown\} is neither"),
        ("p/user.txt", "{case}\n\n{safety} {oh no}", r"p/user\.txt, line 3: '\{oh no\}' is no"),
        ("p/user.txt", "{case} {safety} }", r"p/user\.txt, line 1: '\}' is not a placeholder"),
        ("p/user.txt", "{safety}", r"does not use the placeholder \{case\}"),
        ("p/extra.txt", "idle", r"p/extra\.txt is in no template"),
        ("p/role.txt", "x {role}", r"p/role\.txt includes itself"),
        ("p/role.txt", "\n", r"p/role\.txt, line 1: the file is empty"),
        (
            "p/user.txt",
            "{case}\n{{case}} {safety}",
            r"user\.txt, line 2: '\{\{case\}\}' would leave",
        ),
        ("p/schema.json", '{"type":\n 1,}', r"p/schema\.json, line 2: not JSON"),
        ("p/schema.json", "[]", r"p/schema\.json, line 1: no schema of an object"),
        ("p/notes.md", "idle", r"p/notes\.md is in no template"),
    ],
)
def test_mistakes_name_file_and_line(prompts, tmp_path, path, text, message):
    prompts(path, text)
    with pytest.raises(PromptError, match=message):
        compose("p", ["case"], tmp_path)


def test_text_that_is_not_utf8_is_named_with_its_line(prompts, tmp_path):
    (tmp_path / "p" / "role.txt").write_bytes("a\nmédico".encode("latin-1"))
    with pytest.raises(PromptError, match=r"p/role\.txt, line 2: not UTF-8"):
        compose("p", ["case"], tmp_path)


def test_a_placeholder_that_nothing_fills_never_reaches_a_model(prompts, tmp_path):
    row = {"prompt_alias": "p", "task": "generation", "output_format": "xml", "language": "en"}
    with pytest.raises(
        PromptError, match=r"'p' declares \{case\}, which nothing fills: .*case_narr"
    ):
        compose_all([{**row, "placeholders": "case"}], tmp_path)


def test_a_format_that_nobody_reads_never_reaches_a_model(prompts, tmp_path):
    """Such an answer would be paid for, and end the build that reads it."""
    row = {"prompt_alias": "p", "task": "generation", "language": "en", "placeholders": ""}
    with pytest.raises(PromptError, match=r"'p' has the output_format 'numbered-list', .* xml, "):
        compose_all([{**row, "output_format": "numbered-list"}], tmp_path)


def test_a_schema_is_part_of_a_version_and_of_each_language(prompts, tmp_path):
    before = compose("p", ["case"], tmp_path).version
    prompts("p/schema.json", '{"type": "object"}')
    prompt = compose("p", ["case"], tmp_path)
    assert prompt.response_schema == '{"type":"object"}'
    assert prompt.version != before
    prompts("p_es/user.txt", "{case}")
    assert compose("p_es", ["case"], tmp_path, "es").response_schema == '{"type":"object"}'
    assert compose("p_es", ["case"], tmp_path, "en").response_schema is None


def test_filling_is_done_once(prompts, tmp_path):
    prompts("p/user.txt", "{case} {other} {safety}")
    prompt = compose("p", ["case", "other"], tmp_path)
    _, user = prompt.filled({"case": "{other}", "other": "{case}"})
    assert user == "{other} {case} Be careful."


def test_the_strategies_ask_what_their_parser_reads():
    """Every example in a JSON prompt is what the schema of the prompt describes."""
    rows = {row["prompt_alias"]: row for _, row in read_registry()}
    assert check_all() == []
    for alias in ("standard", "rare", "improved", "json", "json_risk"):
        for language in ("", "_es"):
            row = rows[f"dxgpt_{alias}{language}"]
            prompt = compose_row(row)
            assert (row["language"] == "es") == bool(language)
            assert row["output_format"] in PARSERS
            assert (prompt.response_schema is not None) == (row["output_format"] == "json_schema")
            if prompt.response_schema:
                line = next(li for li in prompt.user_template.splitlines() if li.startswith("{"))
                shown = json.loads(line.replace(", ...]", "]"))
                asked = json.loads(prompt.response_schema)["properties"]["diagnoses"]["items"]
                assert list(shown) == asked["required"]
                DiagnosisAnswer.model_validate(shown)


def test_ten_thousand_prompts_are_filled_in_three_seconds():
    """The macro itself, rendered outside dbt: it uses nothing of it."""
    row = next(row for _, row in read_registry() if row["prompt_alias"] == "dxgpt_json_risk")
    code = (paths.project_root() / "macros/calls/requests.sql").read_text()
    module = jinja2.Environment().from_string(code).module
    filled = module.fill_template(
        "template", [("similar_cases", "examples"), ("case_narrative", "narrative")]
    )
    with duckdb.connect() as database:
        database.execute(
            "create table asked as select ? as template, "
            "repeat('fever and cough ', 120) || i || if(i % 10 = 0, '{similar_cases}', '') "
            "as narrative, '{case_narrative}' as examples from range(10000) as cases (i)",
            [compose_row(row).user_template + "{similar_cases}"],
        )
        started = time.monotonic()
        database.execute(f"create table finished as select {filled} as text from asked")
        assert time.monotonic() - started < 3
        texts = [text for (text,) in database.execute("from finished").fetchall()]
    assert len(set(texts)) == 10_000
    assert "cough 77\n" in texts[77]
    assert "cough 70{similar_cases}\n" in texts[70]
    assert all(text.endswith("{case_narrative}") for text in texts)


def test_versions_are_kept_with_their_changes_and_scores(prompts, tmp_path):
    row = {"prompt_alias": "p", "output_format": "xml", "placeholders": "case"}
    ledger = tmp_path / "ledger"
    first = compose_all([row], tmp_path)
    remember_versions(first, ledger)
    prompts("p/role.txt", "a surgeon\n")
    second = compose_all([row], tmp_path)
    for _ in range(2):
        old, new = remember_versions(second, ledger).to_pylist()
    assert (old["version_number"], old["is_current"], old["changes"]) == (1, False, None)
    assert (new["version_number"], new["is_current"]) == (2, True)
    assert new["previous_version"] == old["prompt_version"]
    assert "-You are a physician.\n+You are a surgeon." in new["changes"]
    assert (new["n_lines_added"], new["n_lines_removed"]) == (1, 1)

    def scores(version, top1):
        values = ["c", "j", "p", version, "April", 4, 0, top1, top1, 8.0]
        return pa.Table.from_pylist(
            [dict(zip(SCORE_HISTORY.names, values, strict=True))], schema=SCORE_HISTORY
        )

    remember_scores(scores("v1", 0.5), ledger)
    remember_scores(scores("v1", 0.25), ledger)
    with (ledger / "prompts" / "scores.jsonl").open("a") as handle:
        handle.write('{"configuration_id": "c", "judge_id": "j", "prompt_version": "v0"}\n{"torn')
    remember_scores(scores("v2", 0.75), ledger)
    kept = remember_scores(scores("v2", 0.75), ledger).to_pylist()
    assert [
        (row["prompt_version"], row["terminology_release"], row["top1_strict"]) for row in kept
    ] == [
        ("v0", None, None),  # written down before releases were
        ("v1", "April", 0.25),
        ("v2", "April", 0.75),
    ]
    assert remember_scores(SCORE_HISTORY.empty_table(), ledger).num_rows == 3


def test_show_prints_the_finished_prompt(tmp_path, monkeypatch):
    with duckdb.connect(str(tmp_path / "kernel29.duckdb")) as database:
        database.execute(
            "create table dim_case as select 't/1' as case_id, 't' as test_set, "
            "null::varchar as record_id, 'fever {x}' as narrative, 40 as age_years, null as sex, "
            "'Gout' as gold_diagnosis"
        )
    monkeypatch.setenv("KERNEL29_SERVE_DIR", str(tmp_path))
    run = CliRunner()
    shown = run.invoke(main, ["prompt", "show", "dxgpt_json", "--case", "t/1"]).output
    assert "=== CASE BEGINS ===\nfever {x}\n=== CASE ENDS ===" in shown
    assert '## schema\n{"type":"object"' in shown
    assert "{case_narrative}" in run.invoke(main, ["prompt", "show", "dxgpt_rare"]).output
    assert (
        "No served or imported case"
        in run.invoke(main, ["prompt", "show", "dxgpt_rare", "--case", "x"]).output
    )
    assert "is no prompt" in run.invoke(main, ["prompt", "show", "nobody"]).output
    assert "prompts compose" in run.invoke(main, ["prompt", "check"]).output


def test_a_prompt_is_filled_with_a_case_as_it_was_imported(tmp_path, monkeypatch):
    monkeypatch.setenv("KERNEL29_CASES_DIR", str(tmp_path / "cases"))
    monkeypatch.setenv("KERNEL29_SERVE_DIR", str(tmp_path / "serve"))
    monkeypatch.setenv("KERNEL29_BUILD_DIR", str(tmp_path))
    (tmp_path / "one.csv").write_text("id,text,gold\nA1, cough {x},Flu\n")
    (tmp_path / "parts.csv").write_text("id,history,exam,gold\nB1,Cough,Rales,Flu\n")
    for name in ("one", "parts"):
        import_cases(tmp_path / f"{name}.csv", None, name, tmp_path / "cases")

    def run(*words):
        return CliRunner().invoke(main, words).output

    shown = run("prompts", "show", "dxgpt_json", "--case", "one/A1")
    assert "=== CASE BEGINS ===\n cough {x}\n=== CASE ENDS ===" in shown
    for command in (("prompts", "show", "dxgpt_json", "--case"), ("cases", "show")):
        refused = run(*command, "parts/B1")
        assert "parts/0001 was imported in parts" in refused
        assert "kernel29 cases show parts/0001 --parts" in refused
    assert run("cases", "show", "parts/B1", "--parts") == "history: Cough\nexamination: Rales\n"
    with duckdb.connect(str(tmp_path / "kernel29.duckdb")) as database:
        database.execute(
            "create table int_test_sets__recorded_cases as "
            "select 'parts/0001' as case_id, 'History: Cough' as narrative"
        )
    assert "\nHistory: Cough\n" in run("prompts", "show", "dxgpt_json", "--case", "parts/B1")
    assert run("cases", "show", "parts/B1") == "History: Cough"


def test_missing_folder_and_missing_user_text_are_named(prompts, tmp_path):
    with pytest.raises(PromptError, match="nobody/ does not exist"):
        compose("nobody", [], tmp_path)
    (tmp_path / "p" / "user.txt").unlink()
    with pytest.raises(PromptError, match=r"p/user\.txt is missing"):
        compose("p", ["case"], tmp_path)


def test_every_registered_prompt_composes():
    registry = paths.project_root() / "seeds/calls/prompt_registry.csv"
    with registry.open(encoding="utf-8", newline="") as handle:
        rows = list(csv.DictReader(handle))
    prompts = compose_all(rows).to_pylist()
    assert len(prompts) == len(rows)
    texts = [prompt for prompt in prompts if prompt["prompt_alias"] != "no_prompt"]
    assert all(prompt["user_template"] for prompt in texts)
    assert len({prompt["prompt_version"] for prompt in texts}) == len(texts)


@pytest.mark.parametrize(
    ("file", "part", "lacking"),
    [
        ("output_format.txt", '"judgements"', '"judgements"'),
        ("output_format.txt", '"label"', '"label"'),
        ("task.txt", "Exact Synonym", "Exact Synonym"),
        ("user.txt", "{data_fence}", "{data_fence}"),
    ],
)
def test_a_prompt_of_judges_says_what_is_read(tmp_path, file, part, lacking):
    root = Path(shutil.copytree(paths.prompts_folder(), tmp_path / "prompts"))
    text = (root / "judge_semantic" / file).read_text(encoding="utf-8")
    (root / "judge_semantic" / file).write_text(text.replace(part, "it"), encoding="utf-8")
    [mistake] = check_all(root)
    assert f"prompt 'judge_semantic' does not say {lacking}: answers to it would not" in mistake
