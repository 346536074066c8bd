"""The two jobs of the recommendations as Dagster runs them: an example to take from.

Each job is one whole `dbt build`, which serves what it has built: dbt knows the order, runs the
tests and tells the webhook (KERNEL29_ALERT_WEBHOOK) and the recipients (KERNEL29_ALERT_EMAIL) what
got worse. A failed gate fails the job, and serve/ keeps what was there. Made ready by
orchestration/setup.sh; the dbt that is run is that of KERNEL29_DBT, else of the project's .venv.
"""

import json
import os
import subprocess
from pathlib import Path

import yaml
from dagster import Definitions, Failure, OpExecutionContext, ScheduleDefinition, job, op

ROOT = Path(__file__).resolve().parents[1]
# Lines of a failed build that are shown in the run.
SHOWN = 30


def dbt_build(context: OpExecutionContext, run_type: str) -> None:
    """Build everything as a run of this type; raises Failure with the end of what dbt printed.

    A part alone (`--selector nightly`) would not be served beside marts of another day.
    """
    dbt = os.environ.get("KERNEL29_DBT", str(ROOT / ".venv" / "bin" / "dbt"))
    given = yaml.safe_load(os.environ.get("KERNEL29_DBT_VARS") or "{}")
    command = [dbt, "--quiet", "build", "--vars", json.dumps({**given, "run_type": run_type})]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    lines = (done.stdout + done.stderr).splitlines()
    for line in lines[-SHOWN:]:
        context.log.info(line)
    if done.returncode != 0:
        gate = [line for line in lines if line.startswith("gate: ")]
        raise Failure("\n".join(gate[:SHOWN] or lines[-SHOWN:]))


@op
def evaluate_nightly(context: OpExecutionContext) -> None:
    """Tiers 1 to 3 on the golden set and the held-out patients of every tenant."""
    dbt_build(context, "nightly")


@op
def evaluate_weekly(context: OpExecutionContext) -> None:
    """Tier 4 on the golden set; KERNEL29_DBT_VARS names mode, judge and cap."""
    dbt_build(context, "weekly")


@job
def nightly():
    evaluate_nightly()


@job
def weekly():
    evaluate_weekly()


defs = Definitions(
    jobs=[nightly, weekly],
    schedules=[
        ScheduleDefinition(job=nightly, cron_schedule="0 2 * * *", execution_timezone="UTC"),
        ScheduleDefinition(job=weekly, cron_schedule="0 4 * * 0", execution_timezone="UTC"),
    ],
)
