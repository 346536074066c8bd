"""Shows dbt only the macros that a node may call, for which it makes a function each, twice a node.

A macro may be called where its name is written, or what follows `__` in it, which dispatch looks
up. dbt has eight hundred, a node calls eighty of them at most.
"""

import re
from collections import defaultdict
from functools import cache
from typing import Any

WORD = re.compile(r"[A-Za-z_]\w*")
# How a node is materialised by macros whose names are all written down.
PLAIN = ("table", "view", "seed", "test")
# What dbt itself calls while it compiles a Python model or a test.
ALWAYS = ("py_script_postfix", "get_where_subquery")
# What dbt's manifest makes when it is first asked, and a node may ask for.
LOOKUPS = ("doc_lookup", "ref_lookup", "source_lookup", "disabled_lookup")


class Macros:
    """The macros of a parsed project. manifest: of dbt."""

    def __init__(self, manifest: Any) -> None:
        self._manifest = manifest
        self._texts = {name: macro.macro_sql for name, macro in manifest.macros.items()}
        self._named: dict[str, set[str]] = defaultdict(set)
        for unique_id, macro in manifest.macros.items():
            self._named[macro.name].add(unique_id)
            self._named[macro.name.partition("__")[2]].add(unique_id)
        packages = manifest.get_macros_by_package().values()
        self._of_packages = {next(iter(macros.values())).unique_id for macros in packages}
        self._following = cache(self._words_of_macro)
        for lookup in LOOKUPS:  # or each copy of the manifest makes its own
            getattr(manifest, lookup)

    def narrowed(self, node: Any) -> Any:
        """The manifest for one node, with everything of the whole one but the other macros."""
        kind = node.get_materialization()
        if kind not in PLAIN:
            return self._manifest
        own = f"{node.raw_code} {node.config} {getattr(node, 'test_metadata', '')}"
        materialized = {name for name in self._named if name.startswith(f"materialization_{kind}_")}
        reached = self._of_packages | self._reached({*WORD.findall(own), *ALWAYS} | materialized)
        by_package: dict[str, dict[str, Any]] = {}
        for unique_id in self._manifest.macros.keys() & reached:
            macro = self._manifest.macros[unique_id]
            by_package.setdefault(macro.package_name, {})[macro.name] = macro
        manifest = object.__new__(type(self._manifest))
        manifest.__dict__.update(self._manifest.__dict__, _macros_by_package=by_package)
        return manifest

    def _reached(self, words: set[str]) -> set[str]:
        """The macros that words name, directly or through another."""
        reached: set[str] = set()
        waiting = list(words)
        while waiting:
            for unique_id in self._named.get(waiting.pop(), ()):
                if unique_id not in reached:
                    reached.add(unique_id)
                    waiting += self._following(unique_id)
        return reached

    def _words_of_macro(self, unique_id: str) -> frozenset[str]:
        return frozenset(WORD.findall(self._texts[unique_id])) & self._named.keys()
