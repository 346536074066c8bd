"""Files that are there whole or not at all, and the Parquet that imports are kept in."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from python_llm.errors import FileError

LONGEST_WAIT = 60  # seconds an import waits for another one


def check_regular(file: Path) -> None:
    """Raise FileError for what a stranger brings that is no file to read: a pipe, a device or a
    socket, whose reading may never end, and one whose name has a line break or an escape in it."""
    if not str(file).isprintable():
        name = ascii(str(file))[1:-1]
        raise FileError(f"{name}: the name has a line break or another control in it: rename it.")
    if file.exists() and not file.is_file() and not file.is_dir():
        raise FileError(
            f"{file} is a pipe, a device or a socket and no regular file: save what it gives as a "
            "file, and give that."
        )


@contextmanager
def replacing(target: Path) -> Iterator[Path]:
    """A path to write to, which takes the place of `target` when all went well and is removed when
    it did not. The folder is made if it is not there."""
    target.parent.mkdir(parents=True, exist_ok=True)
    draft = target.with_name(f".{target.name}.{os.getpid()}.tmp")
    try:
        yield draft
        os.replace(draft, target)
    finally:
        draft.unlink(missing_ok=True)


def abandoned(folder: Path) -> list[Path]:
    """The drafts of `replacing` below a folder whose process is gone: it was killed."""
    numbers = {draft: draft.name.split(".")[-2] for draft in sorted(folder.rglob(".*.tmp"))}
    return [
        draft
        for draft, number in numbers.items()
        if number.isdigit() and not _is_alive(int(number))
    ]


def _is_alive(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except (PermissionError, OverflowError):
        return True
    return True


def write_parquet(table: pa.Table, target: Path) -> None:
    """Write a table in place of `target`, whole or not at all."""
    with replacing(target) as draft:
        pq.write_table(table, draft, compression="zstd")


def read_parquet(files: Iterator[Path] | list[Path], schema: pa.Schema, kind: str) -> pa.Table:
    """The rows of all `files` in the layout `schema`; no rows if there are no files.

    A column that an older version did not write is null. `kind` names the thing and its command,
    as in 'recorded run (kernel29 runs import)'. Raises FileError for a file that is damaged or is
    something else.
    """
    tables = [schema.empty_table()]
    for file in files:
        try:
            stored = pq.ParquetFile(file).read()
            stored.column(schema.names[0])  # every layout's first column names its rows
            columns = [
                stored.column(field.name).cast(field.type)
                if field.name in stored.column_names
                else pa.nulls(stored.num_rows, field.type)
                for field in schema
            ]
        except (pa.ArrowException, KeyError, ValueError, OSError) as error:
            raise FileError(
                f"{file} is not a readable {kind} ({str(error).splitlines()[0]}): delete it "
                "and import its source again."
            ) from error
        tables.append(pa.table(columns, schema=schema))
    return pa.concat_tables(tables)


@contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Nobody else imports into `folder` meanwhile; drafts of killed imports are removed. Raises
    FileError if somebody does for long."""
    from filelock import FileLock, Timeout  # with asyncio; only imports lock

    folder.mkdir(parents=True, exist_ok=True)
    try:
        with FileLock(folder / ".lock", timeout=LONGEST_WAIT):
            for draft in abandoned(folder):
                draft.unlink(missing_ok=True)
            yield
    except Timeout as error:
        raise FileError("Another import is running: wait for it and try again.") from error
