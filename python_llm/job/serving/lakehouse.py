"""The tables of the warehouse that a run on Spark reads, as Parquet, and its marts back again.

docs/scale.md says which part of the way runs where.
"""

import os
import shutil
import tempfile
from fnmatch import fnmatch
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa
import yaml

from python_llm import paths
from python_llm.errors import UserError
from python_llm.job.admission import preflight
from python_llm.job.changes import fingerprints
from python_llm.job.serving import deidentified, keys
from python_llm.job.serving.publish import COMMENTS, CONTENTS, publish

FROM_ANSWERS, FROM_RANKS = "spark", "spark_from_ranks"  # in selectors.yml
PUBLICATION = "model.kernel29.int_quality__publication"
ROWS_WRITTEN = "rows_written"  # a table of Spark's, beside the others
DEFAULT = "lakehouse"  # a folder of the project, as in profiles.yml
WORK = ".spark-"  # of a folder beside the warehouse with its copy


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
    return fingerprints.read_whole(manifest)


def _target() -> Path:
    return paths.resolve(os.environ.get("DBT_TARGET_PATH", "target"))


def write_inputs(warehouse: Path, lakehouse: Path, tables: list[str]) -> dict[str, int]:
    """Writes each table as `<lakehouse>/inputs/<table>/` and returns their numbers of rows.

    A table that is written again replaces what was there, other files of its folder stay: workers
    may have added theirs.
    """
    if not warehouse.is_file():
        raise UserError(f"{warehouse} is not there: run `kernel29 build` first.")
    preflight.check_warehouse(warehouse)  # nobody builds now
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
    manifest = read_manifest(_target())
    tables = {
        table
        for name in (FROM_ANSWERS, FROM_RANKS)
        for table in inputs_of_spark(
            manifest, path_of_spark(manifest, root / "selectors.yml", name)
        )
    }
    return write_inputs(paths.built_database(), lakehouse, sorted(tables))


def serve(lakehouse: Path) -> pa.Table:
    """Serves the marts of the warehouse with what Spark has built of them; a row per mart
    (publish.PUBLISHED_SCHEMA).

    Everything happens in a copy of the warehouse, which keeps its own tables: the next build serves
    those again. Raises UserError if Spark's tables are not all there or are of another version.
    """
    root, warehouse = paths.project_root(), paths.built_database()
    if not warehouse.is_file():
        raise UserError(f"{warehouse} is not there: run `kernel29 build` first.")
    preflight.check_warehouse(warehouse)
    manifest = read_manifest(_target())
    folders = _built_by_spark(manifest, lakehouse, root / "selectors.yml")
    written = _rows_written(folders)
    names = [manifest["nodes"][node]["alias"] for node in manifest["parent_map"][PUBLICATION]]
    clear(warehouse.parent)
    with tempfile.TemporaryDirectory(prefix=WORK, dir=warehouse.parent) as work:
        copy = Path(work) / warehouse.name
        with duckdb.connect(str(warehouse), read_only=True) as connection:  # nobody builds now
            shutil.copyfile(warehouse, copy)
            contents = dict(connection.execute(CONTENTS).fetchall())
        with duckdb.connect(str(copy)) as connection:
            for table, folder in folders.items():
                _take_over(connection, table, folder, written.get(table))
            marts = {name: connection.table(name) for name in names}
            kept = {name: contents[name] for name in contents.keys() - _of_path(manifest, root)}
            return publish(
                connection,
                marts,
                connection.execute(COMMENTS).fetchall(),
                paths.served_database().parent,
                kept,
                deidentified.chosen(),
                keys.grains(),
            )


def clear(folder: Path) -> None:
    """Take away what a run that was killed has left: a copy of the warehouse, patients included."""
    for left in folder.glob(f"{WORK}*"):
        shutil.rmtree(left, ignore_errors=True)


def folder() -> Path:
    """Where Spark's tables are: KERNEL29_LAKEHOUSE, as in profiles.yml."""
    return paths.resolve(chosen())


def folders() -> list[Path]:
    """Where Spark's tables are and where they are by default: what is in one was not taken out of
    the other when the variable was set."""
    return list(dict.fromkeys([folder(), paths.resolve(DEFAULT)]))


