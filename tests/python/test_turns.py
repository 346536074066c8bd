"""In which order a build takes its nodes."""

from types import SimpleNamespace

import networkx as nx
from dbt.graph import GraphQueue
from dbt.node_types import NodeType
from dbt.task.build import BuildTask

from python_llm.job.changes.turns import _LongestFirst, _Task


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


def test_a_build_of_everything_takes_the_longest_way_first(monkeypatch):
    """It chooses no nodes, and dbt's own queue would go level by level."""
    graph = nx.DiGraph([("a_short", "z_end"), ("b_long", "next"), ("next", "last")])
    nodes = {
        name: SimpleNamespace(resource_type=NodeType.Model, language="sql", is_ephemeral=False)
        for name in graph
    }
    task = _Task.__new__(_Task)
    task.manifest = SimpleNamespace(expect=nodes.__getitem__)
    task._turns = SimpleNamespace(chosen=frozenset())
    of_dbt = GraphQueue(graph.copy(), task.manifest, {*graph})
    assert of_dbt.inner.queue[0][1] == "a_short"
    monkeypatch.setattr(BuildTask, "get_graph_queue", lambda _: of_dbt)
    queue = task.get_graph_queue()
    assert queue.inner.queue[0][1] == "b_long"
    assert queue.get_selected_nodes() == {*graph}
