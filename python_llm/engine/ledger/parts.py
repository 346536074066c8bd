"""Parts: the Parquet files that closed segments become.

A part has the checksum of all its bytes in its name, and one of each page inside. By the first,
damage is noticed before a library that trusts the file reads it; by the second, what is left of a
damaged part is told from what is lost. Parts from before there were checksums have neither.
"""

from __future__ import annotations

import json
import os
import re
import uuid
from collections.abc import Iterable, Iterator
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq

from python_llm.engine.ledger.lines import MOST_LINE_BYTES, Damage, digest_of_file
from python_llm.engine.ledger.segments import ROWS_PER_BATCH, required_columns, sync_folder

_DIGEST = re.compile(r"\.([0-9a-f]{16})\.parquet$")
# What has been found out in this process about a file, by name, size and time.
_KNOWN: dict[tuple[str, int, int], str] = {}


def has_digest(part: Path) -> bool:
    return _DIGEST.search(part.name) is not None


def without_copies(parts: Iterable[Path]) -> list[Path]:
    """The parts without those that have the bytes of another, by the checksums in their names:
    somebody copied a file, and nothing was paid for twice."""
    first: dict[str, Path] = {}
    for part in parts:
        digest = _DIGEST.search(part.name)
        first.setdefault(digest[1] if digest else part.name, part)
    return list(first.values())


def problem_of(part: Path, *, thoroughly: bool = False) -> str:
    """What is wrong with a part, in words; nothing where it is sound, or where it has no checksum
    and nobody has stumbled over it. thoroughly: read it again, whole, whatever is known of it.
    Errors: FileNotFoundError."""
    state = part.stat()
    key = (str(part), state.st_size, state.st_mtime_ns)
    if thoroughly or (key not in _KNOWN and has_digest(part)):
        _KNOWN[key] = _problem_of(part)
    return _KNOWN.get(key, "")


def _problem_of(part: Path) -> str:
    try:
        if digest := _DIGEST.search(part.name):
            return "" if digest_of_file(part) == digest[1] else "its checksum does not match"
        with pq.ParquetFile(part) as file:
            named = file.schema_arrow.remove_metadata()
            for batch in file.iter_batches(ROWS_PER_BATCH):
                batch.validate(full=True)
        with duckdb.connect() as connection:  # which is what reads it, and reads it otherwise
            connection.execute("set timezone = 'UTC'")
            rows = "from read_parquet('{}') as part".format(str(part).replace("'", "''"))
            connection.execute(f"select max(hash(part)) {rows}")
            seen = connection.execute(f"select * {rows} limit 0").to_arrow_table().schema
        # The file names its columns twice.
        if [(f.name, f.type) for f in seen] != [(f.name, f.type) for f in named]:
            return "it names its columns in two ways"
    except FileNotFoundError:
        raise
    except Exception as error:  # noqa: BLE001 - a damaged file provokes anything
        return f"it is not readable Parquet: {type(error).__name__}"
    return ""


def replaced_by(part: Path, schema: pa.Schema) -> list[str]:
    """Names of the files whose rows a part took over. Errors: FileNotFoundError; anything else
    where the file is damaged or no part of this log."""
    with pq.ParquetFile(part) as file:
        own = file.schema_arrow
    if not set(required_columns(schema)) <= set(own.names):
        raise ValueError("columns are missing")
    texts = [f.name for f in schema if f.type == pa.string() and f.name in own.names]
    if any(own.field(name).type != pa.string() for name in texts):
        raise ValueError("a column of texts holds none")
    return [str(name) for name in json.loads((own.metadata or {}).get(b"replaces", b"[]"))]


def damage_of(part: Path, reason: str) -> Damage:
    lost = "all its rows"
    with suppress(Exception):
        lost = f"{pq.read_metadata(part).num_rows:,} rows, unless they can be repaired"
    return Damage(part, reason=reason or "it is not a part of the ledger", lost=lost)


def read_part(part: Path, schema: pa.Schema) -> Iterator[pa.RecordBatch]:
    """The rows of a sound part, in full."""
    with pq.ParquetFile(part) as file:
        for batch in file.iter_batches(ROWS_PER_BATCH):
            yield in_full(batch, schema)


def recovered(part: Path, schema: pa.Schema) -> tuple[list[pa.RecordBatch], int | None]:
    """The rows of a damaged part whose pages are as they were written, and how many are lost; None
    where nobody knows any more."""
    batches: list[pa.RecordBatch] = []
    n_lost = 0
    try:
        with pq.ParquetFile(part, page_checksum_verification=True) as file:
            n_groups, metadata = file.num_row_groups, file.metadata
            for number in range(n_groups):
                try:
                    table = file.read_row_group(number)
                    table.validate(full=True)
                    batches += [
                        _without_giants(in_full(batch, schema)) for batch in table.to_batches()
                    ]
                except Exception:  # noqa: BLE001 - a damaged file provokes anything
                    n_lost += metadata.row_group(number).num_rows
    except Exception:  # noqa: BLE001
        return batches, None
    return batches, n_lost


def _without_giants(batch: pa.RecordBatch) -> pa.RecordBatch:
    with duckdb.connect() as connection:
        connection.register("batch", batch)
        kept = connection.execute(f"select * from batch where {of_bearable_size(batch.schema)}")
        table = kept.to_arrow_table().cast(batch.schema).combine_chunks()
    return table.to_batches()[0] if len(table) else batch.slice(0, 0)


def of_bearable_size(schema: pa.Schema, names: Iterable[str] | None = None) -> str:
    """SQL that is true for a row whose texts are no longer than any that is written now."""
    known = set(schema.names if names is None else names)
    texts = [f.name for f in schema if f.name in known and f.type == pa.string()]
    size = " + ".join(f"coalesce(strlen({name}), 0)" for name in texts)
    return f"{size} <= {MOST_LINE_BYTES}" if texts else "true"


def write_part(
    folder: Path, schema: pa.Schema, batches: Iterable[pa.RecordBatch], replaces: list[str]
) -> int:
    """Write a part, whole or not at all, and none without rows; how many it has. replaces: names of
    the files it takes the place of."""
    folder.mkdir(parents=True, exist_ok=True)
    stem = file_stem(uuid.uuid4().hex)
    temporary, n_rows = folder / f"{stem}.tmp", 0
    about = schema.with_metadata({b"replaces": json.dumps(replaces).encode()})
    try:
        with pq.ParquetWriter(
            temporary, about, compression="zstd", write_page_checksum=True
        ) as part:
            for batch in batches:
                if batch.num_rows:
                    n_rows += batch.num_rows
                    part.write_batch(batch)
        if n_rows:
            sync_file(temporary)
            digest = digest_of_file(temporary)
            os.replace(temporary, folder / f"{stem}.{digest}.parquet")
            sync_folder(folder)
    finally:
        temporary.unlink(missing_ok=True)
    return n_rows


def in_full(batch: pa.RecordBatch, schema: pa.Schema) -> pa.RecordBatch:
    """A batch in its whole schema; null where an older version had no such column."""
    columns = [
        batch.column(field.name).cast(field.type)
        if field.name in batch.schema.names
        else pa.nulls(batch.num_rows, field.type)
        for field in schema
    ]
    return pa.RecordBatch.from_arrays(columns, schema=schema)


def file_stem(unique: str) -> str:
    """Names sort by time, and no two sessions share one."""
    return f"{datetime.now(UTC):%Y%m%dT%H%M%S}-{unique[:12]}"


def sync_file(path: Path) -> None:
    with path.open("rb") as file:
        os.fsync(file.fileno())
