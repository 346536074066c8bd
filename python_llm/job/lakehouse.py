"""The tables of the warehouse that a run on Spark reads, as Parquet, and its marts back again.

docs/scale.md says which part of the way runs where.
"""

import json
from fnmatch import fnmatch
from pathlib import Path
from typing import Any

import yaml

from python_llm import paths
from python_llm.errors import UserError

FROM_ANSWERS, FROM_RANKS = "spark", "spark_from_ranks"  # in selectors.yml


def path_of_spark(manifest: dict[str, Any], selectors: Path, name: str) -> list[str]:
    """The ids of the models that a run on Spark with this selector builds."""
    declared = yaml.safe_load(selectors.read_text(encoding="utf-8"))["selectors"]
    (selector,) = (selector for selector in declared if selector["name"] == name)
    parts = selector["definition"]["union"]
    folders = [part["value"] + "/" for part in parts if part.get("method") == "path"]
    left_out = [
        part["value"]
        for parts_left_out in (part["exclude"] for part in parts if "exclude" in part)
        for part in parts_left_out
        if part["method"] == "path"
    ]
    return sorted(
        unique_id
        for unique_id, node in manifest["nodes"].items()
        if node["resource_type"] == "model"
        and node["original_file_path"].startswith(tuple(folders))
        and not any(fnmatch(node["original_file_path"], pattern) for pattern in left_out)
    )


def inputs_of_spark(manifest: dict[str, Any], models: list[str]) -> list[str]:
    """The names of the tables that these models and their tests read and Spark does not build."""
    built = set(models)
    tests = {
        unique_id
        for unique_id, node in manifest["nodes"].items()
        if node["resource_type"] == "test" and node.get("attached_node") in built
    }
    parents = {
        parent for unique_id in built | tests for parent in manifest["parent_map"][unique_id]
    }
    return sorted(
        manifest["nodes"][parent]["alias"]
        for parent in parents - built
        if parent in manifest["nodes"]
    )


def read_manifest(folder: Path) -> dict[str, Any]:
    """What dbt knows of the project after a build. Raises UserError before the first."""
    manifest = folder / "manifest.json"
    if not manifest.is_file():
        raise UserError(f"{manifest} is not there: run `kernel29 build` first.")
    read: dict[str, Any] = json.loads(manifest.read_text(encoding="utf-8"))
    return read


def write_inputs(warehouse: Path, lakehouse: Path, tables: list[str]) -> dict[str, int]:
    """Writes each table as `<lakehouse>/inputs/<table>/` and returns their numbers of rows.

    A table that is written again replaces what was there, other files of its folder stay: workers
    may have added theirs.
    """
    import duckdb

    if not warehouse.is_file():
        raise UserError(f"{warehouse} is not there: run `kernel29 build` first.")
    rows = {}
    with duckdb.connect(str(warehouse), read_only=True) as connection:
        for table in tables:
            folder = lakehouse / "inputs" / table
            folder.mkdir(parents=True, exist_ok=True)
            draft, final = folder / "_warehouse.parquet", folder / "warehouse.parquet"
            (rows[table],) = connection.execute(
                f"copy main.\"{table}\" to '{draft}' (format parquet)"
            ).fetchone() or (0,)
            draft.replace(final)
    return rows


def export(lakehouse: Path) -> dict[str, int]:
    """Writes what runs on Spark read, from answers or judged diagnoses on, out of the warehouse."""
    root = paths.project_root()
    manifest = read_manifest(root / "target")
    tables = {
        table
        for name in (FROM_ANSWERS, FROM_RANKS)
        for table in inputs_of_spark(
            manifest, path_of_spark(manifest, root / "selectors.yml", name)
        )
    }
    return write_inputs(paths.built_database(), lakehouse, sorted(tables))