def chosen() -> str:
    """KERNEL29_LAKEHOUSE as it is written, or the folder of the project that stands for it."""
    return os.environ.get("KERNEL29_LAKEHOUSE", DEFAULT)


def forget() -> None:
    """Delete what was written for Spark and by it: cases and their texts are in both. It is made
    again from the next build."""
    for lakehouse in folders():
        for name in ("inputs", "tables", "metastore"):
            shutil.rmtree(lakehouse / name, ignore_errors=True)


def _of_path(manifest: dict[str, Any], root: Path) -> set[str]:
    """The names of all models that Spark can build, views among them."""
    path = path_of_spark(manifest, root / "selectors.yml", FROM_ANSWERS)
    return {manifest["nodes"][node]["alias"] for node in path}


def _built_by_spark(manifest: dict[str, Any], lakehouse: Path, selectors: Path) -> dict[str, Path]:
    """The folder of each table that Spark has built, of the whole path from answers on or, where
    answers were read elsewhere, of the scores. Raises UserError if tables of both are missing."""
    schema = os.environ.get("KERNEL29_SPARK_SCHEMA", "kernel29")
    missing: list[str] = []
    for selector in (FROM_ANSWERS, FROM_RANKS):
        nodes = [manifest["nodes"][node] for node in path_of_spark(manifest, selectors, selector)]
        folders = {
            node["alias"]: lakehouse / "tables" / f"{schema}.db" / node["alias"]
            for node in nodes
            if node["config"]["materialized"] == "table"
        }
        # Spark writes this file last
        missing = [name for name, folder in folders.items() if not (folder / "_SUCCESS").is_file()]
        if not missing:
            return folders
    raise UserError(
        f"{lakehouse / 'tables' / f'{schema}.db'} has no table {_listed(missing)}: build all of "
        "them with `dbt build --target spark`, with KERNEL29_LAKEHOUSE set to this folder."
    )


def _listed(names: list[str]) -> str:
    more = f" and {len(names) - 1} more" if len(names) > 1 else ""
    return f"{names[0]}{more}"


def _rows_written(folders: dict[str, Path]) -> dict[str, int]:
    """How many rows Spark has noted of each of its tables (macro note_written)."""
    noted = next(iter(folders.values())).parent / ROWS_WRITTEN
    try:
        rows = duckdb.execute(
            f"select table_name, n_rows from read_parquet('{_quoted(noted)}/*.parquet')"
        ).fetchall()
    except duckdb.Error as error:
        raise UserError(
            f"{noted} cannot be read, so nothing tells whether the tables are whole: build them "
            f"again with `dbt build --target spark`. ({str(error).splitlines()[0]})"
        ) from error
    return dict(rows)


def _take_over(
    connection: duckdb.DuckDBPyConnection, table: str, folder: Path, n_written: int | None
) -> None:
    """Replaces the rows of a table by those that Spark has written, in its columns and types.
    Raises UserError if they are not as many."""
    columns = connection.execute(
        "select column_name, data_type from duckdb_columns() where table_name = ? "
        "order by column_index",
        [table],
    ).fetchall()
    casts = ", ".join(f'cast("{name}" as {kind}) as "{name}"' for name, kind in columns)
    rows = (
        f"select {casts} from read_parquet('{_quoted(folder)}/**/*.parquet', "
        "hive_partitioning = true, hive_types_autocast = false)"
    )
    try:
        connection.execute(f'delete from "{table}"')
        (n_rows,) = connection.execute(f'insert into "{table}" {rows}').fetchone() or (0,)
    except duckdb.Error as error:
        raise UserError(
            f"{folder} does not fit the {table} of this project: build it again with `dbt build "
            f"--target spark`. ({str(error).splitlines()[0]})"
        ) from error
    if n_rows != n_written:
        raise UserError(
            f"{folder} has {n_rows:,} rows, and Spark has noted {n_written or 0:,}: a file is "
            "missing or of another run. Copy the folder again, or build it again with `dbt build "
            "--target spark`. Nothing was served."
        )


def _quoted(path: Path) -> str:
    return str(path).replace("'", "''")
