"""Has dbt build in one run whatever may have changed, and decide of each node when its turn comes.

A node of which all that it is made of and all that it reads are what they were is left as it is: it
costs no connection, no SQL and no rendering. So a table that comes out as it was ends the wave.
The classes extend those with which dbt carries out `dbt build`.
"""

import time
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from graphlib import TopologicalSorter
from typing import Any

from dbt import selected_resources
from dbt.artifacts.schemas.results import NodeStatus, TestStatus
from dbt.artifacts.schemas.run import RunResult, RunStatus
from dbt.graph import GraphQueue
from dbt.node_types import NodeType
from dbt.task import build as dbt_build
from dbt.task.build import BuildTask
from dbt.task.run import ModelRunner
from dbt.task.seed import SeedRunner
from dbt.task.test import TestRunner

from python_llm.job.changes import selection, state
from python_llm.job.changes.fingerprints import Project
from python_llm.job.changes.state import Made
from python_llm.job.dbt.callable_macros import Macros

REUSED = "REUSED"  # the message of a node that was left as it is
# seconds that a node of a kind takes, by a whole build; one that takes long says so (meta: seconds)
COSTS = defaultdict(lambda: 0.0, {"python": 0.3, "model": 0.4, "seed": 0.1, "test": 0.1})
AHEAD = 1  # nodes that are ready when a thread is: choosing one takes a moment, too


class Turns:
    """What is known of each node while it is built. made: what the warehouse says of them.

    A node is decided once. What a folder has since then is for the next build: asking models writes
    into the ledger that others read.
    """

    def __init__(self, project: Project, made: Mapping[str, Made], chosen: Collection[str]) -> None:
        self.chosen = frozenset(chosen)
        self._project = project
        self._made = made
        self._contents = state.RUN.contents
        self._contents.update({node: row.content for node, row in made.items()})
        self._graph = selection.Graph(project.children)
        self._of_run = {node for node in project.nodes if project.is_of_run(node)}

    def waits(self) -> Iterator[tuple[str, str]]:
        """Nodes, each with one that has its turn after it though it does not read it: one that says
        which run built it is as old as what is built on it, whatever else that reads."""
        for node in self._of_run & self.chosen:
            following = self._graph.descendants([node])
            for other in sorted(following & self.chosen):
                for parent in self._graph.parents[other]:
                    if parent in self.chosen and parent not in following | self._of_run:
                        yield parent, node

    def is_current(self, unique_id: str) -> bool:
        """Whether a node whose turn it is can be left as it is."""
        state.RUN.parts(unique_id, "now")  # it may have changed what it reads before it is noted
        return unique_id in self.chosen and not (
            self._is_stale(unique_id)
            or (unique_id in self._of_run and self._is_built_upon_anew(unique_id))
        )

    def note_failed(self, unique_id: str) -> None:
        """Nobody knows what a node holds that was not built to the end."""
        self._contents.pop(unique_id, None)

    def _is_stale(self, unique_id: str) -> bool:
        row = self._made.get(unique_id)
        parts = self._project.parts
        return row is None or selection.is_stale(
            row, parts(unique_id), self._project.parents(unique_id), self._contents
        )

    def _is_built_upon_anew(self, unique_id: str) -> bool:
        """Whether something of its group that follows from a node will be built."""
        return any(
            self._is_stale(node)
            for node in self._graph.descendants([unique_id]) & self.chosen
            if selection.is_of_group(self._project, unique_id, node)
        )


class _Deciding:
    """A runner of dbt that asks first whether there is anything to do."""

    turns: Turns
    macros: Macros
    left_status: Any = RunStatus.Success

    def run_with_hooks(self: Any, manifest: Any) -> RunResult:
        """As dbt does it, unless the node is current or dbt has decided to skip it."""
        unique_id = self.node.unique_id
        if self.skip or not self.turns.is_current(unique_id):
            own = self.macros.narrowed(self.node)
            result = super().run_with_hooks(own)  # type: ignore[misc]
            if result.status == NodeStatus.Error:
                self.turns.note_failed(unique_id)
            return result
        return self._build_run_result(
            self.node, time.time(), self.left_status, [], REUSED, failures=0
        )


class _Model(_Deciding, ModelRunner):  # type: ignore[misc]  # dbt is Any to the checker
    pass


class _Seed(_Deciding, SeedRunner):  # type: ignore[misc]
    pass


class _Test(_Deciding, TestRunner):  # type: ignore[misc]
    left_status = TestStatus.Pass


class _LongestFirst(GraphQueue):  # type: ignore[misc]
    """The nodes of a build, those first that the longest way to the end follows.

    dbt hands out nodes level by level from the seeds, whatever follows: the longest chain then
    ends alone, beside an idle core. What has run is not timed: a node costs what its `meta` says,
    or `COSTS` of its kind.
    """

    def __init__(
        self, graph: Any, manifest: Any, selected: Collection[str], n_threads: int
    ) -> None:
        self._most = n_threads + AHEAD
        super().__init__(graph, manifest, selected)

    def get(self, block: bool = True, timeout: float | None = None) -> Any:
        """The next node, once there is a thread for it: dbt would hand out all that are ready at
        once, threads would take them in that order, and what becomes ready later would wait."""
        with self.some_task_done:
            self.some_task_done.wait_for(lambda: len(self.in_progress) < self._most)
        return super().get(block, timeout)

    def _get_scores(self, graph: Any) -> dict[str, float]:
        ways: dict[str, float] = {}
        children = {node: list(graph.successors(node)) for node in graph}
        for node in TopologicalSorter(children).static_order():  # children come first
            longest = max((ways[child] for child in children[node]), default=0.0)
            ways[node] = self._cost(node) + longest
        return {node: -way for node, way in ways.items()}  # dbt takes the lowest first

    def _cost(self, unique_id: str) -> float:
        node = self.manifest.expect(unique_id)
        is_python = getattr(node, "language", "") == "python"
        usual = COSTS["python" if is_python else node.resource_type]
        return float(node.config.meta.get("seconds", usual))


class _Task(BuildTask):  # type: ignore[misc]
    RUNNER_MAP = {  # noqa: RUF012 - as dbt declares it
        **BuildTask.RUNNER_MAP,
        NodeType.Model: _Model,
        NodeType.Seed: _Seed,
        NodeType.Test: _Test,
    }

    def __init__(self, turns: Turns, *arguments: Any) -> None:
        super().__init__(*arguments)
        self._turns = turns
        self._macros = Macros(self.manifest)

    def get_runner(self, node: Any) -> Any:
        runner = super().get_runner(node)
        runner.turns, runner.macros = self._turns, self._macros
        return runner

    def get_graph_queue(self) -> GraphQueue:
        """The chosen nodes; what dbt was asked to select if none were."""
        chosen = set(self._turns.chosen)
        if not chosen:
            queue = super().get_graph_queue()
            graph, chosen = queue.graph, queue.get_selected_nodes()
            return _LongestFirst(graph, self.manifest, chosen, self.config.threads)
        selected_resources.set_selected_resources(chosen)
        graph = self.graph.get_subset_graph(chosen).graph
        graph.add_edges_from(self._turns.waits())
        return _LongestFirst(graph, self.manifest, chosen, self.config.threads)


@contextmanager
def taken(turns: Turns) -> Iterator[None]:
    """Within it `dbt build` goes by `turns`."""
    own = dbt_build.BuildTask
    dbt_build.BuildTask = partial(_Task, turns)
    try:
        yield
    finally:
        dbt_build.BuildTask = own
