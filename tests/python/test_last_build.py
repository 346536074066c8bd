"""When a build has nothing to do: every kind of change is seen, and what builds write is none."""

import datetime as dt

import pytest
from click.testing import CliRunner

from python_llm import paths
from python_llm.console.cli import main
from python_llm.job.build import NOTHING_ASKED
from python_llm.job.changes import last_build

RUN = {"mode": "off", "models": "", "max_usd": "1"}
PROJECT = {
    "dbt_project.yml": "name: p",
    "models/marts/dim_case.sql": "select 1",
    "seeds/calls/llm_models.csv": "model_alias,base_url_env,api_key_env\nm,,SOME_API_KEY\n",
    "python_llm/prompts/plain/user.txt": "{case}",
    "data/runs/a.parquet": "a",
    "ledger/segments/1.jsonl": "{}",
    "ledger/prompts/plain@1.json": "{}",
    "build/kernel29.duckdb": "a warehouse",
    "serve/kernel29.duckdb": "what is served",
    "serve/parquet/dim_case.parquet": "a table",
}


@pytest.fixture
def project(tmp_path, monkeypatch):
    """A project of few files that was built and noted."""
    for name in ("BUILD", "SERVE", "LEDGER", "DATA", "RUNS", "CASES", "LABELS", "TERMINOLOGY"):
        monkeypatch.delenv(f"KERNEL29_{name}_DIR", raising=False)
    monkeypatch.delenv("SOME_API_KEY", raising=False)
    for name, content in PROJECT.items():
        write(tmp_path / name, content)
    monkeypatch.chdir(tmp_path)
    last_build.remember(RUN, last_build.reads(RUN), ["WARN a rule: 1 row."])
    return tmp_path


def write(file, content):
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(content, encoding="utf-8")


def changed(run=RUN):
    return last_build.changes(last_build.last(), last_build.reads(run))


def test_a_plain_dbt_build_has_the_variables_of_make_build():
    """Or each would take what the other built for stale: 1.0 is not 1."""
    variables = paths.project_variables()
    assert {name: str(variables[name]) for name in NOTHING_ASKED} == NOTHING_ASKED


def test_nothing_has_changed_until_something_has(project):
    assert changed() == []
    assert last_build.last().messages == ["WARN a rule: 1 row."]
    write(project / "data" / ".runs.lock", "")  # taken by every import, left by all
    write(project / "docs" / "page.md", "a page is read by nobody who builds")
    (project / "models" / "marts" / "dim_case.sql").touch()  # as a checkout does
    assert changed() == []


@pytest.mark.parametrize(
    "name",
    [
        *("dbt_project.yml", "models/marts/dim_case.sql", "seeds/calls/llm_models.csv"),
        *("python_llm/prompts/plain/user.txt", "data/runs/a.parquet", "ledger/segments/1.jsonl"),
        *("ledger/prompts/plain@1.json", "serve/kernel29.duckdb", "serve/parquet/dim_case.parquet"),
    ],
)
def test_a_file_that_is_edited_new_or_gone_is_named(project, name):
    file = project / name
    content = file.read_text()
    write(file, content + "\n")
    assert changed() == [name]
    if name not in ("dbt_project.yml", "seeds/calls/llm_models.csv"):  # no build begins without
        file.unlink()
        assert changed() == [name]
    last_build.remember(RUN, last_build.reads(RUN), [])
    other = file.with_name(f"other{file.suffix}")
    write(other, content)
    if name.startswith(("models", "seeds", "python_llm", "data", "ledger", "serve/parquet")):
        assert changed() == [other.relative_to(project).as_posix()]


def test_a_warehouse_that_somebody_wrote_into_is_built_again(project):
    write(project / "build" / "kernel29.duckdb", "another warehouse")
    assert changed() == ["the warehouse"]


