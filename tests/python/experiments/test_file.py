"""What an experiment file may say, and what it is told when it says something else."""

import re
from pathlib import Path

import pytest

from python_llm.experiments import registries, writing
from python_llm.experiments.file import Model, Sample, Written, read
from python_llm.experiments.lines import ExperimentError
from python_llm.experiments.prompts import Prompt, Table
from python_llm.job.changes import outside
from python_llm.job.planning.experiment import prepared

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


TWO_SERVERS = """\
cases: simulated_rare_200
models:
  - {name: here, api_model: same, address: "http://localhost:8000/v1"}
  - {name: there, api_model: same, address: "http://localhost:9000/v1"}
prompts: dxgpt_standard
"""


def test_two_servers_of_one_model_name_are_refused(folder):
    """They share the keys of their requests: one would answer for both."""
    path = written(folder, TWO_SERVERS)
    (mistake,) = registries.all_experiments()[1]
    assert f"{path}, line 4: here and there are both same of openai_compatible" in mistake
    assert "Give them different api_model names, or run them with separate ledgers" in mistake
    for apart in (
        TWO_SERVERS.replace("same", "other", 1),
        TWO_SERVERS.replace("9000/v1", "8000/v1/"),
        TWO_SERVERS.replace('9000/v1"', '9000/v1", parameters: {temperature: 1}'),
    ):
        written(folder, apart)
        assert registries.all_experiments()[1] == []


def test_servers_of_one_model_name_in_two_files_are_told_of(folder):
    """Each file alone is right, and the second gets the answers of the first from the ledger."""
    here, there = (TWO_SERVERS.split("  - {")[n] for n in (1, 2))
    first = TWO_SERVERS.replace(f"  - {{{there.split(chr(10))[0]}\n", "")
    second = TWO_SERVERS.replace(f"  - {{{here}", "")
    paths = [written(folder, first, "first.yml"), written(folder, second, "second.yml")]
    assert registries.all_experiments()[1] == []
    for path, other in zip(paths, ("second", "first"), strict=True):
        (sentence,) = registries.asked_elsewhere(read(path))
        assert sentence.startswith(f"{other}.yml: ")
        assert "are both same of openai_compatible with the same parameters" in sentence
    written(folder, second.replace("9000", "8000"), "second.yml")
    assert registries.asked_elsewhere(read(paths[0])) == []


@pytest.mark.parametrize("base", ["", "sub"])
def test_a_run_of_a_file_left_out_says_why(folder, monkeypatch, base):
    """By whatever path it is named: its own names are unknown, which is not the reason."""
    path = written(folder, TWO_SERVERS)
    (folder / base).mkdir(exist_ok=True)
    monkeypatch.chdir(folder / base)
    with pytest.raises(ExperimentError, match=r"line 4: here and there are both same"):
        prepared(Path("..", path.name) if base else Path(path.name))


def test_a_registered_model_elsewhere_is_refused(folder, monkeypatch):
    text = TWO_SERVERS.replace("{name: here, api_model: same", "{name: here, like: local")
    text = text.replace(
        '{name: there, api_model: same, address: "http://localhost:9000/v1"}', "local"
    )
    monkeypatch.setenv("KERNEL29_LOCAL_BASE_URL", "http://localhost:9000/v1")
    written(folder, text)
    (mistake,) = registries.all_experiments()[1]
    assert "here and local are both local-model of openai_compatible" in mistake
    monkeypatch.setenv("KERNEL29_LOCAL_BASE_URL", "http://localhost:8000/v1")
    assert registries.all_experiments()[1] == []


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
        ("short.txt", "long.txt", "long.txt cannot be read (No such file"),
        ("name: mine", "name: a/b", "line 5: name: 'a/b' cannot be used"),
        ("max_usd: 2", "max_usd: -2", "line 13: max_usd: -2 cannot be used"),
        ("sample: 20", "sample: some", "line 12: sample: 'some' cannot be used"),
        ("models:", "model: [a]\nmodels_of:", "line 2: there is no key 'model'"),
        ("[dxgpt_standard, short.txt]", "[dxgpt_standard", "not YAML"),
        ("sample: 20", "max_usd: 3", "line 13: the key 'max_usd' is there already in line 12"),
        ("short.txt]", "short.txt, ./short.txt]", "line 10: short is there already: leave one out"),
        ("  - gpt4o\n", "  - gpt4o\n  - gpt4o\n", "line 4: gpt4o is there already"),
        ("    output_usd_per_mtok: 1.5\n", "", "line 5: mine needs both input_usd_per_mtok and"),
        ("[my.csv, simulated_rare_200]", "", "line 1: cases: an empty value cannot be used: give"),
        ("  - gpt4o\n", "  - 4\n", "line 3: models: 4 cannot be used: give a text"),
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
        ("Name five.\n\n{caes}", "shows no case: write {case}"),
    ],
)
def test_a_prompt_has_to_show_the_case(folder, text, message):
    (folder / "short.txt").write_text(text)
    with pytest.raises(ExperimentError, match="short") as error:
        read(written(folder))
    assert message in str(error.value)


