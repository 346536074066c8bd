"""The main job from the command line: check, `dbt build`, and say what came of it."""

import gc
import json
import os
import sys
import time
from collections.abc import Collection, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, cast

import duckdb
from dbt.adapters.duckdb.connections import DuckDBConnectionManager
from dbt.cli.main import dbtRunner
from dbt.constants import PARTIAL_PARSE_FILE_NAME
from dbt.parser.manifest import write_manifest
from tqdm import tqdm

from python_llm import paths
from python_llm.experiments import registries
from python_llm.job.admission import approvals, preflight
from python_llm.job.changes import kept, last_build, selection, state, turns, wholeness
from python_llm.job.changes.fingerprints import Project
from python_llm.job.dbt import failures
from python_llm.job.patients import retention
from python_llm.job.planning import narrowing
from python_llm.job.serving import deidentified, keys
from python_llm.job.serving.publish import COMMENTS, publish
from python_llm.job.state_plugin import target_folder

SECONDS_BETWEEN_LINES = 5
REASONS_SHOWN, PARTS_SHOWN = 5, 3
LOOKED = "kernel29_looked"  # what turns.py gives to dbt, for macros/dbt/state.sql
PLAN = "int_experiments__run_plan"
# a run that asks nobody
NOTHING_ASKED = {
    "mode": "off",
    "judge_runs": "live",
    "max_usd": "1",
    "execution": "direct",
    **dict.fromkeys(("models", "prompts", "test_sets", "limit", "judges", "questions"), ""),
}
FAILED = ("error", "fail", "runtime error")
STOPPING = (*FAILED, "skipped")
SENDS = {
    "off": "nothing is sent to any model",
    "replay": "answers come from the ledger, nothing is sent",
    "live": "models are asked",
}


class Progress:
    """How far the build is: a bar on a terminal, a line every few seconds elsewhere."""

    events = ("NodeFinished", "PrintEvent")  # what it wants of dbt's (job/dbt_events.py)

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
        if event.data.run_result.message == turns.REUSED:
            result = "reused"
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


class Dbt:
    """dbt on the project as it is now, in this process. run: the variables of the run, which the
    project is parsed without: dbt would parse it anew for each change of one."""

    def __init__(self, run: dict[str, Any], progress: Progress) -> None:
        self.variables: list[str] = []
        self.progress = progress
        # what dbt prints of a failure says less than `failures.report` does, and would stand before
        self.logged = ["--log-level", "none", "--log-level-file", "info"]
        self.manifest: Any = None
        gc.disable()  # a million objects that stay, and that every collection would look at
        try:
            self.manifest = self._ran("parse", "--no-write-json").result
        finally:
            gc.collect()  # parsing all files leaves as much again, which would stay, too
            gc.freeze()
            gc.enable()
        self._write_what_was_parsed()
        for node in self.manifest.nodes.values():
            node.tags.append(LOOKED)
        self.variables = ["--vars", json.dumps(run)]
        self.project = Project.read(target_folder(), run)

    def build(
        self,
        nodes: Collection[str],
        arguments: Iterable[str] = (),
        made: Mapping[str, state.Made] | None = None,
    ) -> list[Any]:
        """Build and test these nodes, or what the arguments select if there are none; the results
        of dbt, node by node. made: what the warehouse says of each; a node that is current by that
        when its turn comes is left as it is."""
        # unit tests try the formulas on made-up rows: `make test` and plain `dbt build` run them
        command = ["build", "--exclude-resource-type", "unit_test"]
        command.append("--no-write-json")  # the parse has written it
        with turns.taken(turns.Turns(self.project, made or {}, nodes)):
            outcome = self._ran(*command, *arguments)
        return list(outcome.result.results) if outcome.result else []

    def _write_what_was_parsed(self) -> None:
        """Write manifest.json, unless a command has done so since something was parsed anew."""
        folder = target_folder()
        written, parsed = folder / "manifest.json", folder / PARTIAL_PARSE_FILE_NAME
        is_written = written.is_file() and parsed.is_file()
        if not is_written or written.stat().st_mtime_ns < parsed.stat().st_mtime_ns:
            write_manifest(self.manifest, str(folder))

    def _ran(self, *command: str) -> Any:
        try:
            outcome = dbtRunner(manifest=self.manifest, callbacks=[self.progress]).invoke(
                ["--quiet", *command, *self.logged, *self.variables]
            )
        finally:
            # or the warehouse stays attached, and cannot be asked what it holds
            DuckDBConnectionManager.close_all_connections()
        if isinstance(outcome.exception, KeyboardInterrupt):
            raise outcome.exception
        if isinstance(outcome.exception, UnicodeDecodeError):
            raise preflight.RunError(preflight.not_utf8())
        if outcome.exception:
            raise preflight.RunError(failures.sentence(str(outcome.exception)))
        return outcome


