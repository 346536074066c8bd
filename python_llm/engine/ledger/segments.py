"""Segments: the files of lines to which attempts are written, one session to a file.

A line is the whole truth about one attempt, or holds the words of one request: each kind has files
of its own. A line is never changed; an intent is a short one. A segment that ends in the middle of
a line (the process was killed) loses that line only. A line that is damaged anywhere else is
reported with its file and number, and the rest is used.
"""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from python_llm.engine.errors import EngineError
from python_llm.engine.ledger.contract import Taken, Writer, intent_of, plain
from python_llm.engine.schema import LEDGER_SCHEMA, TIME

ROWS_PER_BATCH = 5_000
INTENT = b'{"intent": '

_to_json = json.JSONEncoder(ensure_ascii=False, default=plain).encode


def line_of(row: dict[str, Any]) -> bytes:
    """One row as a line of a segment: times in ISO 8601 UTC, dollars as decimal text."""
    return _to_json(row).encode() + b"\n"


def required_columns(schema: pa.Schema) -> list[str]:
    return [field.name for field in schema if not field.nullable]


def _row_of(record: Any, schema: pa.Schema) -> dict[str, Any]:
    """The row that the JSON of a line tells, columns it does not know left out. Errors:
    ValueError."""
    if not isinstance(record, dict) or any(
        record.get(name) is None for name in required_columns(schema)
    ):
        raise ValueError("columns are missing")
    row: dict[str, Any] = {name: record.get(name) for name in schema.names}
    for field in schema:
        if row[field.name] is not None and field.type == TIME:
            row[field.name] = datetime.fromisoformat(row[field.name])
        elif row[field.name] is not None and pa.types.is_decimal(field.type):
            row[field.name] = Decimal(row[field.name])
    return row


@dataclass(frozen=True)
class Damage:
    """A place of the ledger that cannot be read. line: 1 for the first; None for a whole file."""

    path: Path
    line: int | None = None

    def __str__(self) -> str:
        where = f"line {self.line} of {self.path}" if self.line else str(self.path)
        return (
            f"The ledger is damaged: {where} cannot be read and was left out; everything else was "
            "used. Restore the file from a backup, or ask again for what is missing."
        )


def read_segment(
    path: Path,
    damage: list[Damage],
    columns: Sequence[str] | None = None,
    *,
    schema: pa.Schema = LEDGER_SCHEMA,
    is_being_written: bool = False,
) -> Iterator[pa.RecordBatch]:
    """The rows of one segment in batches, all columns of its schema unless told which; lines that
    hold none are added to `damage`. A last line without its end, torn by a kill, is passed over.
    Intents without an answer are attempts, unless the segment is_being_written: then they are
    under way."""
    read = schema if columns is None else pa.schema([schema.field(name) for name in columns])
    numbered: list[tuple[int, dict[str, Any]]] = []
    intents: dict[str, tuple[int, dict[str, Any]]] = {}
    broken = (ValueError, TypeError, ArithmeticError, KeyError)

    def flush() -> Iterator[pa.RecordBatch]:
        try:
            yield pa.RecordBatch.from_pylist([row for _, row in numbered], schema=read)
        except (pa.ArrowException, TypeError, ValueError):
            for number, row in numbered:  # find the line with a value of a wrong type
                try:
                    yield pa.RecordBatch.from_pylist([row], schema=read)
                except (pa.ArrowException, TypeError, ValueError):
                    damage.append(Damage(path, number))
        numbered.clear()

    with path.open("rb") as lines:
        for number, line in enumerate(lines, start=1):
            if not line.endswith(b"\n"):
                break
            try:
                if line.startswith(INTENT):
                    intent = json.loads(line)["intent"]
                    intents[intent["attempt_id"]] = number, intent
                    continue
                row = _row_of(json.loads(line), schema)
                intents.pop(str(row.get("attempt_id")), None)
                numbered.append((number, row))
            except broken:
                damage.append(Damage(path, number))
            if len(numbered) >= ROWS_PER_BATCH:
                yield from flush()
    for number, intent in () if is_being_written else intents.values():
        try:
            numbered.append((number, _row_of(intent_of(intent), schema)))
        except broken:
            damage.append(Damage(path, number))
    yield from flush()


