"""dbt as people know it: what failed is tried again, what was modified is run beside the rest."""

import argparse
import json
import os
import shutil

import project
import pytest
from dbt.adapters.duckdb.credentials import DuckDBCredentials
from dbt_common.exceptions import DbtRuntimeError

from python_llm import paths
from python_llm.job import served_plugin, state_plugin

pytestmark = pytest.mark.slow


def results(folder):
    written = json.loads((folder / "target" / "run_results.json").read_text())
    return {
        row["unique_id"]: row["status"]
        for row in written["results"]
        if not row["unique_id"].startswith("operation.")  # what is noted when a run ends
    }


def test_retry_runs_what_failed_and_state_what_was_modified(tmp_path):
    seed = ("--select", "prompt_registry", "--indirect-selection", "cautious")
    # nothing is there yet: every test of the seed fails
    assert project.dbt(tmp_path, "test", "--write-json", *seed).returncode != 0
    failed = results(tmp_path)
    assert set(failed.values()) == {"error"}
    kept = shutil.copy(tmp_path / "target" / "run_results.json", tmp_path / "kept.json")
    assert project.dbt(tmp_path, "seed", *seed).returncode == 0
    shutil.copy(kept, tmp_path / "target" / "run_results.json")
    done = project.dbt(tmp_path, "retry", "--write-json")
    assert done.returncode == 0, done.stdout
    assert results(tmp_path) == dict.fromkeys(failed, "pass")

    state = tmp_path / "state"
    state.mkdir()
    manifest = json.loads(json.dumps(project.manifest()))
    modified = manifest["nodes"]["model.kernel29.stg_registry__prompt"]
    modified["raw_code"] += "\n-- as it was before"
    (state / "manifest.json").write_text(json.dumps(manifest))
    selected = ("--select", "state:modified.body", "--defer", "--state", str(state))
    done = project.dbt(tmp_path, "run", "--write-json", *selected)
    assert done.returncode == 0, done.stdout
    assert results(tmp_path) == {"model.kernel29.stg_registry__prompt": "success"}


@pytest.mark.parametrize(
    ("flags", "theirs", "is_partial"),
    [
        ({"DEFER": True, "STATE": "."}, "kernel29.main.a", False),
        ({"DEFER": True, "STATE": "."}, "production.main.a", True),
        ({"DEFER": True, "STATE": "nowhere"}, "kernel29.main.a", True),
        ({"EMPTY": True}, "kernel29.main.a", True),
        ({}, "kernel29.main.a", False),
    ],
)
def test_what_is_deferred_to_its_own_tables_is_whole(
    tmp_path, monkeypatch, flags, theirs, is_partial
):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "target").mkdir()
    nodes = {name: {"relation_name": relation} for name, relation in (("a", theirs), ("b", None))}
    (tmp_path / "manifest.json").write_text(json.dumps({"nodes": nodes}))
    ours = {"nodes": {"a": {"relation_name": "kernel29.main.a"}}}
    (tmp_path / "target" / "manifest.json").write_text(json.dumps(ours))
    flags = argparse.Namespace(**flags, TARGET_PATH=str(tmp_path / "target"))
    monkeypatch.setattr(state_plugin, "get_flags", lambda: flags)
    state_plugin.defers_to_itself.cache_clear()
    assert state_plugin.is_partial() == is_partial


def in_a_sub_folder(arguments):
    os.chdir("models/marts")
    return project._dbt(arguments)


def test_dbt_works_from_a_sub_folder(tmp_path):
    seed = ["seed", "--write-json", "--select", "outcome_statuses", *project.own_folders(tmp_path)]
    profiles = {"DBT_PROFILES_DIR": str(paths.project_root())}
    done = project.forked(in_a_sub_folder, seed, project.environment(tmp_path, **profiles))
    assert done.returncode == 0, done.stdout
    assert results(tmp_path) == {"seed.kernel29.outcome_statuses": "success"}
    assert (tmp_path / "build" / "kernel29.duckdb").is_file()


def test_the_target_served_is_read_anywhere_and_never_written(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(paths, "resolve", lambda path: tmp_path / "project" / path)

    def path_for(command):
        flags = argparse.Namespace(WHICH=command)
        monkeypatch.setattr(served_plugin, "get_flags", lambda: flags)
        credentials = DuckDBCredentials(
            database="served", schema="main", path="serve/served.duckdb"
        )
        plugin = served_plugin.Plugin("served", {})
        plugin.update_connection_config(credentials, {})
        return credentials.path

    with pytest.raises(DbtRuntimeError, match="Nothing is served yet"):
        path_for("show")
    (tmp_path / "project" / "serve").mkdir(parents=True)
    (served := tmp_path / "project" / "serve" / "served.duckdb").touch()
    assert path_for("show") == str(served)
    with pytest.raises(DbtRuntimeError, match="is for reading, and dbt build writes"):
        path_for("build")
    for command, name in (("test", "dbt test"), ("freshness", "dbt source freshness")):
        with pytest.raises(DbtRuntimeError, match=f"alone, and {name} reads the warehouse"):
            path_for(command)
