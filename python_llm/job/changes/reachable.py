"""Which modules of this package a piece of Python can reach: by import, not by living here."""

import ast
import hashlib
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from threading import Lock

from python_llm import paths

PACKAGE = "python_llm"
# Wherever an import can begin, up to its end: to make a tree of these takes a fifteenth of the time
# of one of everything. What only looks like an import is none, or one too many.
IMPORT = re.compile(
    r"(?:^|[;:])[ \t]*((?:from[ \t]+[.\w]+[ \t]+)?import\b"
    r"(?:[ \t]*\((?:[^)#]|#[^\n]*)*\)|[^\n;(\\]*(?:\\\n[^\n;\\]*)*))",
    re.MULTILINE,
)
# one tree at a time: CPython counts how deep it is in a tree for all threads together, and 3.11.7
# raised "AST constructor recursion depth mismatch" where dbt's threads made two
_PARSING = Lock()


def modules(source: str) -> dict[str, str]:
    """A digest of every module of the package that `source` imports, directly or through another.

    Importing a.b.c runs a and a.b as well, so these count; a name imported from a package may be a
    module of it, and counts if it is.
    """
    reached: dict[str, str] = {}
    waiting = list(_imported(source, PACKAGE))
    while waiting:
        name = waiting.pop()
        if name in reached or (parsed := module(name)) is None:
            continue
        reached[name], imports = parsed
        waiting += imports
    return reached


def of_function(reference: str) -> dict[str, str]:
    """The same of a function named as module:function."""
    return modules(f"import {reference.partition(':')[0]}")


@cache
def module(name: str) -> tuple[str, tuple[str, ...]] | None:
    """The digest of a module's file and what it imports; None if there is no such module."""
    relative = Path(*name.split("."))
    # of a project that was laid out, the package is where it was installed
    for file, package in (
        (folder / file, package)
        for folder in (paths.project_root(), paths.PACKAGES)
        for file, package in (
            (relative / "__init__.py", name),
            (relative.with_suffix(".py"), name.rpartition(".")[0]),
        )
    ):
        if file.is_file():
            source = file.read_text(encoding="utf-8")
            digest = hashlib.blake2b(source.encode(), digest_size=8).hexdigest()
            return digest, tuple(_imported(source, package))
    return None


def _imported(source: str, package: str) -> Iterator[str]:
    """The dotted names that `source`, a module in `package`, imports from this package."""
    for node in _imports(source):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        else:
            parents = package.split(".")
            above = parents[: len(parents) - node.level + 1] if node.level else []
            module = ".".join([*above, *([node.module] if node.module else [])])
            names = [module, *(f"{module}.{alias.name}" for alias in node.names)]
        for name in names:
            parts = name.split(".")
            if parts[0] == PACKAGE:
                yield from (".".join(parts[:size]) for size in range(1, len(parts) + 1))


def _imports(source: str) -> Iterator[ast.Import | ast.ImportFrom]:
    for statement in IMPORT.findall(source):
        try:
            with _PARSING:
                tree = ast.parse(statement)
        except SyntaxError:
            continue
        yield from (node for node in tree.body if isinstance(node, ast.Import | ast.ImportFrom))
