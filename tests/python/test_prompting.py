"""Composing prompts: what adds up, what changes a version, and which mistake is named how."""

import csv
from pathlib import Path

import pytest

from python_llm import paths
from python_llm.prompting import PromptError, compose, compose_all


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
        ("p/user.txt", "{case} {safety} }", r"p/user\.txt, line 1: '\}' is no placeholder"),
        ("p/user.txt", "{safety}", r"does not use the placeholder \{case\}"),
        ("p/extra.txt", "idle", r"p/extra\.txt is in no template"),
        ("p/role.txt", "x {role}", r"p/role\.txt includes itself"),
    ],
)
def test_mistakes_name_file_and_line(prompts, tmp_path, path, text, message):
    prompts(path, text)
    with pytest.raises(PromptError, match=message):
        compose("p", ["case"], tmp_path)


def test_missing_folder_and_missing_user_text_are_named(prompts, tmp_path):
    with pytest.raises(PromptError, match="nobody/ does not exist"):
        compose("nobody", [], tmp_path)
    (tmp_path / "p" / "user.txt").unlink()
    with pytest.raises(PromptError, match=r"p/user\.txt is missing"):
        compose("p", ["case"], tmp_path)


def test_every_registered_prompt_composes():
    registry = paths.project_root() / "seeds/experiments/prompt_registry.csv"
    with registry.open(encoding="utf-8", newline="") as handle:
        rows = list(csv.DictReader(handle))
    prompts = compose_all(rows).to_pylist()
    assert len(prompts) == len(rows)
    texts = [prompt for prompt in prompts if prompt["prompt_alias"] != "no_prompt"]
    assert all(prompt["user_template"] for prompt in texts)
    assert len({prompt["prompt_version"] for prompt in texts}) == len(texts)
