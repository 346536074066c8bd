"""dbt on a project that a session of tests parses once.

A parse takes longer than most builds of the tests, and dbt repeats it whenever a variable or a
folder differs. Here the variables and folders stand in the parsed project as marks, and each run
puts its own in their place: dbt takes a parsed project through `dbtRunner(manifest=...)`.

    python project.py FILE ARGUMENTS...   dbt with these arguments on the project parsed to FILE
"""

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import shared
import yaml

from python_llm import paths

FOLDERS = tuple(
    f"KERNEL29_{name}_DIR"
    for name in ("BUILD", "SERVE", "LEDGER", "DATA", "TERMINOLOGY", "RUNS", "CASES", "LABELS")
)
MARK = re.compile(r"@(var|env):(\w+)@")
PLAIN_DBT = ("-c", "from dbt.cli.main import cli; cli()")


def environment(folder: Path, **more: str) -> dict[str, str]:
    """The environment of a run that writes below `folder` and has no key but those in `more`."""
    return {
        **{name: value for name, value in os.environ.items() if "API_KEY" not in name},
        **{name: str(folder / name.split("_")[1].lower()) for name in FOLDERS},
        **more,
    }


def manifest() -> dict[str, Any]:
    """What dbt knows of the parsed project; see the marks where a variable or a folder stands."""
    return json.loads((shared.once("parsed", _parse) / "target" / "manifest.json").read_text())


def command(folder: Path, *arguments: str) -> list[str]:
    """The command of dbt with these arguments, which keeps its target and logs in `folder`."""
    file = shared.once("parsed", _parse) / "target" / "partial_parse.msgpack"
    own = ("--target-path", str(folder / "target"), "--log-path", str(folder / "logs"))
    return [sys.executable, __file__, str(file), *arguments, *own]


def dbt(folder: Path, *arguments: str, **more: str) -> subprocess.CompletedProcess[str]:
    """Run dbt on a warehouse below `folder`, with `more` in its environment."""
    return subprocess.run(
        command(folder, *arguments),
        cwd=paths.project_root(),
        env=environment(folder, **more),
        capture_output=True,
        text=True,
        timeout=900,
    )


def compiled(folder: Path, *arguments: str) -> dict[str, str]:
    """The SQL that `dbt compile` makes of its arguments, by the name of the node."""
    done = dbt(folder, "--quiet", "compile", *arguments)
    assert done.returncode == 0, done.stdout + done.stderr
    results = json.loads((folder / "target" / "run_results.json").read_text())["results"]
    return {result["unique_id"].split(".")[-1]: result["compiled_code"] for result in results}


def _variables() -> dict[str, Any]:
    return yaml.safe_load((paths.project_root() / "dbt_project.yml").read_text())["vars"]


def _parse(folder: Path) -> None:
    """Parse the project with marks for whatever may differ between two runs."""
    marks = {name: f"@var:{name}@" for name in _variables()}
    done = subprocess.run(
        [
            *(sys.executable, *PLAIN_DBT, "--quiet", "parse", "--no-partial-parse"),
            *("--vars", json.dumps(marks)),
            *("--target-path", str(folder / "target"), "--log-path", str(folder / "logs")),
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
        for place in (node, node["config"], node["unrendered_config"]):
            place.pop("meta", None)
        mark = MARK.search(str(node))
        assert not mark, f"{node['unique_id']} has {mark[0]} elsewhere than in its meta"


def _filled(value: Any, variables: dict[str, Any]) -> Any:
    """`value` with the marks in it replaced."""
    if isinstance(value, dict):
        return {key: _filled(inner, variables) for key, inner in value.items()}
    if not isinstance(value, str):
        return value
    if whole := MARK.fullmatch(value):
        kind, name = whole.groups()
        return variables[name] if kind == "var" else os.environ[name]
    return MARK.sub(
        lambda mark: str(variables[mark[2]] if mark[1] == "var" else os.environ[mark[2]]), value
    )


def _given_variables(arguments: list[str]) -> dict[str, Any]:
    given = arguments[arguments.index("--vars") + 1] if "--vars" in arguments else "{}"
    return {**_variables(), **yaml.safe_load(given)}


def main(file: Path, arguments: list[str]) -> int:
    """dbt on the parsed project; the code is 0 if all went well, 1 for failures, 2 for errors."""
    from dbt.cli.main import dbtRunner
    from dbt.contracts.graph.manifest import Manifest
    from dbt.parser.manifest import extended_mashumuro_decoder

    manifest = Manifest.from_msgpack(file.read_bytes(), decoder=extended_mashumuro_decoder)
    variables = _given_variables(arguments)
    for node in manifest.nodes.values():
        node.meta = node.config.meta = _filled(node.config.meta, variables)
    manifest.build_flat_graph()
    done = dbtRunner(manifest=manifest).invoke(arguments)
    return 2 if done.exception else 0 if done.success else 1


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), sys.argv[2:]))
