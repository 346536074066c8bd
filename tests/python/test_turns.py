"""In which order a build takes its nodes."""

from concurrent.futures import ThreadPoolExecutor
from types import SimpleNamespace

import networkx as nx
import pytest
from dbt.graph import GraphQueue
from dbt.node_types import NodeType
from dbt.task.build import BuildTask

from python_llm.job.changes.turns import _LongestFirst, _Task


def test_the_node_with_the_longest_way_behind_it_is_first():
    """By depth `short` and `long` would be equal, and the chain would end beside an idle core."""
    graph = nx.DiGraph([("long", "next"), ("next", "last"), ("short", "end")])
    usual = SimpleNamespace(meta={})
    nodes = {
        name: SimpleNamespace(resource_type="model", language="sql", config=usual) for name in graph
    }
    nodes["last"].config = SimpleNamespace(meta={"seconds": 2})  # longer than `short` and `end`
    queue = _LongestFirst.__new__(_LongestFirst)
    queue.manifest = SimpleNamespace(expect=nodes.__getitem__)
    scores = queue._get_scores(graph)
    assert sorted(scores, key=scores.__getitem__)[:2] == ["long", "next"]
    assert scores["last"] < scores["short"] < scores["end"]  # dbt takes the lowest first
    assert scores["last"] == -2


def models(graph, **seconds):
    """A manifest of models, of which some say how long they take."""
    nodes = {
        name: SimpleNamespace(
            resource_type=NodeType.Model,
            language="sql",
            is_ephemeral=False,
            unique_id=name,
            config=SimpleNamespace(meta={"seconds": seconds[name]} if name in seconds else {}),
        )
        for name in graph
    }
    return SimpleNamespace(expect=nodes.__getitem__)


def test_a_build_of_everything_takes_the_longest_way_first(monkeypatch):
    """It chooses no nodes, and dbt's own queue would go level by level."""
    graph = nx.DiGraph([("a_short", "z_end"), ("b_long", "next"), ("next", "last")])
    task = _Task.__new__(_Task)
    task.manifest, task.config = models(graph), SimpleNamespace(threads=2)
    task._turns = SimpleNamespace(chosen=frozenset())
    of_dbt = GraphQueue(graph.copy(), task.manifest, {*graph})
    assert of_dbt.inner.queue[0][1] == "a_short"
    monkeypatch.setattr(BuildTask, "get_graph_queue", lambda _: of_dbt)
    queue = task.get_graph_queue()
    assert queue.inner.queue[0][1] == "b_long"
    assert queue.get_selected_nodes() == {*graph}


def test_what_becomes_ready_goes_before_what_waits():
    """dbt hands out all that is ready, and `urgent` would wait for `b` and `c`."""
    graph = nx.DiGraph([("first", "urgent")])
    graph.add_nodes_from("abc")
    queue = _LongestFirst(graph, models(graph, urgent=9), {*graph}, n_threads=1)
    given = [queue.get().unique_id, queue.get().unique_id]  # one is ahead
    assert given == ["first", "a"]
    with ThreadPoolExecutor(1) as pool:
        waiting = pool.submit(queue.get)
        with pytest.raises(TimeoutError):
            waiting.result(timeout=0.2)
        queue.mark_done("first")
        assert waiting.result(timeout=5).unique_id == "urgent"