def test_options_keys_folders_and_the_day_count(project, monkeypatch):
    assert changed({**RUN, "models": "gpt4o"}) == ["option --models"]
    with monkeypatch.context() as patch:
        patch.setenv("SOME_API_KEY", "sk-secret-0123456789")
        assert changed() == ["environment variable SOME_API_KEY"]
        last_build.remember(RUN, last_build.reads(RUN), [])
        assert "sk-secret" not in (project / "build" / last_build.NAME).read_text()
        patch.setenv("SOME_API_KEY", "sk-another-0123456789")
        assert changed() == []  # a model can be called as before
    last_build.remember(RUN, last_build.reads(RUN), [])
    with monkeypatch.context() as patch:
        patch.setenv("KERNEL29_RUNS_DIR", str(project / "elsewhere"))
        assert "environment variable KERNEL29_RUNS_DIR" in changed()

    class Tomorrow(dt.date):
        @classmethod
        def today(cls):
            return dt.date(2999, 1, 1)

    monkeypatch.setattr(last_build.dt, "date", Tomorrow)
    assert changed() == ["the date"]


def test_only_what_others_write_meanwhile_is_a_change(project):
    before = last_build.reads(RUN)
    write(project / "ledger" / "prompts" / "plain@2.json", "a version seen for the first time")
    write(project / "data" / "runs" / "b.parquet", "imported while the build ran")
    last_build.remember(RUN, before, [])
    assert changed() == ["data/runs/b.parquet"]


def test_a_live_run_and_a_teams_ledger_always_build(monkeypatch):
    monkeypatch.delenv(last_build.TEAM_LEDGER, raising=False)
    assert last_build.can_be_current(RUN)
    assert last_build.can_be_current({**RUN, "mode": "replay"})
    assert not last_build.can_be_current({**RUN, "mode": "live"})
    monkeypatch.setenv(last_build.TEAM_LEDGER, "postgresql://ledger")
    assert not last_build.can_be_current(RUN)


@pytest.mark.parametrize("content", ["", "{", "[]", '{"ended_at": "now"}', '"a"'])
def test_a_damaged_note_is_none(project, content):
    write(project / "build" / last_build.NAME, content)
    assert last_build.last() is None


class Building:
    """`job.build.build`, which is only asked whether it was called."""

    def __init__(self, monkeypatch):
        self.arguments = []
        self.publishes = None
        monkeypatch.setattr("python_llm.job.build.build", self)
        monkeypatch.setattr("python_llm.console.leaderboard.read_leaderboard", lambda _: [])
        monkeypatch.setattr("python_llm.console.board.board", lambda _, **asked: "Board")

    def __call__(self, run, arguments, is_full):
        self.arguments.append(arguments)
        last_build.forget()
        if self.publishes:
            self.publishes.with_suffix(".new").write_text("what is served now")
            self.publishes.with_suffix(".new").replace(self.publishes)
        return True


def test_the_command_ends_at_once_and_can_be_overruled(project, monkeypatch):
    building, command = Building(monkeypatch), CliRunner()
    run = {name: option.default for name, option in options_of_build().items()}
    last_build.remember(run, last_build.reads(run), ["WARN a rule: 1 row."])
    done = command.invoke(main, ["build"])
    assert done.exit_code == 0, done.output
    assert building.arguments == []
    assert "WARN a rule: 1 row." in done.output
    assert "Nothing has changed since the build of" in done.output
    assert "Board" in done.output
    (project / "models" / "marts" / "dim_case.sql").write_text("select 2")
    assert "Changed since the last build: models/marts/dim_case.sql." in (
        command.invoke(main, ["build"]).output
    )
    assert building.arguments == [()]
    last_build.remember(run, last_build.reads(run), [])
    for more in (["--full"], ["--", "--full-refresh"], ["--mode", "live"]):
        command.invoke(main, ["build", *more])
        last_build.remember(run, last_build.reads(run), [])
    assert building.arguments == [(), (), ("--full-refresh",), ()]


def test_a_build_of_a_part_says_whether_it_was_served(project, monkeypatch):
    building, command = Building(monkeypatch), ["build", "--", "--select", "dim_case"]
    done = CliRunner().invoke(main, command)
    assert "Nothing was published" in done.output
    assert "Served:" not in done.output
    building.publishes = project / "serve" / "kernel29.duckdb"
    done = CliRunner().invoke(main, command)
    assert "Served:" in done.output
    assert "Nothing was published" not in done.output


def options_of_build():
    return {
        option.name: option
        for option in main.commands["build"].params
        if option.name not in ("full", "explain", "dbt_arguments")
    }
