"""What an experiment file may say, and what it is told when it says something else."""

from pathlib import Path

import pytest

from python_llm.experiments import registries, writing
from python_llm.experiments.file import ExperimentError, read, template
from python_llm.job import outside

GOOD = """\
cases: [my.csv, simulated_rare_200]
models:
  - gpt4o
  - local:my/model
  - name: mine
    api_model: mine-7b
    address: http://localhost:8000/v1
    input_usd_per_mtok: 0.5
    output_usd_per_mtok: 1.5
prompts: [dxgpt_standard, short.txt]
real_patients: false
sample: 20
max_usd: 2
"""


@pytest.fixture
def folder(tmp_path, monkeypatch) -> Path:
    monkeypatch.setenv("KERNEL29_EXPERIMENTS_DIR", str(tmp_path))
    (tmp_path / "my.csv").write_text("text,diagnosis\nA note.,Gout\n")
    (tmp_path / "short.txt").write_text("Name five.\n\n{case}\n")
    return tmp_path


def written(folder: Path, text: str = GOOD, name: str = "mine.yml") -> Path:
    (folder / name).write_text(text)
    return folder / name


def test_a_file_names_what_is_shared_and_what_is_its_own(folder):
    experiment = read(written(folder))
    assert experiment.test_sets == ["my", "simulated_rare_200"]
    assert experiment.case_files == {"my": folder / "my.csv"}
    assert experiment.models == ["gpt4o", "my_model", "mine"]
    assert experiment.prompts == ["dxgpt_standard", "short"]
    assert len(experiment.configurations()) == 12
    assert "mine/short/my" in experiment.configurations()


@pytest.mark.parametrize(
    ("before", "after", "message"),
    [
        ("sample:", "smaple:", "line 12: there is no key 'smaple'. The nearest: sample"),
        ("address:", "adress:", "line 7: there is no key 'adress'. The nearest: address"),
        ("    address: http://localhost:8000/v1\n", "", "line 5: mine needs the `address`"),
        ("http://localhost", "localhost", "line 7: address: 'localhost:8000/v1' cannot be used"),
        ("api_model: mine-7b", "provider: opnai\n    api_model: m", "there is no provider 'opnai'"),
        ("my.csv", "yours.csv", "line 1: there is no file"),
        ("my.csv", "my.csv, ./my.csv", "line 1: my is there already"),
        ("short.txt", "long.txt", "line 10: the prompt long.txt cannot be read"),
        ("name: mine", "name: a/b", "line 5: name: 'a/b' cannot be used"),
        ("max_usd: 2", "max_usd: -2", "line 13: max_usd: -2 cannot be used"),
        ("sample: 20", "sample: some", "line 12: sample: 'some' cannot be used"),
        ("models:", "model: [a]\nmodels_of:", "line 2: there is no key 'model'"),
        ("[dxgpt_standard, short.txt]", "[dxgpt_standard", "not YAML"),
    ],
)
def test_a_mistake_is_told_with_its_line(folder, before, after, message):
    assert before in GOOD
    path = written(folder, GOOD.replace(before, after))
    with pytest.raises(ExperimentError) as error:
        read(path)
    assert str(error.value).startswith(str(path))
    assert message in str(error.value)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("Name five.", "shows no case: write {case}"),
        ("Name five.\n\n{caes}", "short.txt, line 3: nothing fills {caes}: use {case}"),
    ],
)
def test_a_prompt_has_to_show_the_case(folder, text, message):
    (folder / "short.txt").write_text(text)
    with pytest.raises(ExperimentError, match="short") as error:
        read(written(folder))
    assert message in str(error.value)


def test_other_braces_of_a_prompt_stay_as_they_are(folder):
    (folder / "short.txt").write_text('Answer {"names": [..]} and {1}.\n\n{case}\n')
    read(written(folder))
    text = template(folder / "short.txt")
    assert text == 'Answer {"names": [..]} and {1}.\n\n{case_narrative}'


def test_what_files_name_joins_the_registries(folder):
    written(folder)
    models = {row["model_alias"]: row for row in registries.models()}
    assert models["mine"]["base_url"] == "http://localhost:8000/v1"
    assert models["my_model"]["api_model"] == "my/model"
    assert models["my_model"]["base_url_env"] == models["local"]["base_url_env"]
    prompts = {row["prompt_alias"]: row for row in registries.prompts()}
    assert prompts["short"]["user_text"] == "Name five.\n\n{case_narrative}"
    assert prompts["short"]["placeholders"] == "case_narrative"
    (price,) = registries.experiment_table("price").to_pylist()
    assert (price["api_model"], price["output_usd_per_mtok"]) == ("mine-7b", "1.5")
    (crossed,) = registries.experiment_table("configuration").to_pylist()
    assert crossed["model_alias"] == "gpt4o|my_model|mine"


def test_a_broken_file_is_left_out_and_stops_nobody_else(folder):
    written(folder)
    written(folder, "cases: [", "broken.yml")
    experiments, mistakes = registries.all_experiments()
    assert [experiment.name for experiment in experiments] == ["mine"]
    assert len(mistakes) == 1
    assert "broken.yml, line 1: not YAML" in mistakes[0]


@pytest.mark.parametrize(
    ("before", "after", "message"),
    [
        ("name: mine", "name: gpt4o", "has a model gpt4o: give yours another name"),
        ("mine-7b", "other-7b", "mine.yml has another model mine: give one of them"),
        ("output_usd_per_mtok: 1.5", "output_usd_per_mtok: 2", "has another price"),
        ("my.csv", "other/my.csv", "mine.yml has another test set my"),
    ],
)
def test_a_name_means_one_thing_in_all_files(folder, before, after, message):
    (folder / "other").mkdir()
    (folder / "other" / "my.csv").write_text("text,diagnosis\nAnother.,Gout\n")
    written(folder)
    written(folder, GOOD.replace(before, after), "other.yml")
    _, (mistake,) = registries.all_experiments()
    assert message in mistake


def test_two_files_may_name_the_same_model(folder):
    written(folder)
    written(folder, GOOD, "other.yml")
    assert registries.all_experiments()[1] == []
    assert [row["model_alias"] for row in registries.models()].count("mine") == 1


def test_a_new_file_can_be_read(folder):
    choices = writing.Choices(["my.csv"], ["local"], ["short.txt"], sample=3, real_patients=False)
    path = written(folder, writing.text(choices, "new", "experiments/new.yml"))
    experiment = read(path)
    assert experiment.models == ["local"]
    assert experiment.written.sample == 3
    assert not experiment.written.real_patients


def test_a_build_notices_every_file_of_an_experiment(folder):
    """The text of a prompt may lie anywhere; a digest of the folder alone would miss it."""
    (folder / "own").mkdir()
    (folder / "short.txt").rename(folder / "own" / "short.txt")
    written(folder, GOOD.replace("short.txt", "own/short.txt"))
    before = outside.folders({"experiments_dir": str(folder)})
    (folder / "own" / "short.txt").write_text("Name six.\n\n{case}\n")
    after = outside.folders({"experiments_dir": str(folder)})
    assert before.keys() == after.keys() == {"experiments"}
    assert before != after
