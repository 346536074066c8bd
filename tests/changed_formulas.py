"""Runs the unit tests of the SQL that differs from a branch: `make test-fast` asks for no more.

    python tests/changed_formulas.py [BRANCH]     default: main

A unit test runs if its model, a macro the model uses, or the yml it stands in was changed,
committed or not. It needs the tables its model reads: the warehouse of an earlier `make build`.
"""

import json
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from python_llm import paths

DBT = (sys.executable, "-c", "from dbt.cli.main import cli; cli()", "--quiet")


def changed_files(branch: str) -> set[str]:
    """Files that differ from where this work left the branch, new ones included."""

    def git(*arguments: str) -> list[str]:
        return subprocess.run(
            ("git", *arguments), check=True, capture_output=True, text=True
        ).stdout.splitlines()

    (base,) = git("merge-base", "HEAD", branch)
    return {*git("diff", "--name-only", base), *git("ls-files", "--others", "--exclude-standard")}


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


def main() -> int:
    branch = sys.argv[1] if len(sys.argv) > 1 else "main"
    subprocess.run((*DBT, "parse"), check=True)
    manifest = json.loads(Path("target/manifest.json").read_text())
    names = unit_tests_of(manifest, changed_files(branch))
    if not names:
        print(f"No formula differs from {branch}.")
        return 0
    if not paths.built_database().is_file():
        print(f"{len(names)} unit tests of changed SQL need a warehouse: run make build once.")
        return 1
    print(f"{len(names)} unit tests of SQL that differs from {branch}.")
    return subprocess.run((*DBT, "test", "--select", *names)).returncode


if __name__ == "__main__":
    sys.exit(main())
