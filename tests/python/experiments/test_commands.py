"""`kernel29 new` and `kernel29 run` before any build."""

from types import SimpleNamespace

import duckdb
import pytest
from click.testing import CliRunner

from python_llm.console.cli import main
from python_llm.experiments.file import read
from python_llm.job import build
from python_llm.job.planning import experiment, plan


@pytest.fixture
def folder(tmp_path, monkeypatch):
    for name in ("EXPERIMENTS", "CASES"):
        monkeypatch.setenv(f"KERNEL29_{name}_DIR", str(tmp_path / name.lower()))
    return tmp_path


def invoke(*arguments: str):
    return CliRunner().invoke(main, [*arguments])


def test_new_writes_a_file_once(folder):
    assert invoke("new", "mine").exit_code == 0
    assert read(folder / "experiments" / "mine.yml").models == ["local"]
    assert "is no name of an experiment" in invoke("new", "../mine").output
    again = invoke("new", "mine")
    assert again.exit_code == 1
    assert "is there already" in again.output


def test_run_says_which_options_are_missing(folder):
    done = invoke("run", "--cases", "my.csv")
    assert "missing: --models, --prompts." in done.output


def test_options_write_a_file_and_never_over_another(folder, monkeypatch):
    monkeypatch.setattr(experiment, "prepared", interrupted)
    options = ("--cases", "simulated_rare_200", "--models", "local", "--prompts", "dxgpt_json")
    invoke("run", *options)
    path = folder / "experiments" / "simulated_rare_200.yml"
    assert read(path).prompts == ["dxgpt_json"]
    before = path.read_text()
    other = invoke("run", *options, "--max-usd", "7")
    assert "says something else: run it, or give another --name" in other.output
    assert path.read_text() == before


@pytest.mark.parametrize(
    ("written", "message"),
    [
        ("models: gtp4o", "line 3: there is no model 'gtp4o'. The nearest: gpt4o"),
        ("models: {name: m, like: gtp4o}", "line 3: there is no model 'gtp4o'. The nearest: gpt4o"),
        ("models: gtp4o:x", "line 3: there is no model 'gtp4o'. The nearest: gpt4o"),
        (
            "models: gpt4o\njudges: gpt4o",
            "line 4: there is no judge 'gpt4o'. The nearest: gpt4o_judge",
        ),
    ],
)
def test_a_name_that_does_not_exist_is_told(folder, written, message):
    invoke("new", "mine")
    path = folder / "experiments" / "mine.yml"
    path.write_text(f"cases: simulated_rare_200\nprompts: dxgpt_json\n{written}\n")
    assert message in invoke("run", str(path)).output


def test_real_patients_go_to_approved_models_only(folder):
    own = folder / "experiments"
    own.mkdir()
    (own / "notes.csv").write_text("id,text,diagnosis\np1,A long note of a patient.,Gout\n")
    model = "{name: mine, api_model: m, address: 'http://localhost:1/v1'}"
    (own / "mine.yml").write_text(f"cases: notes.csv\nprompts: dxgpt_json\nmodels: {model}\n")
    assert "mine may not see cases of real patients" in invoke("run", str(own / "mine.yml")).output


def test_a_set_of_real_patients_says_why_nothing_is_sent(folder):
    notes = folder / "notes.csv"
    notes.write_text("id,text,diagnosis\np1,A long note of a patient.,Gout\n")
    assert invoke("cases", "import", str(notes), "--test-set", "ward").exit_code == 0
    model = "{name: mine, api_model: m, address: 'http://localhost:1/v1'}"
    own = folder / "experiments" / "mine.yml"
    own.parent.mkdir()
    own.write_text(f"cases: ward\nprompts: dxgpt_json\nmodels: {model}\n")
    output = invoke("run", str(own)).output
    assert "as those of ward count" in output
    assert "phi_approved" in output
    assert "--no-phi --replace" in output


def test_a_run_that_fails_leaves_no_file_of_its_own(folder):
    options = ("--cases", "no_such_set", "--models", "local", "--prompts", "dxgpt_json")
    failed = invoke("run", *options)
    assert failed.exit_code == 1
    assert not list((folder / "experiments").glob("*.yml"))
    kept = folder / "experiments" / "mine.yml"
    kept.write_text("cases: no_such_set\nmodels: local\nprompts: dxgpt_json\n")
    assert invoke("run", str(kept)).exit_code == 1
    assert kept.exists()


def test_a_file_elsewhere_is_refused(folder):
    (folder / "mine.yml").write_text("cases: a\n")
    assert "move it there" in invoke("run", str(folder / "mine.yml")).output


def interrupted(*_: object) -> None:
    raise KeyboardInterrupt


