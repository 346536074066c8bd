"""dbt on a project that a session of tests parses once.

A parse takes longer than most builds of the tests, and dbt repeats it whenever a folder differs.
Here the folders stand in the parsed project as marks, and each run puts its own in their place: dbt
takes a parsed project through `dbtRunner(manifest=...)`. A run is forked from a process that has
imported dbt and read the parsed project (prepared.py).
"""

import json
import os
import re
import subprocess
import sys
from collections.abc import Callable, Sequence
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import forks
import shared
import yaml
from dbt.adapters.duckdb.connections import DuckDBConnectionManager
from dbt.constants import PARTIAL_PARSE_FILE_NAME

from python_llm import paths

if TYPE_CHECKING:
    from dbt.contracts.graph.manifest import Manifest

FOLDERS = tuple(
    f"KERNEL29_{name}_DIR"
    for name in (
        *("BUILD", "SERVE", "LEDGER", "DATA", "TERMINOLOGY", "RUNS", "CASES", "LABELS"),
        *("EXPERIMENTS", "AUDIT"),
    )
)
MARK = re.compile(r"@env:(\w+)@")
VARIABLE = "@a variable of the run@"
PLAIN_DBT = ("-c", "from dbt.cli.main import cli; cli()")


def environment(folder: Path, **more: str) -> dict[str, str]:
    """The environment of a run that writes below `folder` and has no key but those in `more`."""
    return {
        **{name: value for name, value in os.environ.items() if "API_KEY" not in name},
        **{name: str(folder / name.split("_")[1].lower()) for name in FOLDERS},
        "DBT_TARGET_PATH": str(folder / "target"),
        "DBT_LOG_PATH": str(folder / "logs"),
        **more,
    }


def manifest() -> dict[str, Any]:
    """What dbt knows of the parsed project; see the marks where a folder stands."""
    return json.loads((shared.once("parsed", _parse) / "target" / "manifest.json").read_text())


def own_folders(folder: Path) -> tuple[str, ...]:
    """The arguments of dbt that keep its target and logs in `folder`."""
    return ("--target-path", str(folder / "target"), "--log-path", str(folder / "logs"))


def dbt(folder: Path, *arguments: str, **more: str) -> subprocess.CompletedProcess[str]:
    """Run dbt on a warehouse below `folder`, with `more` in its environment."""
    return forked(_dbt, [*arguments, *own_folders(folder)], environment(folder, **more))


class Running(forks.Running):
    """A process that knows the parsed project."""

    def __init__(
        self,
        run: Callable[[list[str]], int],
        arguments: Sequence[str],
        environment: dict[str, str],
    ) -> None:
        os.environ["PARSED_PROJECT"] = str(_parsed_file())  # for the process that others fork from
        environment = {**environment, "PARSED_PROJECT": os.environ["PARSED_PROJECT"]}
        super().__init__(("prepared",), partial(_in_project, run), arguments, environment)


def started(folder: Path, *arguments: str, **more: str) -> Running:
    """The same as `dbt`, while it runs."""
    return Running(_dbt, [*arguments, *own_folders(folder)], environment(folder, **more))


def forked(
    run: Callable[[list[str]], int],
    arguments: Sequence[str],
    environment: dict[str, str],
    seconds: float = 900,
) -> subprocess.CompletedProcess[str]:
    """`run` on its arguments in a process of its own: its exit code and all that it printed.

    Raises subprocess.TimeoutExpired after so many seconds.
    """
    return Running(run, arguments, environment).wait(seconds)


def kernel29(arguments: list[str]) -> int:
    """The command line with these arguments, on the parsed project."""
    from python_llm.console.cli import main
    from python_llm.job import build as job

    job.dbtRunner = ParsedRunner
    return main(arguments)


def build_selected(arguments: list[str]) -> int:
    """What these arguments of dbt select, by the main job, without its leaderboard."""
    from python_llm.job import build as job

    job.dbtRunner = ParsedRunner
    return 0 if job.build(job.NOTHING_ASKED, tuple(arguments)) else 1


def build_part(arguments: list[str]) -> int:
    """The variables of a run as JSON, and the names of models to bring up to date for it."""
    from python_llm.job import build as job

    job.dbtRunner = ParsedRunner
    variables, *names = arguments
    run = {**job.NOTHING_ASKED, **json.loads(variables)}
    return 0 if job.build_part(run, paths.built_database(), names) else 1


def compiled(folder: Path, *arguments: str) -> dict[str, str]:
    """The SQL that `dbt compile` makes of its arguments, by the name of the node."""
    done = dbt(folder, "--quiet", "compile", "--write-json", *arguments)
    assert done.returncode == 0, done.stdout + done.stderr
    results = json.loads((folder / "target" / "run_results.json").read_text())["results"]
    return {result["unique_id"].split(".")[-1]: result["compiled_code"] for result in results}


