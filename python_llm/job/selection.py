"""Which nodes a build has to run, and why."""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field

from python_llm.job.fingerprints import Project
from python_llm.job.state import Made

WORTH_A_ROUND = 30  # nodes
TWICE = 2
Why = dict[str, str]  # a node's id and why it is not current, in words


@dataclass
class Graph:
    """Who follows whom among the nodes of a project."""

    children: Mapping[str, Collection[str]]
    parents: Mapping[str, Collection[str]] = field(init=False)

    def __post_init__(self) -> None:
        parents: dict[str, list[str]] = defaultdict(list)
        for parent, children in self.children.items():
            for child in children:
                parents[child].append(parent)
        self.parents = parents

    def descendants(self, nodes: Iterable[str]) -> set[str]:
        return _reached(nodes, self.children)

    def ancestors(self, nodes: Iterable[str]) -> set[str]:
        return _reached(nodes, self.parents)

    def between(self, nodes: Collection[str]) -> set[str]:
        """The nodes, and whatever lies on a way from one of them to another."""
        return {*nodes} | (self.descendants(nodes) & self.ancestors(nodes))


class Rounds:
    """What to build next: what is stale, what lies between, and some of what follows.

    A round costs dbt about a second; a node that follows and then turns out to be current costs it
    a thirtieth. So a round takes as many followers as are worth a round, the nearest first; twice
    as many each time if most of those it took had to be built, and as few as at first if not. A
    node that was not built is no reason again, and any is one twice at most. What a folder has
    since the build began is for the next build: asking models writes into the ledger that others
    read.
    """

    def __init__(self, project: Project) -> None:
        self._project = project
        self._graph = Graph(project.children)
        self._had: Counter[str] = Counter()
        self._blocked: set[str] = set()
        self._reach = 0
        self._first: set[str] | None = None
        self._due: set[str] = set()
        self._followers: set[str] = set()
        self._depth = _depths(project)
        self._runs = {node for node in project.nodes if project.is_of_run(node)}

    def next(self, why: Why, moved: Collection[str]) -> set[str]:
        """The nodes of the next round, given all that is stale now and those of them that read
        something else than they did; none if that was all."""
        self._first = self._first if self._first is not None else {*why}
        later = {*moved} | self._runs
        due = {
            node
            for node in why
            if self._had[node] < (TWICE if node in later else node in self._first)
        } - self._blocked
        certain = self._graph.between(due) - self._blocked
        following = self._graph.descendants(certain) - certain - self._blocked
        if not self._runs <= certain:  # what a run measures is not built on before the run is new
            following -= self._graph.descendants(self._runs)
        nearest = sorted(following, key=lambda node: (self._depth[node], node))
        self._followers = set(nearest[: self._reach])
        self._due = due
        chosen = certain | self._followers
        return chosen | (self._tests_before(chosen) - self._blocked)

    def _tests_before(self, nodes: set[str]) -> set[str]:
        """The tests of those nodes from which others of them follow: nothing is asked, paid for or
        served before what it is made of has passed. A test that also reads what follows from the
        nodes and is not among them would compare new with old: it is due when that is built."""
        models = [node for node in nodes if not _is_test(node)]
        gated = self._graph.ancestors(models) & {*nodes}
        tests = {test for node in gated for test in self._graph.children[node] if _is_test(test)}
        later = self._graph.descendants(models) - nodes
        return {test for test in tests if later.isdisjoint(self._graph.parents[test])}

    def note(self, nodes: Collection[str], built: Collection[str], failed: Collection[str]) -> None:
        """What a round had, what of it was built and what failed: nothing is built on that."""
        is_worth_more = 2 * len(self._followers & {*built}) > len(self._followers)
        self._reach = 2 * self._reach if self._followers and is_worth_more else WORTH_A_ROUND
        self._had.update(self._due & {*built})
        for node in self._due - {*built}:
            self._had[node] = TWICE
        for node in failed:
            above = set(self._graph.parents.get(node, ())) if _is_test(node) else {node}
            behind = [self._graph.descendants([name]) - {node} for name in above]
            # as dbt does: a test of two tables stops what follows from both
            self._blocked |= set.intersection(*behind) if behind else set()


def needed_for(project: Project, targets: Collection[str], why: Why) -> set[str]:
    """The models and seeds that have to be built before `targets` say what is so now, given all
    that is stale; with those targets that are among what follows."""
    graph = Graph(project.children)
    behind = graph.descendants(why) | why.keys()
    before = graph.ancestors(targets) | {*targets}
    return {node for node in behind & before if not _is_test(node)}


