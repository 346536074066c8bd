"""A project laid out from the package: where it runs, and what an upgrade does to it."""

import subprocess
import sys
import sysconfig
import zipfile

import duckdb
import pytest
from click.testing import CliRunner

from python_llm import paths
from python_llm.console.cli import main
from python_llm.job.projects import layout, merging
from python_llm.job.projects.layout import Release

ROOT = paths.project_root()
SQL = b"select\n    a,\n    b,\n    c,\n    d,\n    e\nfrom t\n"
SEED = b"alias,price\nfast,1\nslow,2\n"
OLD = Release(
    "1.0.0",
    {
        "dbt_project.yml": b"name: kernel29\n",
        "python_llm/prompts/p/user.txt": b"Say.\n",
        "models/m.sql": SQL,
        "models/gone.sql": b"select 1\n",
        "seeds/s.csv": SEED,
        "baselines/b/1.parquet": b"one",
    },
)


@pytest.fixture
def project(tmp_path):
    folder = tmp_path / "mine"
    layout.init(folder, OLD)
    return folder


def newer(**changes):
    """The next release: a file by its path, None for one that is no longer there."""
    files = {**OLD.files, **{name.replace("__", "/"): text for name, text in changes.items()}}
    return Release("1.1.0", {name: text for name, text in files.items() if text is not None})


def upgraded(project, **changes):
    release = newer(**{name.replace("_sql", ".sql"): text for name, text in changes.items()})
    plan = layout.planned(project, release)
    layout.carry_out(project, release, plan)
    assert layout.planned(project, release).contents == {}
    assert Release.of(project).version == "1.1.0"
    return plan.outcomes


def files_of(folder):
    return {
        file.relative_to(folder).as_posix(): file.read_bytes()
        for file in folder.rglob("*")
        if file.is_file() and layout.HOME not in file.parts
    }


def test_what_nobody_changed_is_brought_up_to_date(project):
    changes = {"models/m.sql": b"select 2\n", "models/new.sql": b"select 3\n"}
    outcomes = upgraded(project, **changes, **{"models/gone.sql": None})
    assert outcomes == {
        "models/m.sql": layout.REPLACED,
        "models/new.sql": layout.ADDED,
        "models/gone.sql": layout.REMOVED,
    }
    own = files_of(project)
    assert own["models/m.sql"] == b"select 2\n"
    assert own["models/new.sql"] == b"select 3\n"
    assert "models/gone.sql" not in own


def test_what_is_the_users_is_not_touched(project):
    for name in ("data/cases/a.parquet", "ledger/segments/1.jsonl", "experiments/e.yml"):
        (project / name).parent.mkdir(parents=True, exist_ok=True)
        (project / name).write_bytes(b"mine")
    (project / "baselines/b/1.parquet").write_bytes(b"promoted")
    (project / "models/extra.sql").write_bytes(b"select 'mine'\n")
    before = files_of(project)
    upgraded(project, **{"baselines/b/1.parquet": b"two", "baselines/b/2.parquet": b"two"})
    assert files_of(project) == before


def test_a_row_of_the_users_stands_in_the_newer_table(project):
    (project / "seeds/s.csv").write_bytes(SEED.replace(b"slow,2\n", b"mine,5\n"))
    newer_seed = b"alias,maker,price\nnew,x,9\nfast,x,1\nslow,,2\n"
    outcomes = upgraded(project, **{"seeds/s.csv": newer_seed.replace(b"fast,x", b"fast,")})
    assert outcomes == {"seeds/s.csv": layout.MERGED}
    text = (project / "seeds/s.csv").read_bytes()
    assert text == b"alias,maker,price\nnew,x,9\nfast,,1\nmine,,5\n"


