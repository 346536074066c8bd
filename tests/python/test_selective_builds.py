"""A build of what changed leaves what a build of everything leaves in an empty folder."""

import random
import shutil
from types import SimpleNamespace
from typing import ClassVar

import changing
import growing
import pytest
from growing import Growing

from python_llm.job import build as job
from python_llm.job import state_plugin
from python_llm.job.changes import digests, selection

pytestmark = pytest.mark.slow

NEW_MART = "select code, weight from {{ ref('fct_weight') }}"
SERVED = '"fct_new": dbt.ref("fct_new"),'
NEW_TEST = "select * from {{ ref('fct_weight') }} where total < 0"
AT_MOST = ("most: 1000", "most: 999")
# name: what is done to the project; what has to be built besides what follows, or None if anything
CHANGES = {
    "nothing": (lambda g: None, set()),
    "a row of a seed": (lambda g: g.edit("seeds/weights.csv", ("b,2", "b,4")), {"weights"}),
    "a row of a seed back": (lambda g: g.edit("seeds/weights.csv", ("b,4", "b,2")), {"weights"}),
    "the order of a seed's rows": (
        lambda g: g.edit("seeds/names.csv", ("a,Anna\nb,Berta\n", "b,Berta\na,Anna\n")),
        {"names"},
    ),
    "a new column of a seed": (
        lambda g: (
            g.write("seeds/names.csv", "code,name,born\na,Anna,1\nb,Berta,2\nc,Cora,3\n"),
            g.edit("seeds/_seeds.yml", ("name: varchar}", "name: varchar, born: integer}")),
        ),
        {"names"},
    ),
    "a type of a seed": (
        lambda g: g.edit("seeds/_seeds.yml", ("weight: integer", "weight: bigint")),
        {"weights"},
    ),
    "a word of a prompt": (
        lambda g: g.edit("python_llm/prompts/plain/user.txt", ("Say", "Tell")),
        {"stg_prompt"},
    ),
    "a new prompt": (
        lambda g: g.write("python_llm/prompts/short/user.txt", "Say."),
        {"stg_prompt"},
    ),
    "a macro": (lambda g: g.edit("macros/multiplied.sql", ("*", "+")), {"int_multiplied"}),
    "a macro that a macro calls": (
        lambda g: g.edit("macros/multiplied.sql", ("offset() %}1", "offset() %}3")),
        {"int_multiplied"},
    ),
    "a macro that nobody calls": (
        lambda g: g.edit("macros/multiplied.sql", ("nobody() %}2", "nobody() %}4")),
        set(),
    ),
    "a macro of how tables are made": (
        lambda g: g.edit("macros/dbt/table.sql", ("Drops a relation", "Removes a relation")),
        set(),
    ),
    "a model": (
        lambda g: g.edit("models/int_total.sql", ("sum(weight)", "2 * sum(weight)")),
        {"int_total"},
    ),
    "a model that says the same": (
        lambda g: g.edit("models/int_codes.sql", ("select code", "select code as code")),
        {"int_codes"},
    ),
    "a comment in a view": (
        lambda g: g.edit("models/int_lengths.sql", ("select prompt", "-- letters\nselect prompt")),
        {"int_lengths"},
    ),
    "a contract": (
        lambda g: (
            g.edit("models/_models.yml", ("data_type: boolean", "data_type: integer")),
            g.edit("models/dim_name.sql", ("codes.code is not null", "len(codes.code)::integer")),
        ),
        {"dim_name"},
    ),
    "a description": (
        lambda g: g.edit("models/_models.yml", ("description: The code.", "description: A code.")),
        {"dim_name"},
    ),
    "a description of a seed": (
        lambda g: g.edit("seeds/_seeds.yml", ("One row per code.", "One row for each code.")),
        {"weights", "names"},
    ),
    "a description of a test": (
        lambda g: g.edit("tests/_tests.yml", ("Names begin", "A name begins")),
        set(),
    ),
    "a variable that nobody reads": (lambda g: {"unused": 5}, set()),
    "a variable": (lambda g: {"factor": 5}, {"int_multiplied"}),
    "the mode": (lambda g: {"mode": "replay"}, {"rpt_outside"}),
    "an answer in the ledger": (lambda g: g.write("ledger/2.txt", "another"), {"stg_answer"}),
    "a recorded run": (lambda g: g.write("runs/two.parquet", "another"), {"stg_run"}),
    "a recorded run that is gone": (
        lambda g: (g.folder / "runs" / "one.parquet").unlink(),
        {"stg_run"},
    ),
    "a helper of a Python model": (
        lambda g: g.edit("python_llm/growing_near.py", ("+ SEPARATOR", "+ SEPARATOR * 2")),
        {"stg_prompt"},
    ),
    "a helper two imports away": (
        lambda g: g.edit("python_llm/growing_far.py", ('SEPARATOR = "."', 'SEPARATOR = "!"')),
        {"stg_prompt"},
    ),
    "a module that no model reaches": (
        lambda g: g.edit("python_llm/growing_apart.py", ("1", "2")),
        set(),
    ),
    "a deleted table": (lambda g: g.execute("drop table int_total"), {"int_total"}),
    "a deleted view": (lambda g: g.execute("drop view int_lengths"), {"int_lengths"}),
    "an altered row": (lambda g: g.execute("update dim_name set name = 'X'"), {"dim_name"}),
    "an altered row of a seed": (lambda g: g.execute("delete from weights"), {"weights"}),
    "a comment somebody wrote": (
        lambda g: g.execute("comment on column fct_weight.weight is 'mine'"),
        {"fct_weight"},
    ),
    "a column somebody added": (
        lambda g: g.execute("alter table int_total add column more integer"),
        {"int_total"},
    ),
    "another version of a package": (
        lambda g: g.write("requirements.lock", "duckdb==1.5.0\nno-such-package==1\n"),
        None,
    ),
    "a profile": (lambda g: g.edit("profiles.yml", ("threads: 2", "threads: 1")), None),
    "a deleted warehouse": (
        lambda g: (g.folder / "build" / "kernel29.duckdb").unlink(),
        None,
    ),
    "no notes on what was built": (lambda g: g.execute("drop schema build_state cascade"), None),
    "a served file somebody wrote": (
        lambda g: g.write("serve/parquet/dim_name.parquet", "mine"),
        {"publication"},
    ),
    "a served database that is gone": (
        lambda g: (g.folder / "serve" / "kernel29.duckdb").unlink(),
        {"publication"},
    ),
    "a new mart": (
        lambda g: (
            g.write("models/fct_new.sql", NEW_MART),
            g.edit("models/publication.py", ("marts = {", f"marts = {{{SERVED}")),
        ),
        {"fct_new", "publication"},
    ),
    "a renamed model": (
        lambda g: (
            (g.folder / "models" / "int_codes.sql").rename(g.folder / "models" / "int_code.sql"),
            g.edit("models/dim_name.sql", ("int_codes", "int_code")),
        ),
        {"int_code", "dim_name"},
    ),
    "a mart that is no longer served": (
        lambda g: g.edit("models/publication.py", ('"rpt_outside": dbt.ref("rpt_outside"),', "")),
        {"publication"},
    ),
    "a view that becomes a table": (
        lambda g: g.edit("models/int_lengths.sql", ('materialized="view"', 'materialized="table"')),
        {"int_lengths"},
    ),
    "a new test": (lambda g: g.write("tests/new.sql", NEW_TEST), {"new"}),
    "another limit of a test": (
        lambda g: g.edit("models/_models.yml", AT_MOST),
        {"at_most_fct_weight_weight__999"},
    ),
}  # fmt: skip