def _is_test(unique_id: str) -> bool:
    return unique_id.startswith("test.")


def _depths(project: Project) -> dict[str, int]:
    """The longest way to each node: nothing that a node reads lies deeper."""
    depths: dict[str, int] = {}
    waiting = list(project.nodes)
    while waiting:
        node = waiting[-1]
        unknown = [parent for parent in project.parents(node) if parent not in depths]
        if unknown:
            waiting += unknown
        else:
            depths[node] = max((depths[parent] + 1 for parent in project.parents(node)), default=0)
            waiting.pop()
    return depths


def by_reason(project: Project, why: Why) -> list[tuple[str, list[str]]]:
    """Every reason with the names of its nodes, models before tests; most nodes first."""
    reasons: dict[str, list[str]] = defaultdict(list)
    for unique_id in sorted(why, key=lambda name: (_is_test(name), name)):
        reasons[why[unique_id]].append(project.nodes[unique_id]["name"])
    return sorted(reasons.items(), key=lambda item: (-len(item[1]), item[0]))


def stale(project: Project, made: Mapping[str, Made], forgotten: Why) -> Why:
    """Every node that is not current by itself, and why: those that follow from it are not here.

    forgotten: nodes whose table is not what it was, with the reason.
    """
    contents = {unique_id: row.content for unique_id, row in made.items()}
    why = {}
    for unique_id in project.nodes:
        if unique_id in forgotten:
            why[unique_id] = forgotten[unique_id]
        elif unique_id not in made:
            why[unique_id] = "it has not passed" if _is_test(unique_id) else "it is not built yet"
        elif changed := _changed(made[unique_id].parts, project.parts(unique_id)):
            why[unique_id] = f"{', '.join(changed)} changed"
        elif made[unique_id].inputs != _inputs(project.parents(unique_id), contents):
            why[unique_id] = f"{_other_parents(project, made, unique_id)} changed"
    return why | _runs(project, why)


def moved(project: Project, made: Mapping[str, Made]) -> set[str]:
    """The nodes whose parents hold something else than what the nodes were built from."""
    contents = {unique_id: row.content for unique_id, row in made.items()}
    return {
        unique_id
        for unique_id, row in made.items()
        if unique_id in project.nodes
        and row.inputs != _inputs(project.parents(unique_id), contents)
    }


def _runs(project: Project, why: Why) -> Why:
    """Nodes that say which run built them are as old as what else of their group is built."""
    graph = Graph(project.children)
    renewed = {}
    for unique_id in project.nodes:
        if project.is_of_run(unique_id) and unique_id not in why:
            group = project.nodes[unique_id]["config"]["group"]
            for node in sorted(graph.descendants([unique_id]) & why.keys()):
                of_group = project.nodes[node]["config"].get("group") == group
                if of_group and project.nodes[node]["resource_type"] == "model":
                    renewed[unique_id] = f"{node.split('.')[2]} is built again"
                    break
    return renewed


def _changed(before: Mapping[str, str], now: Mapping[str, str]) -> list[str]:
    names = {*before, *now}
    return sorted(name for name in names if before.get(name) != now.get(name))


def _inputs(parents: Iterable[str], contents: Mapping[str, str]) -> str | None:
    """The same as inputs_sql of macros/dbt/state.sql."""
    read = sorted(set(parents))
    if any(parent not in contents for parent in read):
        return None
    return ", ".join(f"{parent} {contents[parent]}" for parent in read)


def _other_parents(project: Project, made: Mapping[str, Made], unique_id: str) -> str:
    before = dict(
        pair.split(" ") for pair in made[unique_id].inputs.split(", ") if made[unique_id].inputs
    )
    now = {parent: row.content for parent, row in made.items()}
    parents = {*before, *project.parents(unique_id)}
    names = sorted(name.split(".")[2] for name in parents if before.get(name) != now.get(name))
    return f"the content of {', '.join(names)}"


def _reached(nodes: Iterable[str], following: Mapping[str, Collection[str]]) -> set[str]:
    reached: set[str] = set()
    waiting = [next_one for node in nodes for next_one in following.get(node, ())]
    while waiting:
        node = waiting.pop()
        if node not in reached:
            reached.add(node)
            waiting += following.get(node, ())
    return reached
