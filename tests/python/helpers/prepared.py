"""Imported once, by the process that runs of dbt are forked from: what takes each of them long."""

import gc
import inspect
import os
from importlib import import_module
from pathlib import Path

import dbt.adapters.duckdb
import dbt.cli.main  # noqa: F401
import pandas  # noqa: F401
import project
import sqlparse
from dbt.adapters.duckdb.credentials import DuckDBCredentials
from dbt.compilation import Linker
from dbt.contracts.project import Configuration, PackageConfig, ProfileConfig, Project, ProjectFlags
from dbt.contracts.selection import SelectorFile
from sqlparse.engine import FilterStack

import python_llm.job.build
import python_llm.job.dbt_plugin
import python_llm.job.state_plugin  # noqa: F401
from python_llm.job.changes import reachable

manifest = project.parsed(Path(os.environ["PARSED_PROJECT"]))

# What the Python models reach: every build asks what that is, and imports what it runs of it.
# Providers are imported by name.
modules = {
    module
    for node in manifest.nodes.values()
    if getattr(node, "language", "") == "python"
    for module in reachable.modules(node.raw_code)
}
for module in (*sorted(modules), "python_llm.providers.anthropic", "python_llm.providers.openai"):
    import_module(module)

# Half of what a run of dbt takes before its first node: the schemas that it checks its files by,
for contract in (
    *(Configuration, DuckDBCredentials, PackageConfig, ProfileConfig, Project, ProjectFlags),
    SelectorFile,
):
    contract.json_schema()
# which file each module is of, which its flags ask to say where they are raised,
inspect.stack()
# and the search for circles in a graph that is always this one: the build of a project from the
# wheel, which reads its own files, searches it (test_projects.py).
Linker.find_cycles = lambda _: None


def statements(sql: str, parse=sqlparse.parse) -> tuple[sqlparse.sql.Statement, ...]:
    """Without its brackets paired, a quarter of the time of a unit test, where dbt only wants to
    know that it begins with CTEs."""
    flat = tuple(FilterStack().run(sql))
    first = flat[0].token_first(skip_cm=True) if flat else None
    return flat if first and first.normalized == "WITH" else parse(sql)


sqlparse.parse = statements

gc.collect()
gc.freeze()  # a million objects that stay, and that every collection of every fork would look at
