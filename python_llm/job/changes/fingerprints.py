"""What each node of the project is made of, apart from the rows it reads: its parts, with a digest.

A part has the name a person knows it by: a file, a macro, a variable, a module, a folder. Two nodes
with equal parts and equal parents make the same table. Parts name too much rather than too little:
a macro counts where its name is called, a variable where its name is quoted.
"""

import json
import os
import re
import time
import uuid
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from python_llm import paths
from python_llm.errors import UserError
from python_llm.job.changes import outside, reachable
from python_llm.job.changes.digests import digest

KINDS = ("model", "seed", "test")
NAME = re.compile(r"\b(\w+)\s*\(|['\"](\w+)['\"]")
ENVIRONMENT = re.compile(r"env_var\(\s*['\"](\w+)['\"]")
STEMMING = "stem_words"  # the SQL function that dbt_plugin registers
# Of a node's configuration, what says where it stands and not what it makes.
ELSEWHERE = ("group", "access", "tags", "docs", "enabled")
SETTINGS = "settings"  # the part for configuration, contract and descriptions
LONGEST_WRITE = 20.0  # seconds that another command may take to write its manifest
TEAM_LEDGER = "KERNEL29_LEDGER_URL"

Node = Mapping[str, Any]
Parts = dict[str, str]


@dataclass(frozen=True)
class Code:
    """What a piece of SQL with Jinja says: names it calls or quotes, environment variables, whether
    it reads the clock, whether it names the run."""

    names: frozenset[str]
    environment: frozenset[str]
    reads_clock: bool
    names_run: bool

    @classmethod
    def of(cls, text: str) -> "Code":
        return cls(
            frozenset(word for pair in NAME.findall(text) for word in pair if word),
            frozenset(ENVIRONMENT.findall(text)),
            outside.CLOCK.search(text) is not None,
            outside.RUN.search(text) is not None,
        )


def read_whole(manifest: Path) -> dict[str, Any]:
    """The manifest in a target folder. dbt writes it in place: while another command writes it, it
    is read again until it is whole. Raises UserError where it is not after LONGEST_WRITE."""
    end = time.monotonic() + LONGEST_WRITE
    while True:
        try:
            written: dict[str, Any] = json.loads(manifest.read_text(encoding="utf-8"))
            return written
        except ValueError as error:
            if time.monotonic() > end:
                raise UserError(
                    f"{manifest} is not whole: another command writes it, or was killed at it. "
                    "Wait for that one, or give this one a folder of its own with DBT_TARGET_PATH; "
                    "if none runs, delete the file."
                ) from error
        time.sleep(0.2)