def test_other_braces_of_a_prompt_stay_as_they_are(folder):
    (folder / "short.txt").write_text('Answer {"names": [..]} and {1}.\n\n{case}\n')
    ((_, composed),) = read(written(folder)).own_prompts
    assert composed.user == 'Answer {"names": [..]} and {1}.\n\n{case_narrative}'


def test_line_breaks_around_a_prompt_are_not_sent(folder):
    (folder / "short.txt").write_text("\n\nOne.\n\n {case} \n\n")
    ((_, composed),) = read(written(folder)).own_prompts
    assert composed.user == "One.\n\n {case_narrative} "


SHOTS = """\
prompts:
  - name: shots
    file: short.txt
    system: role.txt
    sections:
      role: role_text.txt
      solved: {table: solved.csv, row: "Case: {text}; it was {diagnosis}."}
      plain: {table: solved.csv}
"""


@pytest.fixture
def shots(folder) -> Path:
    (folder / "short.txt").write_text(
        "{solved}\n\n{plain}\n\nAge {age}, {column:Lab results}: {case}"
    )
    (folder / "role.txt").write_text("{role}")
    (folder / "role_text.txt").write_text("Answer as a physician in {country}.\n")
    (folder / "solved.csv").write_text('text,diagnosis\n"Fever, rash",Measles\nA toe {case},Gout\n')
    return written(folder, GOOD.replace("prompts: [dxgpt_standard, short.txt]\n", SHOTS))


def test_sections_come_from_texts_and_tables(shots):
    ((_, composed),) = read(shots).own_prompts
    assert composed.user == (
        "Case: Fever, rash; it was Measles.\n\nCase: A toe {case}; it was Gout.\n\n"
        "text: Fever, rash\ndiagnosis: Measles\n\ntext: A toe {case}\ndiagnosis: Gout\n\n"
        "Age {column:age}, {column:Lab results}: {case_narrative}"
    )
    assert composed.system == "Answer as a physician in {column:country}."
    assert composed.placeholders == [
        *("case_narrative", "column:country", "column:age", "column:Lab results"),
    ]
    assert composed.columns["age"] == f"{shots.parent / 'short.txt'}, line 5"
    assert {file.name for file in read(shots).texts()} == {
        *("short.txt", "role.txt", "role_text.txt", "solved.csv"),
    }


@pytest.mark.parametrize(
    ("file", "text", "message"),
    [
        (
            "solved.csv",
            "text,diagnose\nFever,Measles\n",
            "has no column diagnosis. The nearest: diag",
        ),
        ("solved.csv", "text,diagnosis\n{case_narrative},Gout\n", "{case_narrative} in a cell"),
        ("short.txt", "{solved} {case}", "the section plain is not shown: write {plain}"),
        ("short.txt", "{solved} {plain}", "shows no case: write {case}"),
    ],
)
def test_a_mistake_in_a_section_is_told(shots, file, text, message):
    (shots.parent / file).write_text(text)
    with pytest.raises(ExperimentError) as error:
        read(shots)
    assert str(error.value).startswith(f"{shots}, line 11: ")
    assert message in str(error.value)


