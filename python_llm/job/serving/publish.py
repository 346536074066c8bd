"""Put the public marts where readers are: one DuckDB file and Parquet beside it, swapped in whole.

Readers hold `serve/`, builders hold `build/`, and neither ever waits for the other. Everything is
written under temporary names first. When all of it is on disk, one rename serves it, so that a
failure or a kill leaves what was served before or what is new, whole. A mart that is served as it
is now is not written again: its Parquet file stays, and its table goes over with a copy of the
database. What is served is read-only.
"""

import base64
import json
import os
import shutil
import tempfile
from collections.abc import Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

import duckdb
import pyarrow as pa

from python_llm.errors import UserError
from python_llm.job.changes import digests
from python_llm.job.serving import deidentified
from python_llm.paths import CURRENT, VERSION

DATABASE = "kernel29.duckdb"
PARQUET = "parquet"
WORK = ".publishing-"
NOTE = ".published.json"  # what was served last, and how its files looked
OF_PATIENTS = ".patients"  # in the folder of a version: which patients' words it may hold

# What a warehouse knows about its tables and views: (table, column or null, text).
COMMENTS = """
    select table_name, null as column_name, comment from duckdb_tables() where comment is not null
    union all
    select view_name, null as column_name, comment from duckdb_views() where comment is not null
    union all
    select table_name, column_name, comment from duckdb_columns() where comment is not null
"""
# What it has noted of the rows of each (macros/dbt/state.sql).
CONTENTS = """
    select split_part(relation, '.', 2) as name, content from build_state.latest
    where relation is not null
"""

# Up to so many rows a table gets its primary key: the index of a million rows takes longer than all
# tables together, and more room than the rows.
KEYED_ROWS = 50_000

PUBLISHED_SCHEMA = pa.schema(
    [("mart", pa.string()), ("n_rows", pa.int64()), ("n_parquet_bytes", pa.int64())]
)


class Tables(NamedTuple):
    """Marts to write, by name, with their comments and the columns of their primary keys."""

    marts: Mapping[str, duckdb.DuckDBPyRelation]
    comments: list[tuple[str, str | None, str]]
    keys: Mapping[str, tuple[str, ...]]

    def described(self, name: str, schema: pa.Schema) -> pa.Schema:
        """The schema of a mart with what its comments say of it and of its columns."""
        texts = {column: text for table, column, text in self.comments if table == name}
        fields = [
            field.with_metadata({"description": texts[field.name]})
            if field.name in texts
            else field
            for field in schema
        ]
        key = ", ".join(self.keys.get(name, ()))
        return pa.schema(fields, {"description": texts.get(None, ""), "primary_key": key})


class PublishError(UserError):
    """The marts could not be served; what was served before is unchanged."""


def is_of_part(flags: object) -> bool:
    """Whether dbt was told to build without rows or with a sample: what is served then stays."""
    return any(getattr(flags, name, None) for name in ("EMPTY", "SAMPLE"))


def publish(
    session: duckdb.DuckDBPyConnection,
    marts: Mapping[str, duckdb.DuckDBPyRelation],
    comments: Iterable[tuple[str, str | None, str]],
    serve_dir: Path,
    contents: Mapping[str, str] | None = None,
    profile: str = "",
    keys: Mapping[str, tuple[str, ...]] | None = None,
) -> pa.Table:
    """Write every mart to `serve_dir` and swap it in; one row per mart (PUBLISHED_SCHEMA).

    `session` is where `marts`, relations by table name, come from: rows go from table to table
    inside it, in two thirds of the time they take through Arrow, and within its memory. `comments`
    are (table, column or None, text). `contents`: a digest of the rows of each mart of which it is
    known; one whose rows, comments and key are those of the mart that is served is not written
    again. `profile`: what of real patients is served (`deidentified`). `keys`: the columns that
    tell the rows of a mart apart. Raises PublishError if anything cannot be written, UserError for
    a profile that does not exist.
    """
    profile = deidentified.profile(profile)
    comments = [comment for comment in comments if comment[0] in marts]
    marts, patients = deidentified.served(session, marts, profile)
    known = {
        name: f"{content} {patients}" if name in deidentified.TEXTS else content
        for name, content in (contents or {}).items()
        if name in marts
    }
    keys = {name: columns for name, columns in (keys or {}).items() if name in marts}
    versions = _versions(known, comments, keys)
    # no copy of a database whose free blocks may hold words that are not served any more
    served = _noted(serve_dir, patients)
    kept = {
        name: row
        for name, row in served.items()
        if name in versions and row["version"] == versions[name]
    }
    if len(kept) == len(marts) == len(served):
        return _table(marts, kept)
    _clear(serve_dir)
    work = Path(tempfile.mkdtemp(prefix=WORK, dir=serve_dir))
    try:
        if len(kept) < len(marts) / 2:
            kept = {}  # a database written anew has no gaps
        else:
            shutil.copyfile(serve_dir / DATABASE, work / DATABASE)
        changed = {name: rows for name, rows in marts.items() if name not in kept}
        outdated = served.keys() - kept.keys()
        written = _write(session, Tables(changed, comments, keys), work, outdated)
        _swap(work, serve_dir, kept, patients)
        _note(serve_dir, written | kept, versions, patients)
    except (duckdb.Error, OSError) as error:
        needed = sum(file.stat().st_size for file in work.rglob("*") if file.is_file())
        raise PublishError(
            f"Publishing to {serve_dir}/ failed after {needed / 1e6:.0f} MB and what was served "
            "before is unchanged: make room on that disk or allow writing there, then run the "
            f"build again ({str(error).splitlines()[0]})."
        ) from error
    finally:
        shutil.rmtree(work, ignore_errors=True)
    return _table(marts, written | kept)


