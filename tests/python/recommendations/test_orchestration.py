"""The Dagster example loads and runs a job, where orchestration/setup.sh has been run."""

import os
import subprocess
from pathlib import Path

import pytest
from lacking import lacking

from python_llm import paths

pytestmark = pytest.mark.slow

ROOT = paths.project_root()
PYTHON = Path(os.environ.get("KERNEL29_DAGSTER_PYTHON", ROOT / "orchestration/.venv/bin/python"))

RUN = """
import sys
import dagster_webserver
sys.path.insert(0, "orchestration")
from definitions import defs
assert {job.name for job in defs.resolve_all_job_defs()} >= {"nightly", "weekly"}
done = defs.get_job_def(sys.argv[1]).execute_in_process(raise_on_error=False)
print("succeeded" if done.success else "failed")
for event in done.all_events:
    if event.is_step_failure:
        print(event.step_failure_data.error.to_string())
"""


@pytest.mark.parametrize(("code", "outcome"), [(0, "succeeded"), (1, "failed")])
def test_a_job_runs_dbt_and_fails_with_the_gate(tmp_path, code, outcome):
    """A stand-in for dbt writes down how it was called; the job ends as dbt does."""
    if not PYTHON.is_file():
        lacking("Dagster", "run orchestration/setup.sh")
    dbt = tmp_path / "dbt"
    dbt.write_text(
        f"#!/bin/sh\necho \"$@\" >> {tmp_path}/called\necho 'gate: golden_set / pe'\nexit {code}\n"
    )
    dbt.chmod(0o755)
    done = subprocess.run(
        [str(PYTHON), "-c", RUN, "nightly"],
        cwd=ROOT,
        env={
            **{k: v for k, v in os.environ.items() if k != "PYTHONPATH"},
            "KERNEL29_DBT": str(dbt),
            "KERNEL29_DBT_VARS": "{max_usd: 2}",
            "DAGSTER_HOME": str(tmp_path),
        },
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr
    assert outcome in done.stdout
    calls = (tmp_path / "called").read_text().splitlines()
    assert calls == ['--quiet build --vars {"max_usd": 2, "run_type": "nightly"}']
    if code:
        assert "gate: golden_set / pe" in done.stdout
