"""dbt as people know it: what failed is tried again, what was modified is run beside the rest."""

import json
import shutil

import project
import pytest

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
    assert project.dbt(tmp_path, "test", *seed).returncode != 0
    failed = results(tmp_path)
    assert set(failed.values()) == {"error"}
    kept = shutil.copy(tmp_path / "target" / "run_results.json", tmp_path / "kept.json")
    assert project.dbt(tmp_path, "seed", *seed).returncode == 0
    shutil.copy(kept, tmp_path / "target" / "run_results.json")
    done = project.dbt(tmp_path, "retry")
    assert done.returncode == 0, done.stdout
    assert results(tmp_path) == dict.fromkeys(failed, "pass")

    state = tmp_path / "state"
    state.mkdir()
    manifest = json.loads(json.dumps(project.manifest()))
    modified = manifest["nodes"]["model.kernel29.stg_registry__prompt"]
    modified["raw_code"] += "\n-- as it was before"
    (state / "manifest.json").write_text(json.dumps(manifest))
    selected = ("--select", "state:modified.body", "--defer", "--state", str(state))
    done = project.dbt(tmp_path, "run", *selected)
    assert done.returncode == 0, done.stdout
    assert results(tmp_path) == {"model.kernel29.stg_registry__prompt": "success"}
