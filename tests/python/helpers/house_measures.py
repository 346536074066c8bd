"""What the house measures itself by, and the most each measure may be.

    python tests/python/house_measures.py

prints the table; test_house.py holds it.
"""

import ast
import json
import re
import subprocess
import sys
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from pathlib import Path

from python_llm import paths

ROOT = paths.project_root()
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
    """A name, what it is now, and the most it may be."""

    name: str
    now: float
    at_most: float
    where: str = ""

    @property
    def holds(self) -> bool:
        return self.now <= self.at_most


def parsed(target: Path) -> dict:
    """The manifest of the project, parsed into the folder `target`."""
    subprocess.run(
        [
            *(sys.executable, "-m", "dbt.cli.main", "--quiet", "parse", "--no-partial-parse"),
            *("--project-dir", str(ROOT), "--profiles-dir", str(ROOT)),
            *("--target-path", str(target), "--log-path", str(target)),
        ],
        check=True,
    )
    return json.loads((target / "manifest.json").read_text())


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
    for file in sorted((ROOT / "python_llm").rglob("*.py")):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                place = f"{file.relative_to(ROOT)}:{node.lineno} {node.name}"
                lengths.append((node.end_lineno - node.lineno + 1, place))
    return sorted(lengths, reverse=True)


def import_graph() -> dict[str, set[str]]:
    """Which modules of the package each of them imports, wherever the import stands."""
    files = {
        ".".join(file.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__"): file
        for file in (ROOT / "python_llm").rglob("*.py")
    }
    graph: dict[str, set[str]] = {}
    for module, file in files.items():
        names: set[str] = set()
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Import):
                names |= {alias.name for alias in node.names}
            elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
                names |= {f"{node.module}.{alias.name}" for alias in node.names}
                names.add(node.module)
        graph[module] = {name for name in names if name in files and name != module}
    return graph


def circles(graph: dict[str, set[str]]) -> list[list[str]]:
    """The sets of nodes that reach each other (Tarjan's strongly connected components)."""
    index: dict[str, int] = {}
    low: dict[str, int] = {}
    stack: list[str] = []
    components: list[list[str]] = []

    def visit(node: str) -> None:
        index[node] = low[node] = len(index)
        stack.append(node)
        for child in sorted(graph[node]):
            if child not in index:
                visit(child)
                low[node] = min(low[node], low[child])
            elif child in stack:
                low[node] = min(low[node], index[child])
        if low[node] == index[node]:
            component = stack[stack.index(node) :]
            del stack[stack.index(node) :]
            if len(component) > 1:
                components.append(sorted(component))

    for node in sorted(graph):
        if node not in index:
            visit(node)
    return components


def room_of(module: str) -> str:
    """The room of a module: the folder below python_llm, or the module itself where it is loose."""
    return module.split(".")[1] if "." in module else module


def rooms(graph: dict[str, set[str]]) -> dict[str, set[str]]:
    """Which rooms of the package each of them imports from."""
    between: dict[str, set[str]] = {room_of(module): set() for module in graph}
    for module, imported in graph.items():
        between[room_of(module)] |= {room_of(name) for name in imported} - {room_of(module)}
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
    loose = [file.name for file in (ROOT / "python_llm").glob("*.py")]
    return [
        Measure("nodes in a build", kinds.count("model") + kinds.count("seed"), 400),
        Measure("data tests", kinds.count("test"), 600),
        Measure("longest path", len(longest), 32, " > ".join(longest)),
        Measure("models from a prompt to its score", len(way), 14, " > ".join(way)),
        Measure("CTEs in one model", n_ctes, 20, widest),
        Measure("lines of one function", length, 60, function),
        Measure("bare column lines, % of all SQL", round(100 * n_bare / n_lines, 1), 25),
        Measure("circles between modules", len(circles(imports)), 0, str(circles(imports))),
        Measure(
            "circles between rooms", len(circles(rooms(imports))), 0, str(circles(rooms(imports)))
        ),
        Measure("loose files in python_llm", len(loose), 5, ", ".join(sorted(loose))),
        Measure("README, bytes", (ROOT / "README.md").stat().st_size, 9000),
    ]


def table(rows: list[Measure]) -> str:
    """The measures as text, those that do not hold marked."""
    lines = [f"{'measure':<36}{'now':>8}{'at most':>9}"]
    for row in rows:
        mark = "" if row.holds else "  <-- too much" + (f": {row.where}" if row.where else "")
        lines.append(f"{row.name:<36}{row.now:>8g}{row.at_most:>9g}{mark}")
    return "\n".join(lines)


if __name__ == "__main__":
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        print(table(measures(parsed(Path(folder)))))
