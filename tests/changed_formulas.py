"""Runs the unit tests of the SQL that differs from a branch: `make test-fast` asks for no more.

    python tests/changed_formulas.py [BRANCH]     default: main

A unit test runs if its model, a macro the model uses, or the yml it stands in was changed,
committed or not. It needs the tables its model reads, not their rows: those of an earlier
`make build`, or, where there are none, empty ones built for it in target/formulas.
"""

import json
import os
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import duckdb
from changed_files import changed_files

from python_llm import paths

EMPTY = Path("target") / "formulas"


def unit_tests_of(manifest: Mapping[str, Any], changed: set[str]) -> list[str]:
    """The unit tests of a manifest that a change of these files may break, by name."""
    macros = {
        name for name, macro in manifest["macros"].items() if macro["original_file_path"] in changed
    }
    # a macro that calls a changed one is changed with it
    while more := {
        name
        for name, macro in manifest["macros"].items()
        if name not in macros and macros & set(macro["depends_on"]["macros"])
    }:
        macros |= more
    return sorted(
        test["name"]
        for test in manifest["unit_tests"].values()
        for node in [manifest["nodes"][test["depends_on"]["nodes"][0]]]
        if changed & {test["original_file_path"], node["original_file_path"]}
        or macros & set(node["depends_on"]["macros"])
    )


def ancestors_of(manifest: Mapping[str, Any], tests: Iterable[str]) -> set[str]:
    """Keys of what the models of these unit tests read, and what that is made of."""
    tested = {
        test["depends_on"]["nodes"][0]
        for test in manifest["unit_tests"].values()
        if test["name"] in set(tests)
    }
    ancestors: set[str] = set()
    new = tested
    while new:
        needed = (manifest["nodes"][node]["depends_on"].get("nodes", ()) for node in new)
        parents = {key for keys in needed for key in keys}  # a seed has none
        new = (parents & manifest["nodes"].keys()) - ancestors
        ancestors |= new
    return ancestors


def lacking(manifest: Mapping[str, Any], ancestors: set[str], changed: set[str]) -> list[str]:
    """The names of those that the warehouse has not, or has as they were before the change."""
    with duckdb.connect(str(paths.built_database())) as connection:
        rows = connection.execute("select table_name from information_schema.tables").fetchall()
    present = {name for (name,) in rows}
    nodes = [manifest["nodes"][key] for key in ancestors]
    return sorted(
        node["name"]
        for node in nodes
        if node["name"] not in present or node["original_file_path"] in changed
    )


def main() -> int:
    branch = sys.argv[1] if len(sys.argv) > 1 else "main"
    changed = changed_files(branch)
    if not any(file.startswith(("models/", "macros/", "dbt_project.yml")) for file in changed):
        print(f"No formula differs from {branch}.")
        return 0
    is_built = paths.built_database().is_file()
    if not is_built:
        os.environ["KERNEL29_BUILD_DIR"] = str(EMPTY)
        EMPTY.mkdir(parents=True, exist_ok=True)
    from dbt.cli.main import dbtRunner

    parsed = dbtRunner().invoke(["--quiet", "parse"])
    if not parsed.success:
        return 1
    manifest = json.loads(Path("target/manifest.json").read_text())
    names = unit_tests_of(manifest, changed)
    print(f"{len(names)} unit tests of SQL that differs from {branch}.", flush=True)
    if not names:
        return 0
    dbt = dbtRunner(manifest=parsed.result)
    if not is_built and (todo := lacking(manifest, ancestors_of(manifest, names), changed)):
        empty = ("--quiet", "build", "--empty", "--exclude-resource-types", "test", "unit_test")
        if not dbt.invoke([*empty, "--select", *todo]).success:
            return 1
    return 0 if dbt.invoke(["--quiet", "test", "--select", *names]).success else 1


if __name__ == "__main__":
    sys.exit(main())
