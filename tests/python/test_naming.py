"""Patterns for the names of files: what they find, and when they refuse to guess."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from python_llm.errors import FileError
from python_llm.imports.naming import check_pattern, fields_of, name_of, path_of, readings

PLAIN = st.from_regex(r"[a-z0-9]([a-z0-9.\-]{0,6}[a-z0-9])?", fullmatch=True)


@pytest.mark.parametrize(
    ("pattern", "name", "fields"),
    [
        ("{model}_{prompt}", "gpt4_standard", {"model": "gpt4", "prompt": "standard"}),
        ("{model}", "gpt4_0613", {"model": "gpt4_0613"}),
        ("scores_{test_set}_gpt-4.1", "scores_a_b_gpt-4.1", {"test_set": "a_b"}),
        (
            "diagnoses_RAMEDIS_{model}",
            "diagnoses_RAMEDIS_gpt4_0613",
            {"model": "gpt4_0613"},
        ),
        ("{skip}_{model:a_b|a}", "x_y_a_b", {"model": "a_b"}),
        ("*_{model:a_b|a}_*", "x_a_y", {"model": "a"}),
        ("{test_set}/{model}", "pumch/gpt-4", {"test_set": "pumch", "model": "gpt-4"}),
        ("{rater} on {model}", "Dr. Ruiz on c3opus", {"rater": "Dr. Ruiz", "model": "c3opus"}),
    ],
)
def test_a_name_is_read_by_its_pattern(pattern: str, name: str, fields: dict) -> None:
    assert fields_of(name, pattern) == fields


@given(model=PLAIN, prompt=PLAIN)
def test_what_is_put_together_is_taken_apart(model: str, prompt: str) -> None:
    found = fields_of(f"run_{model}_{prompt}_v2", "run_{model}_{prompt}_v2")
    assert found == {"model": model, "prompt": prompt}


def test_a_name_with_two_readings_is_refused_with_an_example() -> None:
    with pytest.raises(FileError) as refused:
        fields_of("glm3_turbo_few_shot", "{model}_{prompt}")
    said = str(refused.value)
    assert "model 'glm3' and prompt 'turbo_few_shot'" in said
    assert "model 'glm3_turbo_few' and prompt 'shot'" in said
    assert "--name 'glm3_{prompt}' --model glm3" in said


def test_what_is_known_decides_between_readings() -> None:
    known = {"model": {"glm3_turbo"}, "test_set": {"PUMCH_ADM", "RAMEDIS"}}
    found = fields_of("glm3_turbo_few_shot", "{model}_{prompt}", known)
    assert found == {"model": "glm3_turbo", "prompt": "few_shot"}
    found = fields_of("scores_PUMCH_ADM_llama2_7b", "scores_{test_set}_{model}", known)
    assert found == {"test_set": "PUMCH_ADM", "model": "llama2_7b"}


@pytest.mark.parametrize(
    ("pattern", "name"),
    [
        ("{rater}_grades", "grades_anna"),
        ("{rater}_grades", "anna_grades_2"),
        ("{rater}_grades", "_grades"),
        ("anna_{model}", "joanna_gpt4"),
        ("{model}_{prompt}", "gpt4__standard"),  # no value begins or ends with a joint
    ],
)
def test_literal_parts_anchor(pattern: str, name: str) -> None:
    with pytest.raises(FileError, match="is not named as"):
        fields_of(name, pattern)


@pytest.mark.parametrize(
    "pattern",
    [
        "",
        "runs",
        "*",
        "{skip}",
        "*{model}",
        "{model",
        "{judge}",
        "{model}_{model}",
        "{model}{prompt}",
        "{}",
    ],
)
def test_a_pattern_that_says_nothing_is_refused(pattern: str) -> None:
    with pytest.raises(FileError, match="--name"):
        check_pattern(pattern)


def test_a_folder_has_no_suffix(tmp_path: Path) -> None:
    (tmp_path / "gpt-4.1_cot").mkdir()
    assert name_of(tmp_path / "gpt-4.1_cot") == "gpt-4.1_cot"
    assert name_of(tmp_path / "gpt-4.1_cot.csv") == "gpt-4.1_cot"


def test_a_name_may_end_before_its_last_part() -> None:
    pattern = "{model}_diagnosis_{prompt}"
    assert readings("a_b_diagnosis", pattern) == []
    found = readings("a_b_diagnosis", pattern, {"prompt": "zero"})
    assert found == [{"model": "a_b", "prompt": "zero"}]
    found = readings("a_b_diagnosis_cot", pattern, {"prompt": "zero"})
    assert found == [{"model": "a_b", "prompt": "cot"}]


def test_a_path_has_as_many_folders_as_its_pattern(tmp_path: Path) -> None:
    file = tmp_path / "pumch" / "gpt.csv"
    assert path_of(file, tmp_path, "{model}") == "gpt"
    assert path_of(file, tmp_path, "{test_set}/{model}") == "pumch/gpt"
    assert path_of(tmp_path, tmp_path, "{test_set}/{model}") == tmp_path.stem
