"""Segments: the files of lines to which attempts are written, one session to a file.

A line is the whole truth about one attempt, or holds the words of one request: each kind has files
of its own. A line is never changed; an intent is a short one. A segment of a killed process may end
in the middle of a line and loses that line only; every other one ends with a closing line. A line
that is damaged anywhere else is reported with its file and number, and the rest is used.
"""

from __future__ import annotations

import asyncio
import json
import os
from collections import Counter
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager, suppress
from datetime import datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow as pa

from python_llm.engine.errors import EngineError
from python_llm.engine.ledger.contract import Taken, Writer, intent_of, plain
from python_llm.engine.ledger.lines import (
    END,
    MOST_LINE_BYTES,
    BadLine,
    Damage,
    closing_line,
    lines_of,
    lost_with,
    opened,
    sealed,
)
from python_llm.engine.schema import LEDGER_SCHEMA, TIME

ROWS_PER_BATCH = 5_000
# A batch of Arrow holds at most 2 GiB of text.
BYTES_PER_BATCH = 128 * 2**20
BROKEN = (ValueError, TypeError, ArithmeticError, KeyError, AttributeError, RecursionError)
INTENT = b'{"intent": '

_to_json = json.JSONEncoder(ensure_ascii=False, default=plain).encode


def line_of(row: dict[str, Any]) -> bytes:
    """One row as a line of a segment: times in ISO 8601 UTC, dollars as decimal text."""
    return sealed(_to_json(row).encode())


def intent_line(row: dict[str, Any]) -> bytes:
    """What is known of an attempt before it is sent, as a line of a segment."""
    return sealed(INTENT + _to_json(row).encode() + b"}")


def required_columns(schema: pa.Schema) -> list[str]:
    return [field.name for field in schema if not field.nullable]


class _Lines:
    """What the JSON of a line tells, in the columns of a schema, which is looked at once."""

    def __init__(self, schema: pa.Schema) -> None:
        self._names = list(schema.names)
        self._required = required_columns(schema)
        # what JSON has no type for, and what reads it
        self._readers: list[tuple[str, Callable[[str], Any]]] = [
            *((field.name, datetime.fromisoformat) for field in schema if field.type == TIME),
            *((field.name, Decimal) for field in schema if pa.types.is_decimal(field.type)),
        ]

    def row(self, record: Any) -> dict[str, Any]:
        """The row, columns it does not know left out. Errors: ValueError."""
        if not isinstance(record, dict) or any(record.get(name) is None for name in self._required):
            raise ValueError("columns are missing")
        row: dict[str, Any] = {name: record.get(name) for name in self._names}
        for name, read in self._readers:
            if row[name] is not None:
                row[name] = read(row[name])
        return row


def read_segment(
    path: Path,
    damage: list[Damage],
    columns: Sequence[str] | None = None,
    *,
    schema: pa.Schema = LEDGER_SCHEMA,
    is_being_written: bool = False,
    may_be_open: Callable[[], bool] = lambda: True,
    counts: Counter[str] | None = None,
) -> Iterator[pa.RecordBatch]:
    """The rows of one segment in batches, all columns of its schema unless told which; lines that
    hold none are added to `damage`. A last line without its end, torn by a kill, is passed over.
    Intents without an answer are attempts, unless the segment is_being_written: then they are
    under way.

    may_be_open: whether nothing is wrong where the segment has no closing line; asked only then.
    counts: is given the number of lines, and of those without a checksum.
    """
    read = schema if columns is None else pa.schema([schema.field(name) for name in columns])
    batch, of_schema = _Batch(path, read, damage), _Lines(schema)
    intents: dict[str, tuple[int, dict[str, Any]]] = {}
    tail = _Tail()
    with path.open("rb") as file:
        for number, line in enumerate(lines_of(file), start=1):
            if line is None:
                reason = f"longer than {MOST_LINE_BYTES:,} bytes"
                damage.append(Damage(path, number, reason, "a line with its answer"))
                tail.damaged()
                continue
            if not line.endswith(b"\n"):
                tail.is_torn = True
                break
            if line.endswith(b"\r\n"):  # copied by a tool that changes the ends of lines
                line = line[:-2] + b"\n"
            try:
                value, is_sealed = opened(line)
                tail.saw(value, is_sealed=is_sealed)
                if line.startswith(INTENT):
                    intents[value["intent"]["attempt_id"]] = number, value["intent"]
                elif not line.startswith(END):
                    row = of_schema.row(value)
                    intents.pop(str(row.get("attempt_id")), None)
                    batch.add(number, row, len(line))
            except BROKEN as error:
                tail.damaged()
                reason = str(error) if isinstance(error, BadLine) else "not a line of the ledger"
                damage.append(Damage(path, number, reason, lost_with(line)))
            if batch.is_full:
                yield from batch.flush()
    if problem := tail.problem(may_be_open):
        damage.append(Damage(path, reason=problem, is_read=True))
    if counts is not None:
        counts += tail.counts
    for number, intent in () if is_being_written else intents.values():
        try:
            batch.add(number, of_schema.row(intent_of(intent)), 0)
        except BROKEN:
            damage.append(Damage(path, number))
    yield from batch.flush()