def test_a_change_on_both_sides_is_set_aside_and_named(project):
    mine = SQL.replace(b"b,", b"b as mine,")
    (project / "models/m.sql").write_bytes(mine)
    outcomes = upgraded(project, **{"models/m.sql": SQL.replace(b"b,", b"b as theirs,")})
    assert outcomes == {"models/m.sql": layout.SET_ASIDE}
    assert b"theirs" in (project / "models/m.sql").read_bytes()
    assert (project / layout.HOME / layout.ASIDE / "1.0.0/models/m.sql").read_bytes() == mine


def test_a_changed_file_of_no_release_is_kept_aside(project):
    (project / "models/gone.sql").write_bytes(b"select 'mine'\n")
    assert upgraded(project, **{"models/gone.sql": None}) == {
        "models/gone.sql": layout.NOT_IN_RELEASE
    }
    aside = project / layout.HOME / layout.ASIDE / "1.0.0/models/gone.sql"
    assert aside.read_bytes() == b"select 'mine'\n"
    assert not (project / "models/gone.sql").exists()


def test_what_the_user_deleted_stays_deleted(project):
    (project / "models/m.sql").unlink()
    assert upgraded(project, **{"models/m.sql": b"select 2\n"}) == {"models/m.sql": layout.LEFT_OUT}
    assert not (project / "models/m.sql").exists()


def test_the_files_that_the_user_has_changed_are_named(project):
    (project / "seeds/s.csv").write_bytes(SEED + b"mine,x,5\n")
    plan = layout.planned(project, newer(**{"models/m.sql": b"select 2\n"}))
    assert list(layout.report(plan)) == [
        "1 file: brought up to date",
        "1 file: yours, kept",
        "  seeds/s.csv",
    ]


def test_an_interrupted_upgrade_is_repeated(project):
    (project / "models/m.sql").write_bytes(SQL.replace(b"b,", b"b as mine,"))
    release = newer(**{"models/m.sql": SQL.replace(b"e\n", b"e,\n    f\n"), "models/n.sql": b"1"})
    plan = layout.planned(project, release)
    (project / "models/n.sql").write_bytes(plan.contents["models/n.sql"])  # and then the power went
    layout.carry_out(project, release, layout.planned(project, release))
    own = files_of(project)
    assert own["models/m.sql"] == SQL.replace(b"b,", b"b as mine,").replace(b"e\n", b"e,\n    f\n")
    assert own["models/n.sql"] == b"1"


@pytest.mark.parametrize(
    ("own", "now", "together"),
    [
        ((b"a,", b"x,"), (b"d,", b"y,"), SQL.replace(b"a,", b"x,").replace(b"d,", b"y,")),
        ((b"a,", b"x,"), (b"a,", b"x,"), SQL.replace(b"a,", b"x,")),
        ((b"a,", b"x,"), (b"a,", b"y,"), None),
        ((b"a,", b"x,"), (b"    b,\n", b""), None),  # side by side
        ((b"e\n", b"e,\n    x\n"), (b"e\n", b"e,\n    y\n"), None),
    ],
)
def test_lines_that_do_not_touch_go_together(own, now, together):
    assert merging.merged_lines(SQL, SQL.replace(*own), SQL.replace(*now)) == together


@pytest.mark.parametrize(
    ("own", "now"),
    [
        (b"alias,price\nfast,3\nslow,2\n", b"alias,price\nfast,4\nslow,2\n"),  # one row, twice
        (b"alias,price\nfast,1\nslow,2\nx,1\n", b"alias,price\nfast,1\nslow,2\nx,2\n"),
        (b"alias,cost\nfast,1\nslow,2\n", SEED + b"x,1\n"),  # other columns
        (b"alias,price\nfast,1\nslow,2\nx,1\n", b"alias,cost\nfast,1\nslow,2\n"),
    ],
)
def test_rows_that_collide_are_left_to_a_person(own, now):
    assert merging.merged_rows(SEED, own, now) is None


def test_a_quoted_row_keeps_its_commas_and_lines():
    own = SEED + b'"mine, too","5\n6"\n'
    merged = merging.merged_rows(SEED, own, SEED + b"new,9\n")
    assert merged == SEED + b'new,9\n"mine, too","5\n6"\n'