@dataclass
class Project:
    """The nodes of a parsed project. manifest: as dbt writes it; variables: of this run, by name.

    run: what makes nodes that are new in every run new.
    """

    manifest: Mapping[str, Any]
    variables: Mapping[str, Any]
    run: str = field(default_factory=lambda: uuid.uuid4().hex)

    @classmethod
    def read(cls, target: Path, variables: Mapping[str, Any]) -> "Project":
        """The project as it was parsed into a target folder, run with these variables."""
        manifest = read_whole(target / "manifest.json")
        return cls(manifest, {**paths.project_variables(), **variables})

    @cached_property
    def nodes(self) -> dict[str, Node]:
        """Every node that is built or tested, by its id."""
        package = self.manifest["metadata"]["project_name"]
        return {
            unique_id: node
            for unique_id, node in self.manifest["nodes"].items()
            if node["resource_type"] in KINDS and node["package_name"] == package
        }

    def parents(self, unique_id: str) -> list[str]:
        """The nodes whose rows a node reads."""
        return [
            parent
            for parent in self.nodes[unique_id].get("depends_on", {}).get("nodes", [])
            if parent in self.nodes
        ]

    @cached_property
    def children(self) -> dict[str, list[str]]:
        children: dict[str, list[str]] = {unique_id: [] for unique_id in self.nodes}
        for unique_id in self.nodes:
            for parent in self.parents(unique_id):
                children[parent].append(unique_id)
        return children

    def parts(self, unique_id: str) -> Parts:
        """What a node is made of now; what is outside the project is looked at anew each time."""
        if unique_id not in self._fixed:
            self._fixed[unique_id] = self._of_project(self.nodes[unique_id])
        return {**self._fixed[unique_id], **self._outside(self.nodes[unique_id])}

    def comments(self, unique_id: str) -> dict[str | None, str]:
        """What is to be said of a model or seed in the warehouse: of each column, and of itself as
        None."""
        node = self.nodes[unique_id]
        persisted = node["config"].get("persist_docs", {})
        texts: dict[str | None, str] = {}
        if persisted.get("columns"):
            texts |= {name: column["description"] for name, column in node["columns"].items()}
        if persisted.get("relation"):
            texts[None] = node["description"]
        return {name: text for name, text in texts.items() if text}

    def keeps(self, unique_id: str) -> bool:
        """Whether a node writes what it reads outside."""
        return bool(self.nodes[unique_id]["config"].get("meta", {}).get(outside.KEEPS))

    def is_strict(self, test: str) -> bool:
        """Whether nothing may be served while a test fails."""
        return str(self.nodes[test]["config"].get("severity", "error")).lower() == "error"

    _fixed: dict[str, Parts] = field(default_factory=dict)

    def _of_project(self, node: Node) -> Parts:
        """The parts that cannot change while a build runs."""
        parts = {node["original_file_path"]: self._own(node), SETTINGS: self._settings(node)}
        parts["installed packages"] = outside.versions()
        parts["profiles.yml"] = self._profiles
        code = self._codes[node["unique_id"]]
        macros = self._reached(code, self._materialization(node))
        parts |= {f"macro {name}": self._macro_digests[name] for name in macros}
        codes = [code, *(self._macros[name] for name in macros)]
        words = set().union(*(code.names for code in codes))
        declared = node["config"].get("meta", {}).get("variables", [])
        for name in (words | {*declared}) & self.variables.keys():
            parts[f"variable {name}"] = digest(str(self.variables[name]))
        for name in set().union(*(code.environment for code in codes)):
            parts[f"environment variable {name}"] = digest(os.environ.get(name, ""))
        reached: dict[str, str] = {}
        if node.get("language") == "python":
            reached |= reachable.modules(node["raw_code"])
        if STEMMING in words:
            reached |= reachable.modules("import python_llm.questions.stemming")
        for source in self._sources(node):
            reached |= reachable.of_function(source["meta"]["reader"])
        return parts | {f"module {name}": module for name, module in reached.items()}

    def _outside(self, node: Node) -> Parts:
        """The parts that can: folders, the day, what is new in every run."""
        parts: Parts = {}
        meta = node["config"].get("meta", {})
        for declared in (meta, *(source["meta"] for source in self._sources(node))):
            parts |= outside.folders(declared)
        for name in meta.get("environment", []):
            parts[f"environment variable {name}"] = digest(os.environ.get(name, ""))
        if meta.get("reads_access"):
            parts["keys and addresses"] = outside.access()
        if "ledger_dir" in meta and os.environ.get(TEAM_LEDGER, "").strip():
            parts["the team's ledger"] = self.run
        if "mode" in meta.get("variables", []) and self.variables["mode"] == "live":
            parts["live mode's time of asking"] = self.run
        if "serve_dir" in meta:  # comments are served too, and are no part of a table's content
            described = [
                self._settings(self.nodes[name]) for name in self.parents(node["unique_id"])
            ]
            parts["descriptions of what is served"] = digest("\n".join(described))
        if any(code.reads_clock for code in self._all_code(node["unique_id"])):
            parts["the date"] = outside.the_date()
        return parts

    def is_of_run(self, unique_id: str) -> bool:
        """Whether a node says which run built it, so that what it says is new in every run."""
        return any(code.names_run for code in self._all_code(unique_id))

    def _all_code(self, unique_id: str) -> list["Code"]:
        """What a node says, itself and through macros; how it is materialised is not asked."""
        code = self._codes[unique_id]
        return [code, *(self._macros[name] for name in self._reached(code))]

    def _own(self, node: Node) -> str:
        if node["resource_type"] == "seed":
            # of the project that is worked on: an earlier parse may be of another folder
            return digest(paths.resolve(node["original_file_path"]).read_bytes())
        return digest(node["raw_code"])

    def _settings(self, node: Node) -> str:
        """Of the configuration, the contract and the descriptions, which travel with the table."""
        config = {name: value for name, value in node["config"].items() if name not in ELSEWHERE}
        columns = {
            name: (column["data_type"], column["description"], column.get("constraints"))
            for name, column in node["columns"].items()
        }
        # a test makes no table, and dbt forgets what a yml says of one when it parses its file anew
        description = "" if node["resource_type"] == "test" else node["description"]
        parts = [config, columns, description, node["alias"], node["schema"]]
        parts += [node.get("test_metadata"), self._parents_named(node)]
        return digest(json.dumps(parts, sort_keys=True, default=str))

    def _parents_named(self, node: Node) -> list[str]:
        return sorted(node.get("depends_on", {}).get("nodes", []))

    def _materialization(self, node: Node) -> str:
        kind = node["config"]["materialized"]
        return f"materialization_{kind}_duckdb"

    def _sources(self, node: Node) -> Iterable[Node]:
        for parent in node.get("depends_on", {}).get("nodes", []):
            if parent in self.manifest["sources"]:
                yield self.manifest["sources"][parent]

    @cached_property
    def _codes(self) -> dict[str, "Code"]:
        """The code of each node that may call macros."""
        return {
            unique_id: Code.of(node["raw_code"] if node.get("language") == "sql" else "")
            for unique_id, node in self.nodes.items()
        }

    @cached_property
    def _macros(self) -> dict[str, "Code"]:
        return {name: Code.of(text) for name, text in self._macro_texts.items()}

    @cached_property
    def _macro_texts(self) -> dict[str, str]:
        package = self.manifest["metadata"]["project_name"]
        return {
            macro["name"]: macro["macro_sql"]
            for macro in self.manifest["macros"].values()
            if macro["package_name"] == package
        }

    @cached_property
    def _macro_digests(self) -> dict[str, str]:
        return {name: digest(text) for name, text in self._macro_texts.items()}

    def _reached(self, code: "Code", *more: str) -> set[str]:
        """The macros of the project that code names, directly or through another."""
        reached: set[str] = set()
        waiting = [*code.names, *more]
        while waiting:
            name = waiting.pop()
            for macro in (name, f"duckdb__{name}"):
                if macro in self._macros and macro not in reached:
                    reached.add(macro)
                    waiting += self._macros[macro].names
        return reached

    @cached_property
    def _profiles(self) -> str:
        target = os.environ.get("KERNEL29_TARGET", "")
        return digest(target.encode() + (paths.project_root() / "profiles.yml").read_bytes())