COMPARED = 4  # changes before everything is compared with a build in an empty folder


@pytest.fixture(scope="module")
def project(tmp_path_factory):
    return copied(tmp_path_factory.mktemp("growing"))


def copied(folder):
    """A project that was built, and built again here: files that were copied are other files."""
    shutil.copytree(growing.once() / "project", folder / "project")
    project = Growing(folder / "project")
    project.build()
    return project


def changed(project, change):
    """Make a change and build; the variables it is built with."""
    do, first = CHANGES[change]
    asked = do(project)
    variables = asked if isinstance(asked, dict) else {}
    built = project.build(**variables)
    assert set(built.values()) <= {"success", "pass"}, f"{change}: {built}"
    if first is not None:
        assert first <= built.keys(), f"{change}: {built}"
        assert first or change == "a macro of how tables are made" or not built, change
    return variables


@pytest.mark.parametrize("start", range(0, len(CHANGES), COMPARED))
def test_every_kind_of_change_one_after_another(project, tmp_path, start):
    for change in [*CHANGES][start : start + COMPARED]:
        variables = changed(project, change)
    afresh = project.afresh(tmp_path / "afresh", **variables)
    assert project.content() == afresh.content()


def test_changes_in_a_random_order(tmp_path):
    """Twelve; `make torture` makes 200. The order is new in every run, and is printed."""
    seed = random.randrange(10**9)
    print(f"seed {seed}")
    draw = random.Random(seed)
    for names, different in changing.at_random(copied(tmp_path), tmp_path / "afresh", draw, 12, 12):
        assert different == [], names