def test_a_folder_that_is_not_empty_is_refused(project):
    with pytest.raises(paths.ProjectError, match="is not empty"):
        layout.init(project, OLD)


def test_a_clone_gives_its_data_to_a_project(tmp_path):
    clone = tmp_path / "clone"
    for name, text in {
        "dbt_project.yml": "name: kernel29\n",
        "data/runs/r.parquet": "answers",
        "ledger/segments/1.jsonl": "{}",
        "seeds/s.csv": "alias,price\nmine,1\n",
    }.items():
        (clone / name).parent.mkdir(parents=True, exist_ok=True)
        (clone / name).write_text(text)
    assert layout.init(tmp_path / "new", OLD, clone) == ["seeds/s.csv"]
    own = files_of(tmp_path / "new")
    assert own["data/runs/r.parquet"] == b"answers"
    assert own["ledger/segments/1.jsonl"] == b"{}"
    assert own["seeds/s.csv"] == SEED
    with pytest.raises(paths.ProjectError, match="git"):
        Release.of(clone)


def test_a_command_outside_of_any_project_says_what_to_do(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(paths, "PACKAGES", tmp_path)
    done = CliRunner().invoke(main, ["test-sets", "list"])
    assert (done.exit_code, "kernel29 init my-project" in done.output) == (1, True)


def test_the_prompts_of_the_project_are_used(project, monkeypatch):
    monkeypatch.chdir(project / "models")
    assert paths.project_root() == project
    assert paths.prompts_folder() == project / "python_llm" / "prompts"


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    """The package as it is published, built from a copy: what a build leaves is not left here."""
    source = tmp_path_factory.mktemp("source")
    for name in ("pyproject.toml", "setup.py", "setup.cfg", "kernel29", "python_llm"):
        (source / name).symlink_to(ROOT / name)
    for name in Release.installed().files:
        top = name.split("/")[0]
        if not (source / top).exists():
            (source / top).symlink_to(ROOT / top)
    code = (
        "from setuptools import build_meta; import sys; print(build_meta.build_wheel(sys.argv[1]))"
    )
    subprocess.run(
        [sys.executable, "-c", code, str(source)], cwd=source, check=True, capture_output=True
    )
    (file,) = source.glob("*.whl")
    return file


@pytest.mark.slow
def test_a_project_from_the_wheel_builds_outside_the_repository(wheel, tmp_path):
    """One seed and a view of it: that dbt finds everything, with no clone on the path."""
    site = tmp_path / "site"
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(site)
    shipped = {name.removeprefix("kernel29/project/") for name in archive.namelist()}
    assert Release.installed().files.keys() <= shipped

    def run(call, *arguments, cwd):
        # without the site of this clone's environment, whose other packages are borrowed
        packages = sysconfig.get_path("purelib")
        done = subprocess.run(
            [sys.executable, "-S", "-c", f"{call}()", *arguments],
            cwd=cwd,
            env={
                "PATH": "/usr/bin:/bin",
                "PYTHONPATH": f"{site}:{packages}",
                "HOME": str(tmp_path),
            },
            capture_output=True,
            text=True,
            timeout=300,
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    run("from python_llm.console.cli import main; main", "init", "my-project", cwd=tmp_path)
    project = tmp_path / "my-project"
    assert (project / "python_llm/prompts").is_dir()
    assert not (project / "python_llm/paths.py").exists()
    printed = run(
        *("from dbt.cli.main import cli; cli", "build", "--exclude-resource-type", "unit_test"),
        *("--indirect-selection", "cautious"),
        *("--select", "+stg_prompts__version", "--project-dir", "..", "--profiles-dir", ".."),
        cwd=project / "models",
    )
    assert "ERROR=0" in printed
    with duckdb.connect(str(project / "build/kernel29.duckdb"), read_only=True) as connection:
        assert connection.execute("from stg_prompts__version").fetchall()