def build(
    run: dict[str, Any],
    arguments: tuple[str, ...] = (),
    is_full: bool = False,
    marts: Collection[str] = (),
) -> bool:
    """Check the run, build what is not current and print how it went; True if nothing failed.

    `run` has mode, models, judges and max_usd. `arguments` go to dbt as they are. With
    arguments, or if it `is_full`, every selected node is built, current or not. With `marts`, only
    those and their ancestors are built, provided that everything was built before. A whole build
    that succeeds leaves a note of what it read (last_build). Raises preflight.RunError before
    anything is touched.
    """
    warehouse = paths.built_database()
    preflight.check_seeds()
    deidentified.chosen()  # here it takes no build to find out
    preflight.check_run(**run)
    for mistake in registries.all_experiments()[1]:
        print(mistake, file=sys.stderr, flush=True)
    preflight.check_ledger()
    if lost := preflight.lost_attempts():
        print(lost, file=sys.stderr, flush=True)
    preflight.check_warehouse(warehouse)  # here it takes no parse to find out
    retention.apply_before_a_build()
    last_build.forget()
    approvals.note_changes()
    before = last_build.reads(run)
    os.chdir(paths.project_root())
    mode = run["mode"]
    print(f"Building in mode {mode}: {SENDS[mode]}. The log is logs/dbt.log.", flush=True)
    started = time.monotonic()
    progress = Progress()
    try:
        dbt = Dbt(run, progress)
        results = build_due(dbt, warehouse, arguments, is_full, marts)
    finally:
        progress.close()
    seconds = time.monotonic() - started
    print(f"dbt: {counted(progress.results)} in {seconds:.0f} s", flush=True)
    nodes = failures.of_results(results)
    messages = [*failures.report(nodes, warehouse), *wholeness.unserved(dbt.project)]
    for line in messages:
        print(line, file=sys.stderr, flush=True)
    state.note_closed(warehouse)
    has_succeeded = not any(node.status in FAILED for node in nodes)
    if has_succeeded and not arguments and not marts and last_build.can_be_current(run):
        last_build.remember(run, before, messages)
    return has_succeeded


def counted(results: Mapping[str, int]) -> str:
    """How many nodes came out how; what `reused` is beside the nodes that were never due."""
    counts = ", ".join(f"{count} {status}" for status, count in sorted(results.items()))
    reused = " (due, but what they read proved unchanged)" if "reused" in results else ""
    return counts.replace(" reused", f" reused{reused}") or "nothing to do"


def explain(run: dict[str, Any]) -> list[tuple[str, list[str]]]:
    """Why a build of this run would have something to do: each reason with the names of its nodes,
    those that only follow from others not included. Nothing is built."""
    preflight.check_run(**run)
    os.chdir(paths.project_root())
    return reasons(Dbt(run, Progress()).project, paths.built_database())


def reasons(project: Project, warehouse: Path) -> list[tuple[str, list[str]]]:
    """The same of a project and its warehouse, into which nothing is written."""
    is_untouched = state.is_as_closed(warehouse)
    made, forgotten = _tidied(warehouse, project, is_untouched, is_trial=True)
    return selection.by_reason(project, selection.stale(project, made, forgotten))


def _tidied(
    warehouse: Path, project: Project, is_untouched: bool, is_trial: bool = False
) -> tuple[dict[str, state.Made], dict[str, str]]:
    """What state.tidy returns. Raises RunError where another process has opened the warehouse since
    it was checked: a build that began meanwhile."""
    try:
        return state.tidy(warehouse, project, is_untouched, is_trial)
    except duckdb.IOException as error:
        raise preflight.not_opened(warehouse, error) from error


def build_due(
    dbt: Dbt,
    warehouse: Path,
    arguments: tuple[str, ...],
    is_full: bool,
    marts: Collection[str] = (),
) -> list[Any]:
    """Build what is stale and what follows from it; the results of dbt.

    A table that comes out as it was ends the wave (turns). With arguments, or if it `is_full`,
    everything they select is built, current or not. With `marts`, their part of the project is
    built and served, and the rest stays for the next build.
    """
    state.RUN = state.Run(dbt.project, is_whole=not arguments)
    is_untouched = is_full or state.is_as_closed(warehouse)
    made, forgotten = _tidied(warehouse, dbt.project, is_untouched)
    if is_full and warehouse.is_file():
        with duckdb.connect(str(warehouse)) as connection:
            kept.forget(connection)
    if is_full or arguments or not made:
        return dbt.build((), arguments)
    why = selection.stale(dbt.project, made, forgotten)
    made = _without(made, forgotten)
    part = narrowing.scope(dbt.project, marts, made, why, warehouse) if marts else None
    nodes = selection.concerned(dbt.project, why)
    if part is None:
        _print_reasons(dbt.project, why, len(dbt.project.nodes))
        return dbt.build(nodes, made=made) if nodes else []
    why = {node: reason for node, reason in why.items() if node in part}
    _print_reasons(dbt.project, why, len(part))
    results = dbt.build(nodes & part, made=made) if nodes & part else []
    if not any(result.status in STOPPING for result in results):
        narrowing.serve(dbt.project, warehouse, deidentified.chosen())
        print("Left as it was until the next `kernel29 build`: what the experiment does not read.")
    return results