def test_a_full_build_and_plain_dbt_leave_the_state_true(project):
    assert project.build(full=True).keys() >= {"weights", "publication", "unique_dim_name_code"}
    assert project.build() == {}
    project.edit("seeds/weights.csv", ("a,1", "a,7"))
    project.plain_build()
    assert project.build() == {}


def test_a_command_that_was_given_its_project_looks_for_it_once(monkeypatch):
    """What dbt was given says nothing of when it was parsed, and every node asks."""
    read = []
    monkeypatch.setattr(state_plugin.Project, "read", lambda *_: read.append(1) or Unparsed())
    for invocation in ("one", "one", "other"):
        monkeypatch.setattr(state_plugin, "get_invocation_id", lambda name=invocation: name)
        assert state_plugin.parsed_just_now() is None
    assert len(read) == 2


class Unparsed:
    """A project that another command has parsed."""

    manifest: ClassVar = {"metadata": {"invocation_id": "an earlier one"}}


def test_what_was_parsed_is_written_when_it_has_changed(tmp_path):
    project = Growing.make(tmp_path / "parsed")
    written = project.folder / "target" / "manifest.json"
    with project.parsed():
        first = written.stat().st_mtime_ns
    with project.parsed():
        assert written.stat().st_mtime_ns == first
    project.write("models/int_total.sql", "select 29 as total from {{ ref('weights') }}")
    with project.parsed() as dbt:
        assert "select 29 as total" in dbt.project.nodes["model.growing.int_total"]["raw_code"]
        assert "select 29 as total" in written.read_text()


def test_what_is_due_is_explained_as_it_is_built(project, capsys):
    """Nor does the explanation touch the warehouse, which the next build would read whole."""
    project.edit("models/_models.yml", ("description: Its weight.", "description: The weight."))
    project.edit("seeds/names.csv", ("b,Berta", "b,Bea"))
    before = digests.look(project.warehouse)
    with project.parsed() as dbt:
        explained = job.reasons(dbt.project, project.warehouse)
    assert digests.look(project.warehouse) == before
    capsys.readouterr()
    project.build()
    printed = capsys.readouterr().out
    assert {names[0] for _, names in explained} == {"fct_weight", "names", "publication"}
    assert printed.count(", because: ") == len(explained)
    for reason, names in explained:
        assert f"  {names[0]}, because: {reason}\n" in printed


