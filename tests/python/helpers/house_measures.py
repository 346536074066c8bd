"""What the house measures itself by, and the most each measure may be.

    python tests/python/helpers/house_measures.py

prints the table; test_house.py holds it.
"""

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from graphlib import CycleError, TopologicalSorter
from itertools import pairwise
from pathlib import Path

from python_llm import paths

ROOT = paths.project_root()
PACKAGE = ROOT / "python_llm"
BARE_COLUMN = re.compile(r"(\w+\.)?\w+,")
CTE = re.compile(
    r"^\s*(?:with\s+(?:recursive\s+)?)?\w+(?:\s*\([^)]*\))?\s+as\s+"
    r"(?:(?:not\s+)?materialized\s+)?\($",
    re.MULTILINE,
)
# the stations on the way of a prompt to the score of its list under a judge who is a model
WAY_OF_A_PROMPT = [
    "stg_prompts__version",
    "int_experiments__generation_asks",
    "int_experiments__generation_responses",
    "int_experiments__semantic_responses",
    "fct_case_score",
]


@dataclass(frozen=True)
class Measure:
    """A name, what it is now, the most it should be, and where it is found."""

    name: str
    now: float
    at_most: float
    where: str = ""

    @property
    def is_good(self) -> bool:
        return self.now <= self.at_most


class Graph:
    """The nodes of a manifest and the ways through them."""

    def __init__(self, manifest: dict):
        self.nodes = {
            key: node
            for key, node in manifest["nodes"].items()
            if node["package_name"] == "kernel29"
        }
        self.models = {
            key: node for key, node in self.nodes.items() if node["resource_type"] == "model"
        }
        self.parents = {
            key: [name for name in node["depends_on"]["nodes"] if name in self.models]
            for key, node in self.models.items()
        }

    def longest_path(self) -> list[str]:
        """The models one waits for after the other, by name."""

        @cache
        def path(key: str) -> tuple[str, ...]:
            return (*max((path(parent) for parent in self.parents[key]), key=len, default=()), key)

        return [self.models[key]["name"] for key in max(map(path, self.models), key=len)]

    def shortest_path(self, start: str, end: str) -> list[str]:
        """The fewest models from one to another, both among them."""
        keys = {node["name"]: key for key, node in self.models.items()}
        ways = [[keys[end]]]
        seen = {keys[end]}
        for way in ways:
            if way[0] == keys[start]:
                return [self.models[key]["name"] for key in way]
            for parent in self.parents[way[0]]:
                if parent not in seen:
                    seen.add(parent)
                    ways.append([parent, *way])
        raise LookupError(f"no way from {start} to {end}")

    def way_of_a_prompt(self) -> list[str]:
        """From a prompt to its score."""
        way = WAY_OF_A_PROMPT[:1]
        for start, end in pairwise(WAY_OF_A_PROMPT):
            way += self.shortest_path(start, end)[1:]
        return way


def function_lengths() -> list[tuple[int, str]]:
    """(lines from `def` to the end, place) of every function of the package, longest first."""
    lengths = []
    for file in sorted(PACKAGE.rglob("*.py")):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                place = f"{file.relative_to(ROOT)}:{node.lineno} {node.name}"
                lengths.append((node.end_lineno - node.lineno + 1, place))
    return sorted(lengths, reverse=True)


def modules() -> dict[str, Path]:
    """The files of the package by the name they are imported under."""
    return {
        ".".join(file.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__"): file
        for file in PACKAGE.rglob("*.py")
    }


def imported_names(file: Path) -> Iterator[str]:
    """What a file imports anywhere in it, inside functions too, as module or module.name."""
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{file}: imports are absolute"
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def import_graph() -> dict[str, set[str]]:
    """The modules of the package that each of its modules imports."""
    known = modules()
    graph: dict[str, set[str]] = {}
    for module, file in known.items():
        named = {
            name if name in known else name.rpartition(".")[0] for name in imported_names(file)
        }
        graph[module] = named & known.keys() - {module}
    return graph


def circle(graph: dict[str, set[str]]) -> list[str]:
    """The nodes of a circle in a graph, the first again at the end; none where there is none."""
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        return error.args[1]
    return []


def room_of(module: str) -> str | None:
    """The first folder under the package; None for a loose file."""
    _, *rest = module.split(".")
    return rest[0] if rest and (PACKAGE / rest[0]).is_dir() else None


def rooms(graph: dict[str, set[str]]) -> dict[str, set[str]]:
    """Which rooms of the package each of them imports from."""
    between: dict[str, set[str]] = {room: set() for module in graph if (room := room_of(module))}
    for module, imported in graph.items():
        if room := room_of(module):
            between[room] |= {other for name in imported if (other := room_of(name))} - {room}
    return between


def measures(manifest: dict) -> list[Measure]:
    """The table of the house, for a parsed project."""
    graph = Graph(manifest)
    kinds = [node["resource_type"] for node in graph.nodes.values()]
    sql = {
        node["name"]: [
            line.strip()
            for line in node["raw_code"].splitlines()
            if line.strip() and not line.strip().startswith("--")
        ]
        for node in graph.models.values()
        if node["language"] == "sql"
    }
    n_lines = sum(map(len, sql.values()))
    n_bare = sum(bool(BARE_COLUMN.fullmatch(line)) for lines in sql.values() for line in lines)
    n_ctes, widest = max(
        (len(CTE.findall(node["raw_code"])), node["name"]) for node in graph.models.values()
    )
    longest, way = graph.longest_path(), graph.way_of_a_prompt()
    length, function = function_lengths()[0]
    imports = import_graph()
    loose = [file.name for file in PACKAGE.glob("*.py")]
    return [
        Measure("nodes in a build", kinds.count("model") + kinds.count("seed"), 400),
        Measure("data tests", kinds.count("test"), 600),
        Measure("longest path", len(longest), 32, " > ".join(longest)),
        Measure("models from a prompt to its score", len(way), 14, " > ".join(way)),
        Measure("CTEs in one model", n_ctes, 20, widest),
        Measure("lines of one function", length, 60, function),
        Measure("bare column lines, % of all SQL", round(100 * n_bare / n_lines, 1), 25),
        Measure("circles between modules", bool(circle(imports)), 0, " > ".join(circle(imports))),
        Measure("circles between rooms", bool(circle(rooms(imports))), 0),
        Measure("loose files in python_llm", len(loose), 5, ", ".join(sorted(loose))),
        Measure("README, bytes", (ROOT / "README.md").stat().st_size, 9000),
    ]


def table(rows: list[Measure]) -> str:
    """The measures as text, with the place of those that are more than they should be."""
    lines = [f"{'measure':<36}{'now':>8}{'at most':>9}"]
    for row in rows:
        place = "" if row.is_good else f"  {row.where}"
        lines.append(f"{row.name:<36}{row.now:>8g}{row.at_most:>9g}{place}")
    return "\n".join(lines)


if __name__ == "__main__":
    import tempfile

    import project
    import shared

    with tempfile.TemporaryDirectory() as folder:
        shared.root = Path(folder)
        print(table(measures(project.manifest())))
