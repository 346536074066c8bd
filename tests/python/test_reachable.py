"""Modules are read for what they import, by however many threads of dbt at once."""

import ast
import time
from concurrent.futures import ThreadPoolExecutor

from python_llm.job import reachable


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
