"""The main job from the command line: check, `dbt build`, and say what came of it."""

import json
import os
import sys
import time
from contextlib import redirect_stdout
from io import StringIO
from typing import Any

from dbt.adapters.duckdb.connections import DuckDBConnectionManager
from dbt.cli.main import dbtRunner
from tqdm import tqdm

from python_llm import paths
from python_llm.job import failures, last_build, preflight

SECONDS_BETWEEN_LINES = 5
SENDS = {
    "off": "nothing is sent to any model",
    "replay": "answers come from the ledger, nothing is sent",
    "live": "models are asked",
}


class Progress:
    """How far the build is: a bar on a terminal, a line every few seconds elsewhere."""

    def __init__(self) -> None:
        self._bar = tqdm(unit="node", disable=not sys.stderr.isatty(), leave=False)
        self._last_line = time.monotonic()
        self.results: dict[str, int] = {}

    def __call__(self, event: Any) -> None:
        if event.info.name == "PrintEvent":  # what a macro prints: the lines of the gate
            print(event.data.msg, flush=True)
        if event.info.name != "NodeFinished":
            return
        node = event.data.node_info
        result = str(event.data.run_result.status)
        if result == "no-op":  # an exposure: dbt has nothing to do for it
            return
        self.results[result] = self.results.get(result, 0) + 1
        done = sum(self.results.values())
        self._bar.set_description_str(node.node_name[:48])
        self._bar.update()
        now = time.monotonic()
        if self._bar.disable and now - self._last_line > SECONDS_BETWEEN_LINES:
            self._last_line = now
            print(f"  {done} done, now at {node.node_name}", flush=True)

    def close(self) -> None:
        self._bar.close()


def build(run: dict[str, Any], arguments: tuple[str, ...] = ()) -> bool:
    """Check the run, build everything and print how it went; True if nothing failed.

    `run` has mode, models, judges and max_usd; `arguments` go to dbt as they are. Raises
    preflight.RunError before anything is touched. A whole build that succeeds leaves a note of what
    it read (last_build).
    """
    preflight.check_seeds()
    preflight.check_run(**run)
    preflight.check_ledger()
    preflight.check_warehouse(paths.built_database())  # here it takes no parse to find out
    last_build.forget()
    before = last_build.reads(run)
    os.chdir(paths.project_root())
    mode = run["mode"]
    print(f"Building in mode {mode}: {SENDS[mode]}. The log is logs/dbt.log.", flush=True)
    started = time.monotonic()
    progress = Progress()
    # unit tests try the formulas on made-up rows: `make test` and plain `dbt build` run them
    command = ["--quiet", "build", "--exclude-resource-type", "unit_test"]
    # what dbt prints of a failure says less than `failures.report` does, and would stand before it
    command += ["--log-level", "none", "--log-level-file", "debug"]
    try:
        outcome = dbtRunner(callbacks=[progress]).invoke(
            [*command, "--vars", json.dumps(run), *arguments]
        )
    finally:
        progress.close()
        # or the warehouse stays attached, and cannot be asked for the rows that failed
        DuckDBConnectionManager.close_all_connections()
    if outcome.exception:
        raise preflight.RunError(failures.sentence(str(outcome.exception)))
    seconds = time.monotonic() - started
    counts = ", ".join(f"{count} {status}" for status, count in sorted(progress.results.items()))
    print(f"dbt: {counts} in {seconds:.0f} s", flush=True)
    nodes = failures.of_results(outcome.result.results if outcome.result else [])
    messages = list(failures.report(nodes, paths.built_database()))
    for line in messages:
        print(line, file=sys.stderr, flush=True)
    if outcome.success and not arguments and last_build.can_be_current(run):
        last_build.remember(run, before, messages)
    return outcome.success


def plan(run: dict[str, Any]) -> list[dict[str, Any]]:
    """The rows of int_experiments__run_plan for a run, after building what it is made of.

    Raises preflight.RunError for a run that was asked for wrongly, and when that cannot be built.
    """
    run = {**run, "mode": "off", "questions": ""}
    if not run["models"] and not run["judges"]:
        run["models"] = ",".join(preflight.callable_models())
    preflight.check_seeds()
    preflight.check_run(**run)
    if run["models"]:
        preflight.check_grid(run["models"], run["prompts"], run["test_sets"])
    preflight.check_ledger()
    os.chdir(paths.project_root())
    progress = Progress()
    variables = ["--vars", json.dumps(run)]
    try:
        outcome = dbtRunner(callbacks=[progress]).invoke(
            [
                *("--quiet", "build", "--select", "+int_experiments__run_plan"),
                *("--exclude-resource-types", "test", "unit_test", *variables),
            ]
        )
        if outcome.success:
            table = "select * from {{ ref('int_experiments__run_plan') }}"
            with redirect_stdout(StringIO()):  # dbt shows it as well, cut to the terminal
                outcome = dbtRunner().invoke(
                    ["--quiet", "show", "--inline", table, "--limit", "-1", *variables]
                )
    finally:
        progress.close()
    if not outcome.success:
        raise preflight.RunError(
            failures.sentence(str(outcome.exception))
            if outcome.exception
            else "What the plan is made of could not be built: `kernel29 build` says why."
        )
    (result,) = outcome.result.results
    return [
        dict(zip(result.agate_table.column_names, row, strict=True)) for row in result.agate_table
    ]
