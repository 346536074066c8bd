"""Which nodes a build has to run, and why."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field

from python_llm.job.changes.fingerprints import SETTINGS, Parts, Project
from python_llm.job.changes.state import Made

Why = dict[str, str]  # a node's id and why it is not current, in words
# Configuration, contract and descriptions are one part, whichever file or variable says them.
CONFIGURED = "its yml or configuration"


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


def concerned(project: Project, why: Why) -> set[str]:
    """All that a build may have to build or test, given all that is stale: that, what follows from
    it, and the nodes that say which run built them if something of their group is among it."""
    graph = Graph(project.children)
    nodes = why.keys() | graph.descendants(why)
    for node in project.nodes:
        if project.is_of_run(node):
            following = graph.descendants([node])
            if any(is_of_group(project, node, other) for other in following & nodes):
                nodes |= {node} | following
    return nodes


def needed_for(project: Project, targets: Collection[str], why: Why) -> set[str]:
    """The models and seeds that have to be built before `targets` say what is so now, given all
    that is stale; with those targets that are among what follows."""
    graph = Graph(project.children)
    behind = graph.descendants(why) | why.keys()
    before = graph.ancestors(targets) | {*targets}
    return {node for node in behind & before if not _is_test(node)}


def _is_test(unique_id: str) -> bool:
    return unique_id.startswith("test.")


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
        elif made[unique_id].parts != (parts := project.parts(unique_id)):
            why[unique_id] = told_apart(made[unique_id].parts, parts)
        elif made[unique_id].inputs != _inputs(project.parents(unique_id), contents):
            why[unique_id] = f"{_other_parents(project, made, unique_id)} changed"
    return why | _runs(project, why)


def changed_parts(project: Project, made: Mapping[str, Made], unique_id: str) -> list[str]:
    """The names of what a node is made of that are not as when it was built."""
    return _changed(made[unique_id].parts, project.parts(unique_id))


def told_apart(before: Parts, now: Parts) -> str:
    """What the parts of a node differ in, in words."""
    changed = _changed(before, now)
    gone = [name for name in changed if name not in now]
    new = [name for name in changed if name not in before]
    words = [CONFIGURED if name == SETTINGS else name for name in changed]
    # of files alone: names with a folder
    if len(gone) == len(new) == 1 and "/" in gone[0] and before[gone[0]] == now[new[0]]:
        moved = f"{gone[0]} moved to {new[0]}"
        others = [word for word in words if word not in (*gone, *new)]
        return f"{moved}; {', '.join(others)} changed" if others else moved
    return f"{', '.join(words)} changed"


def is_stale(row: Made, parts: Parts, parents: Iterable[str], contents: Mapping[str, str]) -> bool:
    """Whether a node was made of other parts, or from parents that held something else."""
    return row.parts != parts or row.inputs != _inputs(parents, contents)


def is_of_group(project: Project, run: str, node: str) -> bool:
    """Whether a node is a model of the group of a node that says which run built it."""
    group = project.nodes[run]["config"]["group"]
    of_group = project.nodes[node]["config"].get("group") == group
    return of_group and project.nodes[node]["resource_type"] == "model"


def _runs(project: Project, why: Why) -> Why:
    """Nodes that say which run built them are as old as what else of their group is built."""
    graph = Graph(project.children)
    renewed = {}
    for unique_id in project.nodes:
        if project.is_of_run(unique_id) and unique_id not in why:
            for node in sorted(graph.descendants([unique_id]) & why.keys()):
                if is_of_group(project, unique_id, node):
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