def _clear(serve_dir: Path) -> None:
    """Make the folder, and take away what a killed build has left in it: folders and links."""
    serve_dir.mkdir(parents=True, exist_ok=True)
    for left in serve_dir.glob(f"{WORK}*"):
        shutil.rmtree(left, ignore_errors=True)
        with suppress(OSError):
            left.unlink()


def _table(marts: Iterable[str], rows: Mapping[str, Mapping[str, Any]]) -> pa.Table:
    sizes = [{"mart": name, **rows[name]} for name in marts]
    return pa.Table.from_pylist(sizes, schema=PUBLISHED_SCHEMA)


def _versions(
    contents: Mapping[str, str],
    comments: Iterable[tuple[str, str | None, str]],
    keys: Mapping[str, tuple[str, ...]],
) -> dict[str, str]:
    """A digest of the rows, the comments and the primary key of each mart."""
    described: dict[str, list[str]] = {name: [content] for name, content in contents.items()}
    for table, column, text in sorted(comments, key=lambda comment: (comment[0], comment[1] or "")):
        if table in described:
            described[table].append(f"{column}: {text}")
    for table, columns in keys.items():
        if table in described:
            described[table].append(f"key: {', '.join(columns)}")
    return {name: digests.digest("\n".join(lines)) for name, lines in described.items()}


def _noted(serve_dir: Path, patients: str) -> dict[str, dict[str, Any]]:
    """What was served last, by mart; nothing if any of its files is not as it was left, or if more
    or less of `patients` was served."""
    try:
        note = json.loads((serve_dir / NOTE).read_text(encoding="utf-8"))
        is_as_left = note["files"] == _looks(serve_dir) and note["patients"] == patients
        marts: dict[str, dict[str, Any]] = note["marts"] if is_as_left else {}
    except (OSError, ValueError, KeyError, TypeError):
        return {}
    return marts


def _has_same_patients(serve_dir: Path, patients: str) -> bool:
    """Whether what is served now may hold the words of the same patients as what comes after it.
    Its own folder says so: a build that was killed after it was served has left no note."""
    try:
        return (serve_dir / CURRENT / OF_PATIENTS).read_text(encoding="utf-8") == patients
    except OSError:
        return False


def _note(
    serve_dir: Path,
    rows: Mapping[str, Mapping[str, Any]],
    versions: Mapping[str, str],
    patients: str,
) -> None:
    marts = {name: {**row, "version": versions.get(name)} for name, row in rows.items()}
    note = {"marts": marts, "files": _looks(serve_dir), "patients": patients}
    (serve_dir / NOTE).write_text(json.dumps(note), encoding="utf-8")


def _looks(serve_dir: Path) -> dict[str, str]:
    files = [serve_dir / DATABASE, *(serve_dir / PARQUET).glob("*.parquet")]
    return {file.name: digests.look(file) for file in files}


def _write(
    session: duckdb.DuckDBPyConnection, tables: Tables, work: Path, outdated: Iterable[str]
) -> dict[str, dict[str, Any]]:
    """Write these marts into the database and as Parquet files under `work`, down to the disk;
    tables of the database that are `outdated` go."""
    (work / PARQUET).mkdir()
    is_copy = (work / DATABASE).is_file()
    session.execute(f"attach {_literal(work / DATABASE)} as served")
    try:
        session.execute("begin")
        for name in outdated if is_copy else ():
            session.execute(f"drop table served.{_name(name)}")
        for name, rows in tables.marts.items():
            session.execute(f"create table served.{_name(name)} as {rows.sql_query()}")
        for table, column, text in tables.comments:
            if table in tables.marts:
                thing = f"served.{_name(table)}"
                kind = "table" if column is None else "column"
                target = thing if column is None else f"{thing}.{_name(column)}"
                session.execute(f"comment on {kind} {target} is {_literal(text)}")
        session.execute("commit")
        published = _write_all_parquet(session, tables, work)
        for name, row in published.items():
            if row["n_rows"] <= KEYED_ROWS and name in tables.keys:
                _add_key(session, name, tables.keys[name])
        session.execute("checkpoint served")
    except duckdb.Error:
        with suppress(duckdb.Error):  # what went wrong first is what is told
            session.execute("rollback")
        raise
    finally:
        with suppress(duckdb.Error):
            session.execute("detach served")
    for file in (work / DATABASE, *(work / PARQUET).iterdir()):
        _sync(file)
    return published


