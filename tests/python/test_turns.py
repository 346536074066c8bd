"""In which order a build takes its nodes."""

from types import SimpleNamespace

import networkx as nx

from python_llm.job.changes.turns import _LongestFirst


def test_the_node_with_the_longest_way_behind_it_is_first():
    """By depth `short` and `long` would be equal, and the chain would end beside an idle core."""
    graph = nx.DiGraph([("long", "next"), ("next", "last"), ("short", "end")])
    nodes = {name: SimpleNamespace(resource_type="model", language="sql") for name in graph}
    nodes["last"].language = "python"  # takes longer than the SQL of `end`
    queue = _LongestFirst.__new__(_LongestFirst)
    queue.manifest = SimpleNamespace(expect=nodes.__getitem__)
    scores = queue._get_scores(graph)
    assert sorted(scores, key=scores.__getitem__)[:2] == ["long", "next"]
    assert scores["last"] < scores["short"] < scores["end"]  # dbt takes the lowest first
