"""The two jobs of the recommendations as Dagster runs them: an example to take from.

Each job is one dbt command and the publication of what it built: dbt knows the order, runs the
tests and tells the webhook (KERNEL29_ALERT_WEBHOOK) and the recipients (KERNEL29_ALERT_EMAIL) what
got worse. A failed gate fails the job, and serve/ keeps what was there. Made ready by
orchestration/setup.sh; the dbt that is run is that of KERNEL29_DBT, else of the project's .venv.
"""

import os
import subprocess
from pathlib import Path

from dagster import Definitions, Failure, OpExecutionContext, ScheduleDefinition, job, op

ROOT = Path(__file__).resolve().parents[1]
# Lines of a failed build that are shown in the run.
SHOWN = 30


def dbt_build(context: OpExecutionContext, selector: str) -> None:
    """Run one selector, then publish; raises Failure with the end of what dbt printed.

    Publishing reads every mart, so one whole `make build` comes before the first job.
    """
    run_dbt(context, "build", "--selector", selector)
    run_dbt(context, "run", "--select", "int_quality__publication")


def run_dbt(context: OpExecutionContext, *arguments: str) -> None:
    """Run one command of dbt; raises Failure with the end of what it printed."""
    dbt = os.environ.get("KERNEL29_DBT", str(ROOT / ".venv" / "bin" / "dbt"))
    command = [dbt, "--quiet", *arguments]
    if variables := os.environ.get("KERNEL29_DBT_VARS"):
        command += ["--vars", variables]
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
