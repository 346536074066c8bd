"""Runs the unit tests of the SQL that differs from a branch: `make test-fast` asks for no more.

    python tests/changed_formulas.py [BRANCH]     default: main

A unit test runs if its model, a macro the model uses, or the yml it stands in was changed,
committed or not. It needs the tables its model reads, not their rows: those of an earlier
`make build`, or, where there are none, empty ones built for it in target/formulas.
"""

import os
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from changed_files import changed_files

from python_llm import paths


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


def parents_of(manifest: Mapping[str, Any], tests: set[str]) -> list[str]:
    """The names of what the models of these unit tests read."""
    models = {
        test["depends_on"]["nodes"][0]
        for test in manifest["unit_tests"].values()
        if test["name"] in tests
    }
    parents = {node for model in models for node in manifest["nodes"][model]["depends_on"]["nodes"]}
    return sorted(node.split(".")[2] for node in parents if not node.startswith("source."))


def main() -> int:
    branch = sys.argv[1] if len(sys.argv) > 1 else "main"
    changed = changed_files(branch)
    if not any(file.startswith(("models/", "macros/", "dbt_project.yml")) for file in changed):
        print(f"No formula differs from {branch}.")
        return 0
    if not paths.built_database().is_file():
        os.environ["KERNEL29_BUILD_DIR"] = str(Path("target") / "formulas")
    from dbt.cli.main import dbtRunner

    parsed = dbtRunner().invoke(["--quiet", "parse"])
    if not parsed.success:
        return 1
    manifest = parsed.result.writable_manifest().to_dict()
    names = unit_tests_of(manifest, changed)
    print(f"{len(names)} unit tests of SQL that differs from {branch}.", flush=True)
    if not names:
        return 0
    dbt = dbtRunner(manifest=parsed.result)
    if "KERNEL29_BUILD_DIR" in os.environ and not paths.built_database().is_file():
        paths.built_database().parent.mkdir(parents=True, exist_ok=True)
        parents = [f"+{name}" for name in parents_of(manifest, set(names))]
        if not dbt.invoke(["--quiet", "run", "--empty", "--select", *parents]).success:
            return 1
    return 0 if dbt.invoke(["--quiet", "test", "--select", *names]).success else 1


if __name__ == "__main__":
    sys.exit(main())