def _write_all_parquet(
    session: duckdb.DuckDBPyConnection, tables: Tables, work: Path
) -> dict[str, dict[str, Any]]:
    """Write every mart, two at a time: a build gives a session one core, and this is its last."""

    def write(name: str) -> tuple[str, dict[str, Any]]:
        with session.cursor() as cursor:
            return name, _write_parquet(cursor, tables, name, work)

    with ThreadPoolExecutor(2) as pool:
        return dict(pool.map(write, tables.marts))


def _write_parquet(
    session: duckdb.DuckDBPyConnection, tables: Tables, name: str, work: Path
) -> dict[str, Any]:
    """Write one mart from the served database; its rows and bytes. What is said of its columns is
    in the Arrow schema of the file, which pyarrow, pandas and polars read."""
    file = work / PARQUET / f"{name}.parquet"
    table = f"served.{_name(name)}"
    schema = session.execute(f"from {table} limit 0").to_arrow_table().schema
    described = tables.described(name, schema)
    stored = {"ARROW:schema": base64.b64encode(described.serialize().to_pybytes()).decode()}
    stored |= {key.decode(): value.decode() for key, value in described.metadata.items()}
    pairs = ", ".join(f"{_literal(key)}: {_literal(value)}" for key, value in stored.items())
    ((n_rows,),) = session.execute(
        f"copy {table} to {_literal(file)} "
        f"(format parquet, compression zstd, kv_metadata {{{pairs}}})"
    ).fetchall()
    return {"n_rows": n_rows, "n_parquet_bytes": file.stat().st_size}


def _add_key(session: duckdb.DuckDBPyConnection, name: str, columns: tuple[str, ...]) -> None:
    """Give a table its primary key; none if a column of it may be empty, as those of real patients
    are where their words are not served."""
    with suppress(duckdb.ConstraintException):
        session.execute(
            f"alter table served.{_name(name)} "
            f"add primary key ({', '.join(_name(column) for column in columns)})"
        )


def _swap(work: Path, serve_dir: Path, kept: Iterable[str], patients: str) -> None:
    """Serve `work` with one rename: `serve_dir`/.current names the folder that database and Parquet
    are read from. The folder before it stays until the next time, for readers between two files,
    unless it may hold words of other patients than `patients`: of some who are served no more."""
    keeps_previous = _has_same_patients(serve_dir, patients)
    (work / OF_PATIENTS).write_text(patients, encoding="utf-8")
    for name in kept:
        file = f"{name}.parquet"
        _link(serve_dir / PARQUET / file, work / PARQUET / file)
    for served in (work / DATABASE, *(work / PARQUET).iterdir()):
        _seal(served)
    for folder in (work / PARQUET, work):
        _sync(folder)
    version = serve_dir / f"{VERSION}{work.name.removeprefix(WORK)}"
    with suppress(OSError):  # who may read the one may read the other
        work.chmod(serve_dir.stat().st_mode & 0o777)
    os.rename(work, version)
    previous = (serve_dir / CURRENT).resolve()
    _point(serve_dir / CURRENT, version.name)
    for name in (DATABASE, PARQUET):
        _point(serve_dir / name, f"{CURRENT}/{name}")
    _sync(serve_dir)
    for old in serve_dir.glob(f"{VERSION}*"):
        if old != version and not (keeps_previous and old.resolve() == previous):
            shutil.rmtree(old, ignore_errors=True)


def _point(pointer: Path, target: str) -> None:
    """Make `pointer` a link to `target`, at once; a folder of an older version goes."""
    if pointer.is_symlink() and os.readlink(pointer) == target:
        return
    draft = pointer.with_name(f"{WORK}{pointer.name}")
    draft.unlink(missing_ok=True)
    os.symlink(target, draft)
    if pointer.is_dir() and not pointer.is_symlink():
        left = pointer.with_name(f"{WORK}old-{pointer.name}")
        os.rename(pointer, left)
        os.replace(draft, pointer)
        shutil.rmtree(left, ignore_errors=True)
    else:
        os.replace(draft, pointer)


def _link(source: Path, target: Path) -> None:
    """The same file under two names, or a copy where the disk has no such links."""
    try:
        os.link(source.resolve(), target)
    except OSError:
        shutil.copy2(source, target)


def _seal(file: Path) -> None:
    """Let nobody write: a tool that opens the database to write locks out everybody who reads it.
    Who may read stays as it is; a disk without such rights serves the file as it can."""
    with suppress(OSError):
        file.chmod(file.stat().st_mode & 0o555)


def _sync(path: Path) -> None:
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _literal(value: object) -> str:
    return "'" + str(value).replace("'", "''") + "'"


def _name(identifier: str) -> str:
    return '"' + identifier.replace('"', '""') + '"'
