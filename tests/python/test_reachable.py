"""Modules are read for what they import, by however many threads of dbt at once."""

import ast
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from python_llm import paths
from python_llm.job.changes import reachable


def test_threads_make_one_tree_at_a_time(monkeypatch):
    parse, at_work, most = ast.parse, [], []

    def counted(source, *more):
        at_work.append(source)
        most.append(len(at_work))
        time.sleep(0.01)
        at_work.pop()
        return parse(source, *more)

    monkeypatch.setattr(ast, "parse", counted)
    sources = [f"from python_llm import paths  # {number}" for number in range(8)]
    with ThreadPoolExecutor(4) as threads:
        reached = list(threads.map(reachable.modules, sources))
    assert set(most) == {1}
    assert all("python_llm.paths" in names for names in reached)


@pytest.mark.parametrize(
    "source",
    [
        "import os, python_llm.paths as where",
        "from python_llm import errors, paths",
        "from python_llm import (  # why\n    errors,\n    paths,  # (too)\n)",
        "from python_llm import errors, \\\n    paths",
        "def f():\n\tfrom python_llm import paths\n\treturn paths",
        "try: import python_llm.paths\nexcept ImportError: pass",
        "number = 1; from python_llm import paths; number += 1",
        "from python_llm.paths import *",
    ],
)
def test_an_import_is_read_however_it_is_written(source):
    ast.parse(source)
    assert "python_llm.paths" in reachable.modules(source)


def test_what_is_no_import_names_no_module():
    source = "# from python_llm import paths\nx = 'import python_llm.paths'\nimported = paths"
    assert reachable.modules(f'"""\nimport it from there\n"""\n{source}') == {}


def test_every_import_of_the_package_is_found():
    for file in (paths.project_root() / "python_llm").rglob("*.py"):
        source = file.read_text()
        imports = {
            ast.unparse(node)
            for node in ast.walk(ast.parse(source))
            if isinstance(node, ast.Import | ast.ImportFrom)
        }
        assert imports <= {ast.unparse(node) for node in reachable._imports(source)}, file