def test_an_upgrade_names_a_few_of_what_changed(capsys):
    modules = [f"module m{number}" for number in range(5)]
    nodes = {"model.a": {"name": "a"}, "model.b": {"name": "b"}}
    why = {"model.a": f"{', '.join(modules)} changed", "model.b": "seed x changed"}
    said = "2 pass, 3 reused (due, but what they read proved unchanged), 1 success"
    assert job.counted({"success": 1, "reused": 3, "pass": 2}) == said
    assert job.counted({}) == "nothing to do"
    job._print_reasons(SimpleNamespace(nodes=nodes), why, 9)
    printed = capsys.readouterr().out
    assert "a, because: module m0, module m1, module m2 and 2 more changed\n" in printed
    assert "b, because: seed x changed\n" in printed
    assert printed.endswith("`kernel29 build --explain` has them all\n")


def test_a_failed_test_stays_due_and_stops_what_follows(project):
    before = (project.folder / "serve" / "parquet" / "dim_name.parquet").read_bytes()
    project.edit("seeds/names.csv", ("Anna", "anna"))
    for _ in range(2):
        built = project.build()
        assert built["names_are_capital"] == "fail"
        assert built.get("publication", "skipped") == "skipped"
    assert (project.folder / "serve" / "parquet" / "dim_name.parquet").read_bytes() == before
    project.edit("seeds/names.csv", ("anna", "Anna"))
    built = project.build()
    assert built["names_are_capital"] == "pass"
    assert project.build() == {}


def test_a_test_that_fails_on_what_it_once_passed_on_is_due(project):
    flag = project.folder / "flag.csv"
    flag.write_text("n\n0\n")
    rows = f"read_csv('{flag}', columns = {{'n': 'integer'}}, header = true)"
    project.write("tests/looks_elsewhere.sql", f"select * from {rows} where n > 0")
    assert project.build() == {"looks_elsewhere": "pass"}
    flag.write_text("n\n1\n")
    assert project.build() == {}  # nothing says that it reads the file
    assert project.build(full=True)["looks_elsewhere"] == "fail"
    assert project.build()["looks_elsewhere"] == "fail"
    (project.folder / "tests" / "looks_elsewhere.sql").unlink()


def test_a_build_killed_in_the_middle_is_finished_by_the_next(project, tmp_path):
    """By a model that kills its process as soon as its parents are built."""
    total = "select 1 + sum(weight)::bigint as total from {{ ref('int_multiplied') }}"
    project.write("models/int_total.sql", total)
    project.edit("seeds/weights.csv", ("c,3", "c,5"))
    changing.killed(project)
    project.build()
    assert project.content() == project.afresh(tmp_path / "afresh").content()


def test_nothing_is_built_from_what_has_not_passed(project):
    """The tests of a table come before what follows from it; a test of two tables after both."""
    project.write(
        "tests/of_two.sql",
        "select * from {{ ref('int_multiplied') }} cross join {{ ref('publication') }} where false",
    )
    project.write("seeds/weights.csv", "code,weight\na,1\nb,8\nc,3\n")
    turns = {name: turn for turn, name in enumerate(project.build())}
    with project.parsed() as dbt:
        graph = selection.Graph(dbt.project.children)
        names = {name: name.split(".")[2] for name in dbt.project.nodes}
    assert turns["of_two"] > turns["publication"]
    followed = 0
    for model in (name for name in names if not name.startswith("test.")):
        before = graph.ancestors([model])
        for test in (name for name in names if name.startswith("test.")):
            read = {*graph.parents.get(test, ())}
            if {names[model], names[test]} <= turns.keys() and read and read <= before:
                assert turns[names[test]] < turns[names[model]], f"{model} is before {test}"
                followed += 1
    assert followed


def test_what_names_its_run_is_as_old_as_what_is_built_on_it(tmp_path):
    """Whatever makes something on it stale, and not if a table on the way comes out as it was."""
    project = Growing.make(tmp_path / "of_run")
    project.write("models/int_run.sql", "select '{{ invocation_id }}' as run_id")
    project.write(
        "models/fct_of_run.sql",
        "select run_id, total from {{ ref('int_run') }} cross join {{ ref('int_total') }}",
    )
    project.write("models/int_total.sql", "select sum(weight) as total from {{ ref('weights') }}")
    project.write("seeds/weights.csv", "code,weight\na,1\nb,2\nc,3\n")
    assert project.build().keys() >= {"int_run", "fct_of_run"}
    project.write("seeds/weights.csv", "code,weight\na,1\nb,9\nc,3\n")
    assert project.build().keys() >= {"int_run", "fct_of_run"}
    project.write("seeds/weights.csv", "code,weight\na,9\nb,1\nc,3\n")
    built = project.build()
    assert "int_total" in built
    assert not built.keys() & {"int_run", "fct_of_run"}
    assert project.build() == {}