def _without(made: Mapping[str, state.Made], forgotten: Collection[str]) -> dict[str, state.Made]:
    """What the warehouse says of the nodes that are as a build left them."""
    return {node: row for node, row in made.items() if node not in forgotten}


def _print_reasons(project: Project, why: selection.Why, n_nodes: int) -> None:
    """How much is reused, and why the rest is looked at."""
    n_reused = n_nodes - len(why)
    if n_reused == 0:
        return
    due = " Due, unless what they read proves unchanged, with all that follows:" if why else ""
    print(f"{n_reused} of {n_nodes} nodes are as they were.{due}", flush=True)
    reasons = selection.by_reason(project, why)
    for reason, names in reasons[:REASONS_SHOWN]:
        more = f" and {len(names) - 1} more" if len(names) > 1 else ""
        print(f"  {names[0]}{more}, because: {_shortened(reason)}", flush=True)
    if len(reasons) > REASONS_SHOWN or any(reason != _shortened(reason) for reason, _ in reasons):
        print("  …; `kernel29 build --explain` has them all", flush=True)


def _shortened(reason: str) -> str:
    """A reason with the first of the parts it names: an upgrade changes many modules at once."""
    *parts, last = reason.split(", ")
    if len(parts) < PARTS_SHOWN or not last.endswith(" changed"):
        return reason
    return f"{', '.join(parts[:PARTS_SHOWN])} and {len(parts) + 1 - PARTS_SHOWN} more changed"


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
    warehouse = paths.built_database()
    if not build_part(run, warehouse, [PLAN], "the plan"):
        raise preflight.RunError(
            "What the plan is made of could not be built: `kernel29 build` says why."
        )
    with duckdb.connect(str(warehouse), read_only=True) as connection:
        rows = connection.execute(f"select * from {PLAN}").to_arrow_table()
    return cast(list[dict[str, Any]], rows.to_pylist())


def _to_be_built(nodes: Collection[str], made: Mapping[str, state.Made], purpose: str) -> str:
    """What is built before something else, why, and that it costs nothing, in one line."""
    n_seeds = sum(node.startswith("seed.") for node in nodes)
    counts = [(n_seeds, "seed"), (len(nodes) - n_seeds, "model")]
    parts = " and ".join(f"{n} {kind}{'s' if n > 1 else ''}" for n, kind in counts if n)
    size = f"up to {parts}" if made else parts  # what proves unchanged is not built again
    length = "" if made else ", which takes minutes the first time"
    return f"First, {size} that {purpose} reads are built{length}. Nothing is sent to any model."


def build_slice(run: dict[str, Any], names: Sequence[str], serve_dir: Path) -> None:
    """Build these marts and what they are made of, without any test, and publish them alone.

    Nothing is sent, and what is served for everybody stays as it is; a whole build goes on from
    what is built here. Raises preflight.RunError if something could not be built.
    """
    preflight.check_seeds()
    preflight.check_run(**run)
    os.chdir(paths.project_root())
    warehouse = paths.built_database()
    if not build_part(run, warehouse, names):
        raise preflight.RunError("It could not be built: `kernel29 build` says why.")
    with duckdb.connect(str(warehouse)) as connection:
        marts = {name: connection.table(name) for name in names}
        comments = connection.execute(COMMENTS).fetchall()
        publish(
            connection,
            marts,
            comments,
            serve_dir,
            profile=deidentified.chosen(),
            keys=keys.grains(),
        )


def build_part(
    run: dict[str, Any], warehouse: Path, names: Iterable[str], purpose: str = ""
) -> bool:
    """Build the models of these names and what they are made of, as far as it is not current;
    False if something failed. purpose: what they are built for, to be said before; "" says nothing.
    The run asks nobody."""
    preflight.check_warehouse(warehouse)
    retention.apply_before_a_build()
    progress = Progress()
    try:
        dbt = Dbt(run, progress)
        state.RUN = state.Run(dbt.project)
        is_untouched = state.is_as_closed(warehouse)
        made, forgotten = _tidied(warehouse, dbt.project, is_untouched)
        why = selection.stale(dbt.project, made, forgotten)
        made = _without(made, forgotten)
        targets = [f"model.kernel29.{name}" for name in names]
        nodes = selection.needed_for(dbt.project, targets, why)
        if nodes and purpose:
            print(_to_be_built(nodes, made, purpose), flush=True)
        results = dbt.build(nodes, made=made) if nodes else []
    finally:
        progress.close()
    state.note_closed(warehouse)
    return not any(result.status in STOPPING for result in results)