def _parsed_file() -> Path:
    return shared.once("parsed", _parse) / "target" / "partial_parse.msgpack"


def _in_project(run: Callable[[list[str]], int], arguments: list[str]) -> int:
    os.chdir(paths.project_root())
    try:
        return run(arguments)
    finally:
        # a fork ends without the handlers that close a warehouse: its last tables would be in the
        # log beside it
        DuckDBConnectionManager.close_all_connections()


def _variables() -> dict[str, Any]:
    return yaml.safe_load((paths.project_root() / "dbt_project.yml").read_text())["vars"]


def _parse(folder: Path) -> None:
    """Parse the project with marks for the folders. No variable of a run may be part of what is
    parsed: `kernel29 build` parses without them."""
    marks = dict.fromkeys(_variables(), VARIABLE)
    done = subprocess.run(
        [
            *(sys.executable, *PLAIN_DBT, "--quiet", "parse", "--no-partial-parse"),
            *("--vars", json.dumps(marks)),
            *own_folders(folder),
        ],
        cwd=paths.project_root(),
        env={**os.environ, **{name: f"@env:{name}@" for name in FOLDERS}},
        capture_output=True,
        text=True,
        timeout=600,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    written = json.loads((folder / "target" / "manifest.json").read_text())
    for node in [*written["nodes"].values(), *written["sources"].values()]:
        assert VARIABLE not in str(node), f"{node['unique_id']} is parsed with a variable"
        for place in (node, node["config"], node["unrendered_config"]):
            place.pop("meta", None)
            place.pop("source_meta", None)
        mark = MARK.search(str(node))
        assert not mark, f"{node['unique_id']} has {mark[0]} elsewhere than in its meta"


def _filled(value: Any) -> Any:
    """`value` with the marks in it replaced."""
    if isinstance(value, dict):
        return {key: _filled(inner) for key, inner in value.items()}
    if not isinstance(value, str):
        return value
    return MARK.sub(lambda mark: os.environ[mark[1]], value)


@cache
def parsed(file: Path) -> "Manifest":
    """The project parsed to `file`, with its marks. Of what macros read as `graph` they stay: those
    that do ask what depends on what."""
    from dbt.contracts.graph.manifest import Manifest
    from dbt.parser.manifest import extended_mashumuro_decoder

    manifest = Manifest.from_msgpack(file.read_bytes(), decoder=extended_mashumuro_decoder)
    manifest.build_flat_graph()
    return manifest


class ParsedRunner:
    """Stands for dbtRunner on the parsed project, once in a process: what it fills in remains."""

    def __init__(
        self,
        manifest: "Manifest | None" = None,
        callbacks: list[Callable[[Any], None]] | None = None,
    ) -> None:
        self.manifest = manifest
        self.callbacks = callbacks

    def invoke(self, arguments: list[str]) -> Any:
        from dbt.cli.main import dbtRunner

        manifest = self.manifest or _filled_manifest()
        if "parse" in arguments:
            _write_manifest()
        if "--write-json" not in arguments:
            # the whole manifest again, and as a graph: seconds of each run, and nobody reads them
            arguments = [*arguments, "--no-write-json"]
        return dbtRunner(manifest=manifest, callbacks=self.callbacks).invoke(arguments)


def _filled_manifest() -> "Manifest":
    manifest = parsed(Path(os.environ["PARSED_PROJECT"]))
    for node in [*manifest.nodes.values(), *manifest.sources.values()]:
        node.meta = node.config.meta = _filled(node.config.meta)
    return manifest


def _write_manifest() -> None:
    """What dbt writes when it parses, with the same marks filled in."""
    target = Path(os.environ["DBT_TARGET_PATH"])
    target.mkdir(parents=True, exist_ok=True)
    # empty, and older than what follows: a job then writes no manifest of its own
    (target / PARTIAL_PARSE_FILE_NAME).touch()
    for name in ("manifest.json", "semantic_manifest.json"):
        text = Path(os.environ["PARSED_PROJECT"]).with_name(name).read_text()
        (target / name).write_text(_filled(text))


def _dbt(arguments: list[str]) -> int:
    """dbt on the parsed project; the code is 0 if all went well, 1 for failures, 2 for errors."""
    # as `kernel29 build` logs: writing every statement takes a fifth of the time of a node
    done = ParsedRunner().invoke(["--log-level-file", "info", *arguments])
    return 2 if done.exception else 0 if done.success else 1