@pytest.fixture(scope="module")
def apart(tmp_path_factory):
    """A project that the tests above have not changed."""
    return copied(tmp_path_factory.mktemp("apart"))


def withheld(names):
    return (
        f"What is served stays as it was, because {names} not current or not tested: "
        "`kernel29 build` brings that up to date and serves it.\n"
    )


def test_a_part_is_not_served_beside_what_is_stale(apart, tmp_path, capfd):
    """Neither with dbt alone nor through the main job; the next build serves everything."""
    apart.build()
    before = apart.served()
    apart.edit("seeds/weights.csv", ("c,", "d,"))
    apart.edit("models/int_total.sql", ("select ", "select 2 * "))
    for command in ("build", "run"):
        apart.plain_build(command, "--select", "dim_name+1")
        assert withheld("int_total, weights are") in capfd.readouterr().out
    with apart.parsed() as dbt:
        job.build_due(dbt, apart.warehouse, ("--select", "dim_name+1"), is_full=False)
    assert withheld("int_total, weights are") in capfd.readouterr().out
    assert apart.served() == before
    assert "publication" in apart.build()
    assert apart.content() == apart.afresh(tmp_path / "afresh").content()


def test_why_a_part_was_not_served_is_explained(apart):
    apart.build()
    apart.edit("models/int_total.sql", ("select ", "select 3 * "))
    apart.plain_build("build", "--select", "dim_name+1")
    reasons = apart.explained()
    assert reasons["publication"] == (
        "it was not served, because int_total is not current or not tested"
    )
    assert apart.explained() == reasons
    assert "publication" in apart.build()
    assert apart.explained() == {}


def test_a_part_whose_rows_are_new_is_served_once_all_is(apart, tmp_path):
    """The build that follows finds every table as it would make it, and serves them."""
    apart.build()
    before = apart.served()
    apart.edit("seeds/names.csv", ("Berta", "Bea"))
    apart.plain_build("build", "--select", "dim_name+1")
    apart.plain_build("seed")
    apart.plain_build("build", "--select", "names+1", "fct_weight")
    assert apart.served() == before
    apart.build()
    assert apart.content() == apart.afresh(tmp_path / "afresh").content()


def test_a_part_beside_what_is_current_is_served(apart, tmp_path):
    apart.build()
    before = apart.served()
    apart.edit("models/rpt_outside.sql", ("as n_runs", "+ 100 as n_runs"))
    apart.plain_build("build", "--select", "rpt_outside+")
    assert apart.served() != before
    assert apart.content() == apart.afresh(tmp_path / "afresh").content()


def test_a_part_is_not_served_beside_what_failed(apart, capfd):
    apart.build()
    before = apart.served()
    apart.edit("seeds/names.csv", ("Anna", "anna"))
    assert apart.build()["names_are_capital"] == "fail"
    apart.plain_build("build", "--select", "rpt_outside+1", "fct_weight")
    assert withheld("names_are_capital is") in capfd.readouterr().out
    apart.edit("seeds/names.csv", ("anna", "Anita"))
    apart.plain_build("seed")
    apart.plain_build("run")
    assert apart.served() == before
    apart.build()
    assert apart.served() != before


def test_what_dbt_was_given_is_not_served_in_part(apart, capfd, monkeypatch):
    """Of a project that was parsed by another command nobody knows what is current."""
    apart.build()
    monkeypatch.setattr(state_plugin, "parsed_just_now", lambda: None)
    apart.plain_build("run", "--select", "rpt_outside+1")
    assert withheld("what this run left out is") in capfd.readouterr().out