def test_a_model_may_be_like_another_but_for_some_keys(folder):
    text = "  - {name: warm, like: gpt4o, parameters: {temperature: 1}}\n"
    written(folder, GOOD.replace("  - local:my/model\n", text))
    models = {row["model_alias"]: row for row in registries.models()}
    assert models["warm"]["parameters"] == '{"temperature": 1}'
    for column in ("provider", "api_model", "api_key_env", "max_output_tokens", "family"):
        assert models["warm"][column] == models["gpt4o"][column]


def test_a_repeat_is_a_configuration_of_its_own(folder):
    experiment = read(written(folder, GOOD + "repeats: 3\n"))
    assert experiment.models[3:] == [
        f"{name}-r{n}" for name in experiment.models[:3] for n in (2, 3)
    ]
    models = {row["model_alias"]: row for row in registries.models()}
    assert models["gpt4o-r3"]["repeat_number"] == "3"
    assert models["gpt4o-r3"]["api_model"] == models["gpt4o"]["api_model"]
    assert models["mine-r2"]["base_url"] == "http://localhost:8000/v1"


def test_a_sample_has_one_seed(folder):
    sample = "sample: {cases: 20, seed: 7}"
    experiment = read(written(folder, GOOD.replace("sample: 20", sample)))
    assert (experiment.written.sample.cases, experiment.written.sample.seed) == (20, 7)
    (row,) = registries.experiment_table("configuration").to_pylist()
    assert row["sample_seed"] == "7"
    written(folder, GOOD.replace("sample: 20", "sample: {cases: 30, seed: 8}"), "other.yml")
    _, (mistake,) = registries.all_experiments()
    assert "has another sample of gpt4o/dxgpt_standard/my: give both one seed" in mistake


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
    assert "mend that line or the one before it; `kernel29 new` writes an" in mistakes[0]


@pytest.mark.parametrize(
    ("before", "after", "message"),
    [
        ("name: mine", "name: c3opus", "has a model c3opus: give yours another name"),
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
    assert experiment.written.sample.cases == 3
    assert not experiment.written.real_patients


PARTS = (Written, Model, Sample, Prompt, Table)
KEYS = sorted({key for part in PARTS for key in part.model_fields})
PAGE = Path(__file__).parents[3] / "docs" / "asking-models.md"


@pytest.mark.parametrize("key", KEYS)
def test_every_key_is_in_a_new_file_and_on_the_page(key):
    choices = writing.Choices(["my.csv"], ["local"], ["short.txt"])
    assert re.search(rf"\b{key}:\s", writing.text(choices, "new", "experiments/new.yml"))
    page = PAGE.read_text()
    assert f"`{key}`" in page or re.search(rf"\b{key}:\s", page)


def test_the_model_in_a_new_file_has_the_defaults(folder):
    """But for limits, prices and names, which have none."""
    text = writing.text(
        writing.Choices(["my.csv"], ["local"], ["short.txt"]), "new", "experiments/new.yml"
    )
    block = text[text.index("#   - name: my_model") : text.index("#   - {name: warm")]
    path = written(folder, text.replace(block, re.sub(r"(?m)^# ", "", block)))
    (model,) = read(path).own_models
    open_keys = {"api_model", "address", "key_env", "name", "family"}
    for key, field in Model.model_fields.items():
        default = field.get_default(call_default_factory=True)
        if default is not None and key not in open_keys:
            assert getattr(model, key) == default, key


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


def test_a_misspelt_column_is_told_with_its_line(folder, monkeypatch):
    monkeypatch.setenv("KERNEL29_CASES_DIR", str(folder / "cases"))
    path = written(folder, f"{GOOD}columns:\n  text: text\n  gold: Diagnosos\n")
    with pytest.raises(ExperimentError, match=r"mine\.yml, line 16: .*gold=Diagnosos: there is no"):
        prepared(path)