class _Batch:
    """Rows of a segment with the numbers of their lines, until there are enough of them."""

    def __init__(self, path: Path, schema: pa.Schema, damage: list[Damage]) -> None:
        self._path, self._schema, self._damage = path, schema, damage
        self._numbered: list[tuple[int, dict[str, Any]]] = []
        self._bytes = 0

    def add(self, number: int, row: dict[str, Any], size: int) -> None:
        self._numbered.append((number, row))
        self._bytes += size

    @property
    def is_full(self) -> bool:
        return len(self._numbered) >= ROWS_PER_BATCH or self._bytes >= BYTES_PER_BATCH

    def flush(self) -> Iterator[pa.RecordBatch]:
        broken = (pa.ArrowException, TypeError, ValueError)
        try:
            yield pa.RecordBatch.from_pylist([row for _, row in self._numbered], self._schema)
        except broken:
            for number, row in self._numbered:  # find the line with a value of a wrong type
                try:
                    yield pa.RecordBatch.from_pylist([row], self._schema)
                except broken:
                    self._damage.append(Damage(self._path, number, "a value of a wrong type"))
        self._numbered.clear()
        self._bytes = 0


class _Tail:
    """How a segment ends."""

    def __init__(self) -> None:
        self.counts: Counter[str] = Counter()
        self.is_torn = False
        self._promised: int | None = None
        self._n_sealed = 0
        self._is_last_damaged = False

    def saw(self, value: Any, *, is_sealed: bool) -> None:
        if is_sealed and "end" in value:
            self._promised = int(value["end"]["lines"])
            return
        self._is_last_damaged = False
        self._n_sealed += is_sealed
        self.counts["lines"] += 1
        self.counts["lines without"] += not is_sealed

    def damaged(self) -> None:
        self.counts["lines"] += 1
        self._is_last_damaged = True

    def problem(self, may_be_open: Callable[[], bool]) -> str:
        """What is wrong with the number of lines, in words; nothing where no line has a checksum:
        such files had no closing line."""
        n_lines = self.counts["lines"]
        if self._promised is not None:
            lacking = self._promised - n_lines
            return f"{lacking:,} of its {self._promised:,} lines are absent" if lacking > 0 else ""
        is_new = self._n_sealed or not (n_lines or self.is_torn)
        if is_new and not self._is_last_damaged and not may_be_open():
            return f"cut short after {n_lines:,} lines: its closing line is absent"
        return ""


class LineFile:
    """A file that lines are appended to; it is made with its first line. Errors: OSError."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._file: int | None = None
        self._has_more = False  # than the disk has
        self._size = self._n_lines = 0  # of whole lines
        self.lacks_end = False  # once closed: a full disk had no room for the closing line

    def write(self, line: bytes) -> None:
        if self._file is None:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_APPEND
            self._file = os.open(self.path, flags, 0o644)
            sync_folder(self.path.parent)
        self._has_more = True
        rest = line
        while rest:
            rest = rest[os.write(self._file, rest) :]
        self._size += len(line)
        self._n_lines += 1

    def sync(self) -> None:
        if self._file is not None and self._has_more:
            self._has_more = False
            os.fsync(self._file)

    def close(self) -> None:
        """Make everything written durable, and say that it is all."""
        try:
            if self._file is not None:
                # What is there is whole without it: it is not worth an error.
                self.lacks_end = True
                with suppress(OSError):
                    os.ftruncate(self._file, self._size)  # half a line, of a full disk
                    self.write(closing_line(self._n_lines))
                    self.lacks_end = False
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
        self._write_line(self._attempts, intent_line(row))
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
            "sent. What was written before is kept; an answer that came in then is not, may be "
            "billed, and is asked again. Make room or give another ledger folder, and run again."
        )
        return self._failure

    @property
    def lacks_end(self) -> bool:
        """Whether what was closed looks like what a killed run has left."""
        return self._attempts.lacks_end or self._records.lacks_end

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


def sync_folder(path: Path) -> None:
    folder = os.open(path, os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)
