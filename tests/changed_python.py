"""Runs the quick Python tests that a change may break: `make test-fast` asks for no more.

    python tests/changed_python.py [BRANCH]     default: main

A file of tests runs if it differs from the branch, committed or not, or if anything does that it
imports, directly or not; a conftest.py belongs to every test beside and below it. Any test may
read a seed or a prompt: a change of one runs them all. Those on Spark are not among them.
"""

import ast
import subprocess
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path, PurePosixPath

from changed_files import changed_files

ROOTS = ("python_llm", "benchmarks", "tests")
PATHS = ("", "tests/", "tests/python/helpers/")  # pythonpath of pyproject.toml
# where a quick test may read what is not Python
READ = ("python_llm/", "seeds/", "tests/python/", "benchmarks/", "pyproject.toml", "profiles.yml")

ELSEWHERE = "tests/spark/"  # in an environment of their own: make spark-test


def imported_names(code: str) -> set[str]:
    """Dotted names that a file imports anywhere in it; of `from a import b`, a and a.b."""
    names = set()
    for node in ast.walk(ast.parse(code)):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            names |= {node.module, *(f"{node.module}.{alias.name}" for alias in node.names)}
    return names


def import_graph(codes: Mapping[str, str]) -> dict[str, set[str]]:
    """The files of `codes` that each of them imports, the packages these are in included."""
    graph = {}
    for file, code in codes.items():
        graph[file] = {
            f"{path}{PurePosixPath(*parts[:n])}{ending}"
            for name in imported_names(code)
            for parts in [name.split(".")]
            for n in range(1, len(parts) + 1)
            for path in PATHS
            for ending in (".py", "/__init__.py")
        } & codes.keys()
        graph[file] |= {
            str(folder / "conftest.py") for folder in PurePosixPath(file).parents
        } & codes.keys()
    return graph


def affected(graph: Mapping[str, set[str]], changed: Iterable[str]) -> set[str]:
    """The changed files of a graph, and all that import one of them, directly or not."""
    files = set(changed) & graph.keys()
    while importers := {file for file, imports in graph.items() if imports & files} - files:
        files |= importers
    return files


def files_of_tests(codes: Mapping[str, str], changed: set[str]) -> list[str]:
    """The files of tests to run, in order."""
    data = {file for file in changed if file.startswith(READ) and not file.endswith((".py", ".md"))}
    files = set(codes) if data else affected(import_graph(codes), changed)
    files = {file for file in files if not file.startswith(ELSEWHERE)}
    return sorted(file for file in files if PurePosixPath(file).name.startswith("test_"))


def main() -> int:
    branch = sys.argv[1] if len(sys.argv) > 1 else "main"
    codes = {
        file.as_posix(): file.read_text(encoding="utf-8")
        for root in ROOTS
        for file in Path(root).rglob("*.py")
    }
    tests = files_of_tests(codes, changed_files(branch))
    if not tests:
        print(f"No Python differs from {branch}.", flush=True)
        return 0
    quick = ("-m", "not slow", "--hypothesis-profile", "quick")
    side_by_side = ("--numprocesses", "2", "--dist", "loadfile")
    code = subprocess.run(
        (sys.executable, "-m", "pytest", *side_by_side, *quick, *tests)
    ).returncode
    return 0 if code == 5 else code  # 5: all that is left of them is slow


if __name__ == "__main__":
    sys.exit(main())