class LineFile:
    """A file that lines are appended to; it is made with its first line. Errors: OSError."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._file: int | None = None
        self._has_more = False  # than the disk has

    def write(self, line: bytes) -> None:
        if self._file is None:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_APPEND
            self._file = os.open(self.path, flags, 0o644)
            sync_folder(self.path.parent)
        while line:
            line = line[os.write(self._file, line) :]
        self._has_more = True

    def sync(self) -> None:
        if self._file is not None and self._has_more:
            self._has_more = False
            os.fsync(self._file)

    def close(self) -> None:
        """Make everything written durable."""
        try:
            self.sync()
        finally:
            if self._file is not None:
                os.close(self._file)
            self._file = None


class Segment(Writer):
    """The files one session appends to: its attempts, and the words of their requests. Lines are
    written at once, so that a killed process loses none of them, and fsynced in groups, so that a
    crashed machine loses only what nobody was told of: while one fsync runs, what arrives waits
    together for the next."""

    def __init__(self, path: Path, records: Path) -> None:
        self.path = path
        self._attempts, self._records = LineFile(path), LineFile(records)
        self._waiting: list[asyncio.Future[None]] = []
        self._syncing: asyncio.Task[None] | None = None
        self._failure: EngineError | None = None
        self._disk = ThreadPoolExecutor(1, thread_name_prefix="ledger")

    async def claim(self, keys: Sequence[str]) -> Mapping[str, Taken]:
        return {}  # whoever holds the ledger's lock has every request to itself

    def release(self, keys: Sequence[str]) -> None:
        pass

    @asynccontextmanager
    async def batch_turn(self) -> AsyncIterator[None]:
        yield

    async def record(self, row: dict[str, Any]) -> None:
        self._write_line(self._records, line_of(row))

    async def intend(self, row: dict[str, Any]) -> bool:
        # Not made durable: what a kill of the process leaves behind is there, and a crash of the
        # machine loses no answer by it.
        self._write_line(self._attempts, INTENT + line_of(row)[:-1] + b"}\n")
        return True

    async def append(self, row: dict[str, Any]) -> None:
        self.write(row)
        durable = asyncio.get_running_loop().create_future()
        self._waiting.append(durable)
        if self._syncing is None:
            self._syncing = asyncio.create_task(self._sync())
        await durable

    def write(self, row: dict[str, Any]) -> None:
        self._write_line(self._attempts, line_of(row))

    def _write_line(self, file: LineFile, line: bytes) -> None:
        if self._failure is not None:  # half a line may be there: nothing may follow it
            raise self._failure
        try:
            file.write(line)
        except OSError as error:
            raise self._refused(error) from error

    def _sync_files(self) -> None:
        """The words first: an answer whose question is lost would be the worse half to keep."""
        self._records.sync()
        self._attempts.sync()

    async def durable(self) -> None:
        try:
            loop = asyncio.get_running_loop()
            await loop.run_in_executor(self._disk, self._sync_files)
        except OSError as error:
            raise self._refused(error) from error

    async def _sync(self) -> None:
        loop = asyncio.get_running_loop()
        while self._waiting:
            group, self._waiting = self._waiting, []
            error = None
            try:
                await loop.run_in_executor(self._disk, self._sync_files)
            except OSError as refused:
                error = self._refused(refused)
            for durable in group:
                if durable.done():
                    continue
                if error is None:
                    durable.set_result(None)
                else:
                    durable.set_exception(error)
        self._syncing = None

    def _refused(self, error: OSError) -> EngineError:
        self._failure = EngineError(
            f"The ledger could not be written ({error.strerror}: {self.path}); nothing more was "
            "sent, and what had been answered is kept. Make room or give another ledger folder, "
            "and run again."
        )
        return self._failure

    def close(self) -> None:
        """Make everything written durable. Safe after a cancelled run, when no loop runs."""
        self._disk.shutdown(wait=True)
        try:
            self._records.close()
        except OSError as error:
            raise self._refused(error) from error
        finally:
            try:
                self._attempts.close()
            except OSError as error:
                raise self._refused(error) from error


def batches_of(path: Path, damage: list[Damage], schema: pa.Schema) -> Iterator[pa.RecordBatch]:
    """The rows of a segment or part of this schema, in full."""
    if path.suffix == ".jsonl":
        yield from read_segment(path, damage, schema=schema)
    else:
        with pq.ParquetFile(path) as part:
            for batch in part.iter_batches(ROWS_PER_BATCH):
                yield _in_full(batch, schema)


def _in_full(batch: pa.RecordBatch, schema: pa.Schema) -> pa.RecordBatch:
    """A batch in its whole schema; null where an older version had no such column."""
    columns = [
        batch.column(field.name).cast(field.type)
        if field.name in batch.schema.names
        else pa.nulls(batch.num_rows, field.type)
        for field in schema
    ]
    return pa.RecordBatch.from_arrays(columns, schema=schema)


def sync_folder(path: Path) -> None:
    folder = os.open(path, os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)