def test_ctrl_c_ends_in_one_sentence(folder, monkeypatch):
    monkeypatch.setattr(experiment, "prepared", interrupted)
    done = invoke("run", "mine.yml")
    assert done.exit_code == 130
    assert done.output.startswith("Stopped. Every answer that arrived is kept")


def test_ctrl_c_in_dbt_is_ctrl_c(monkeypatch):
    outcome = SimpleNamespace(exception=KeyboardInterrupt(), result=None)
    runner = SimpleNamespace(invoke=lambda _: outcome)
    monkeypatch.setattr(build, "dbtRunner", lambda **_: runner)
    with pytest.raises(KeyboardInterrupt):
        build.Dbt({}, build.Progress())


def test_a_page_opens_at_the_experiment(folder, monkeypatch):
    opened = []
    monkeypatch.setattr("python_llm.console.results.write_page", lambda *_: 1)
    monkeypatch.setattr("webbrowser.open", lambda address: opened.append(address) or True)
    invoke("new", "mine")
    done = invoke("view", "experiments/mine.yml")
    assert done.exit_code == 0, done.output
    assert opened[0].startswith("file:///")
    assert opened[0].endswith(
        "report.html#test_set=simulated_rare_200&model=local&prompt=dxgpt_standard"
    )
    assert opened[0] in done.output
    assert "The nearest: mine" in invoke("view", "mone").output
    assert "#" not in invoke("view", "--no-browser").output
    assert len(opened) == 1


@pytest.mark.parametrize("dry", [True, False])
def test_a_plan_needs_no_key(folder, monkeypatch, dry):
    """What it would cost, and then what is missing; without --dry-run the latter alone."""
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    monkeypatch.setattr(build, "plan", lambda run: [])
    monkeypatch.setattr(experiment, "first_requests", lambda *_: iter(()))
    monkeypatch.setattr(plan, "left_out", lambda *_: ["Warning: rarebench has no cases"])
    invoke("new", "mine")
    path = folder / "experiments" / "mine.yml"
    path.write_text("cases: simulated_rare_200\nprompts: dxgpt_json\nmodels: gpt4o\n")
    done = invoke("run", str(path), *(["--dry-run"] if dry else []))
    assert done.exit_code == (0 if dry else 1)
    assert ("Plan:" in done.output) is dry
    assert ("Warning: rarebench has no cases\n" in done.output) is dry
    assert ("Nothing was sent. Before it can be sent: Model 'gpt4o'" in done.output) is dry
    assert "set OPENAI_API_KEY" in done.output


def test_an_empty_set_and_recorded_cells_are_told(folder):
    """Of the models that are planned, of the same prompts and sets; the rest took no cell."""
    warehouse = folder / "built.duckdb"
    with duckdb.connect(str(warehouse)) as connection:
        connection.execute(
            "create table bridge_test_set_case as select 'simulated_rare_200' as test_set"
        )
        connection.execute(
            """create table int_experiments__expected_cells as
            select model_alias, prompt_alias, test_set, model_kind, sample_order
            from (values ('a', 'p', 's', 'llm'), ('b', 'p', 's', 'recorded'),
                ('b', 'q', 's', 'llm'), ('c', 'p', 's', 'recorded'), ('b', 'own', 's', 'recorded'))
                as cells (model_alias, prompt_alias, test_set, model_kind),
            range(1, 3) as cases (sample_order)"""
        )
    run = dict.fromkeys(("models", "prompts", "test_sets", "limit"), "")
    [recorded] = plan.left_out(run, warehouse)
    assert "not asked again, and not in the plan: b 2 (" in recorded
    assert "b 1 (" in plan.left_out({**run, "limit": "1"}, warehouse)[0]
    assert plan.left_out({**run, "prompts": "q"}, warehouse) == []
    assert plan.left_out({**run, "models": "a"}, warehouse) == []
    [empty] = plan.left_out({**run, "test_sets": "simulated_rare_200,rarebench"}, warehouse)
    assert empty.startswith("Warning: rarebench has no cases, so nothing is asked about it")


def test_a_model_elsewhere_without_a_price_is_told(folder):
    invoke("new", "mine")
    path = folder / "experiments" / "mine.yml"
    models = [
        "{name: here, api_model: own, address: 'http://localhost:1/v1'}",
        "{name: there, api_model: m, address: 'https://models.example/v1'}",
        "{name: priced, api_model: n, address: 'https://models.example/v1',"
        " input_usd_per_mtok: 1, output_usd_per_mtok: 2}",
        "gpt4o",
    ]
    path.write_text(
        f"cases: simulated_rare_200\nprompts: dxgpt_json\nmodels: [{', '.join(models)}]\n"
    )
    [sentence] = experiment.counted_as_free(read(path))
    assert sentence.startswith("there has no price in mine.yml and counts as free")
    assert "if models.example bills" in sentence
