"""The ledger as a folder of files, for one machine.

    <ledger>/
      segments/<time>-<session>.jsonl    one attempt a line, appended and fsynced while a run asks
      parts/<time>-<session>.parquet     closed segments, compacted
      requests/segments, requests/parts  the same for the words of the requests, one request a line
      lock, holder.json                  who may write now

A damaged file is kept as it is. Compaction writes a new Parquet file under a temporary name,
renames it and only then removes what it replaces. The new file names what it replaces, so whoever
reads in between, or after a kill, knows which of the two to leave out.
"""

from __future__ import annotations

import json
import os
import socket
import time
import uuid
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from filelock import FileLock, Timeout

from python_llm.engine.errors import EngineError
from python_llm.engine.ledger.batch_store import BatchFolder
from python_llm.engine.ledger.contract import Ledger, answered
from python_llm.engine.ledger.segments import (
    Damage,
    Segment,
    batches_of,
    line_of,
    read_segment,
    required_columns,
    sync_folder,
)
from python_llm.engine.schema import LEDGER_SCHEMA, RECORD_SCHEMA
from python_llm.providers import FINAL

# More small parts than this are merged into one, so that a ledger of many runs stays quick to read.
MOST_PARTS = 16
SMALL_PART_BYTES = 64 * 2**20
LOCK_POLL_SECONDS = 0.2
LOCK_MESSAGE_SECONDS = 10.0


@dataclass(frozen=True)
class Log:
    """Lines of one kind in a folder of segments and parts. schema: of a line."""

    folder: Path
    schema: pa.Schema

    @property
    def segments(self) -> Path:
        return self.folder / "segments"

    @property
    def parts(self) -> Path:
        return self.folder / "parts"

    def read(
        self, columns: Sequence[str], damage: list[Damage], being_written: str | None = None
    ) -> tuple[pa.Table, str]:
        """The rows in segments, and SQL that adds those in parts. being_written: name of the
        segment whose intents are under way."""
        segments, parts = self.current(damage)
        lines = [
            batch
            for path in segments
            for batch in read_segment(
                path,
                damage,
                columns,
                schema=self.schema,
                is_being_written=path.name == being_written,
            )
        ]
        more = ""
        for lacking, paths in _by_lacking_columns(parts, columns).items():
            names = ", ".join(f"null as {n}" if n in lacking else n for n in columns)
            files = ", ".join("'" + str(path).replace("'", "''") + "'" for path in paths)
            more += f" union all select {names} from read_parquet([{files}])"
        schema = pa.schema([self.schema.field(name) for name in columns])
        return pa.Table.from_batches(lines, schema=schema), more

    def rows(self, damage: list[Damage]) -> Iterator[pa.RecordBatch]:
        """Every row, in no order."""
        segments, parts = self.current(damage)
        for path in [*segments, *parts]:
            yield from batches_of(path, damage, self.schema)

    def current(self, damage: list[Damage]) -> tuple[list[Path], list[Path]]:
        """Segments and parts that together hold every row once."""
        # Segments are listed first: one that is compacted in between is then in both lists and
        # left out because its part names it; the other way round it would be in neither.
        segments, parts = sorted(self.segments.glob("*.jsonl")), {}
        for path in sorted(self.parts.glob("*.parquet")):
            try:
                parts[path] = self._replaced_by(path)
            except (pa.ArrowException, ValueError):
                damage.append(Damage(path))
        replaced = {name for names in parts.values() for name in names}
        return (
            [path for path in segments if path.name not in replaced],
            [path for path in parts if path.name not in replaced],
        )

    def _replaced_by(self, part: Path) -> list[str]:
        """Names of the files whose rows a part took over. Errors: ValueError or ArrowException when
        the file is not part of this log."""
        with pq.ParquetFile(part) as file:
            schema = file.schema_arrow
        if not set(required_columns(self.schema)) <= set(schema.names):
            raise ValueError("columns are missing")
        return json.loads((schema.metadata or {}).get(b"replaces", b"[]"))

    def add(self, rows: Sequence[Mapping[str, Any]]) -> None:
        """A closed segment with these rows, whole or not at all; beside whoever writes now. Errors:
        OSError."""
        self.segments.mkdir(parents=True, exist_ok=True)
        segment = self.segments / f"{_file_stem(uuid.uuid4().hex)}.jsonl"
        unfinished = segment.with_suffix(".tmp")
        unfinished.write_bytes(b"".join(line_of(dict(row)) for row in rows))
        _sync_file(unfinished)
        os.replace(unfinished, segment)
        sync_folder(self.segments)

    def compact(self, damage: list[Damage]) -> None:
        """Turn closed segments into Parquet, and many small parts into one. Only for the holder
        of the ledger's lock. A damaged segment stays as it is."""
        for leftover in self.parts.glob("*.tmp"):
            leftover.unlink()
        segments, parts = self.current(damage)
        for stale in {*self.segments.glob("*.jsonl"), *self.parts.glob("*.parquet")}:
            if stale not in segments and stale not in parts and Damage(stale) not in damage:
                stale.unlink()
        for path in segments:
            self._replace([path], damage)
        small = [path for path in self.current([])[1] if path.stat().st_size < SMALL_PART_BYTES]
        if len(small) > MOST_PARTS:
            self._replace(small, damage)

    def remove(self, goes: Callable[[pa.RecordBatch], pa.Array]) -> int:
        """Remove the rows of parts for which `goes` is true; how many. Only for the holder of the
        ledger's lock."""
        n_removed = 0

        def rest(batch: pa.RecordBatch) -> pa.RecordBatch:
            nonlocal n_removed
            kept = batch.filter(pc.invert(goes(batch)))
            n_removed += batch.num_rows - kept.num_rows
            return kept

        for part in self.current([])[1]:
            self._replace([part], [], rest)
        return n_removed

    def _replace(
        self,
        sources: list[Path],
        damage: list[Damage],
        keep: Callable[[pa.RecordBatch], pa.RecordBatch] = lambda batch: batch,
    ) -> None:
        """One part with what is kept in place of the sources, unless one of them is damaged."""
        self.parts.mkdir(parents=True, exist_ok=True)
        temporary = self.parts / f"{_file_stem(uuid.uuid4().hex)}.tmp"
        replaces = {b"replaces": json.dumps([path.name for path in sources]).encode()}
        n_damaged, n_rows = len(damage), 0
        with pq.ParquetWriter(
            temporary, self.schema.with_metadata(replaces), compression="zstd"
        ) as part:
            for source in sources:
                for batch in batches_of(source, damage, self.schema):
                    kept = keep(batch)
                    n_rows += kept.num_rows
                    part.write_batch(kept)
        if len(damage) > n_damaged:
            temporary.unlink()
            return
        if n_rows:
            _sync_file(temporary)
            os.replace(temporary, temporary.with_suffix(".parquet"))
            sync_folder(self.parts)
        else:
            temporary.unlink()
        for source in sources:
            source.unlink()


@dataclass
class FileLedger(Ledger):
    """One run at a time writes to it."""

    folder: Path
    notify: Callable[[str], None] = print
    _told: set[str] = field(default_factory=set)
    is_local = True

    @property
    def log(self) -> Log:
        """The attempts."""
        return Log(self.folder, LEDGER_SCHEMA)

    @property
    def words(self) -> Log:
        """The words of the requests."""
        return Log(self.folder / "requests", RECORD_SCHEMA)

    @property
    def logs(self) -> tuple[Log, Log]:
        return self.log, self.words

    @property
    def identity(self) -> str:
        return str(self.folder.resolve())

    @property
    def batches(self) -> BatchFolder:
        return BatchFolder(self.folder)

    # Reading: no lock, at any time, also while a run writes.

    def _answer(
        self,
        sql: str,
        columns: list[str],
        where: str,
        parameters: Mapping[str, Any],
        wanted: pa.Table | None,
    ) -> pa.Table:
        def read() -> tuple[pa.Table, list[Damage]]:
            damage: list[Damage] = []
            lines, parts = self.log.read(columns, damage, self._being_written())
            return answered(sql, parameters, lines, wanted, parts), damage

        return self._read_at_rest(read)

    def records(self, columns: Sequence[str] = RECORD_SCHEMA.names) -> pa.Table:
        def read() -> tuple[pa.Table, list[Damage]]:
            damage: list[Damage] = []
            lines, parts = self.words.read(columns, damage)
            return answered("select * from log", {}, lines, None, parts), damage

        return self._read_at_rest(read)

    def _read_at_rest(self, read: Callable[[], tuple[pa.Table, list[Damage]]]) -> pa.Table:
        """What `read` returns. A file that a writer replaces meanwhile is looked for again."""
        for _ in range(20):
            try:
                answer, damage = read()
                self._tell(damage)
                return answer
            except (FileNotFoundError, duckdb.IOException) as error:
                problem: Exception = error
                time.sleep(0.05)
        raise EngineError(
            f"The ledger in {self.folder} cannot be read ({str(problem).splitlines()[0]}): check "
            "the folder's permissions and its disk."
        ) from problem

    def _tell(self, damage: list[Damage]) -> None:
        for sentence in map(str, damage):
            if sentence not in self._told:
                self._told.add(sentence)
                self.notify(sentence)

    # Writing: one run at a time.

    @contextmanager
    def writing(
        self, run_id: str, session_id: str, is_stopped: Callable[[], bool] = lambda: False
    ) -> Iterator[Segment]:
        """Waits for the other writer to end. What is closed is compacted, before (what a killed run
        left) and after."""
        try:
            for log in self.logs:
                log.segments.mkdir(parents=True, exist_ok=True)
                log.parts.mkdir(parents=True, exist_ok=True)
            # Not bound to the thread that takes it: the last call to end gives it back.
            lock = FileLock(self.folder / "lock", thread_local=False)
            self._acquire(lock, is_stopped)
        except OSError as error:
            raise EngineError(
                f"The ledger folder {self.folder} cannot be written ({error.strerror}): give "
                "another folder or change its permissions."
            ) from error
        try:
            (self.folder / "holder.json").unlink(missing_ok=True)
            self.compact()
            name = f"{_file_stem(session_id)}.jsonl"
            segment = Segment(self.log.segments / name, self.words.segments / name)
            holder = {
                "pid": os.getpid(),
                "host": socket.gethostname(),
                "run_id": run_id,
                "since": _now(),
                "segment": segment.path.name,
            }
            (self.folder / "holder.json").write_text(json.dumps(holder))
            try:
                yield segment
            finally:
                segment.close()
            (self.folder / "holder.json").unlink(missing_ok=True)
            # Not after an interrupt: the next writer does it, and the user need not wait.
            self.compact()
        finally:
            (self.folder / "holder.json").unlink(missing_ok=True)
            lock.release()

    @contextmanager
    def maintaining(self) -> Iterator[None]:
        """Hold the lock without writing attempts. Errors: EngineError when somebody else has it."""
        lock = FileLock(self.folder / "lock")
        try:
            lock.acquire(timeout=0)
        except Timeout as error:
            raise EngineError(
                f"The ledger is in use by {self._holder()}: try again when it has ended."
            ) from error
        try:
            yield
        finally:
            lock.release()

    def check(self) -> None:
        """A folder is made when it is first written to."""

    def verify(self) -> tuple[int, list[str]]:
        damage: list[str] = []
        reader = FileLedger(self.folder, notify=damage.append)
        reader.records(["request_key"])
        return reader.attempts().num_rows, damage

    def tidy(self) -> str:
        if self.log.segments.is_dir():
            with self.maintaining():
                self.compact()
        attempts, words = (len(list(log.parts.glob("*.parquet"))) for log in self.logs)
        n_segments = sum(len(list(log.segments.glob("*.jsonl"))) for log in self.logs)
        return (
            f"{self.folder}: attempts in {attempts} parts, requests in {words}, {n_segments} "
            "segments left as they are"
        )

    def prune(self, before: datetime, *, answers: bool, really: bool) -> int:
        """Attempts of damaged files stay."""

        def goes(batch: pa.RecordBatch) -> pa.Array:
            is_old = pc.less(batch.column("started_at"), pa.scalar(before))
            if answers:
                return is_old
            is_final = pc.is_in(batch.column("status"), pa.array(sorted(FINAL), pa.string()))
            return pc.and_not(is_old, is_final)

        if not self.log.segments.is_dir():
            return 0
        if really:
            with self.maintaining():
                return self._remove(goes)
        return sum(pc.sum(goes(b)).as_py() or 0 for b in self.attempts().to_batches())

    def rows(self) -> Iterator[pa.RecordBatch]:
        """Every attempt in LEDGER_SCHEMA, in no order; damage is told of."""
        damage: list[Damage] = []
        yield from self.log.rows(damage)
        self._tell(damage)

    def record(self, rows: Sequence[Mapping[str, Any]]) -> None:
        try:
            self.words.add(rows)
            damage: list[Damage] = []
            with suppress(EngineError), self.maintaining():  # or whoever writes does it
                self.words.compact(damage)
            self._tell(damage)
        except OSError as error:
            raise EngineError(
                f"The ledger folder {self.folder} cannot be written ({error.strerror}): give "
                "another folder or change its permissions."
            ) from error

    def _remove(self, goes: Callable[[pa.RecordBatch], pa.Array]) -> int:
        """Remove the attempts for which `goes` is true, and the words of requests without any left;
        how many attempts. Only for the holder of the lock."""
        self.compact()
        n_removed = self.log.remove(goes)
        keys = self.attempts().column("request_key").combine_chunks()
        self.words.remove(lambda batch: pc.invert(pc.is_in(batch.column("request_key"), keys)))
        return n_removed

    def _acquire(self, lock: FileLock, is_stopped: Callable[[], bool]) -> None:
        told_at = None
        while True:
            if is_stopped():
                raise EngineError("The run was stopped while it waited for the ledger.")
            try:
                lock.acquire(timeout=0 if told_at is None else LOCK_POLL_SECONDS)
                return
            except Timeout:
                if told_at is None or time.monotonic() - told_at > LOCK_MESSAGE_SECONDS:
                    told_at = time.monotonic()
                    self.notify(f"Waiting for {self._holder()} to finish with the ledger.")

    def _holder(self) -> str:
        try:
            holder = json.loads((self.folder / "holder.json").read_text())
            return f"run {holder['run_id']} (process {holder['pid']}, since {holder['since']})"
        except (OSError, ValueError, KeyError, TypeError):
            return "another run"

    def _being_written(self) -> str | None:
        """Name of the segment that a living process writes now. A process of another machine, with
        which the folder may be shared, is taken to be alive."""
        try:
            holder = json.loads((self.folder / "holder.json").read_text())
            if holder["host"] == socket.gethostname():
                os.kill(holder["pid"], 0)
            return holder["segment"]
        except PermissionError:  # alive, and somebody else's
            return holder["segment"]
        except (OSError, ValueError, KeyError, TypeError):
            return None

    def compact(self) -> None:
        """Compact both logs. Only for the holder of the lock."""
        damage: list[Damage] = []
        self.log.compact(damage)
        self.words.compact(damage)
        self._tell(damage)


def _by_lacking_columns(
    parts: list[Path], columns: Sequence[str]
) -> dict[frozenset[str], list[Path]]:
    """Parts by what they lack of the columns: those of an older version know fewer."""
    paths_by_lack: dict[frozenset[str], list[Path]] = {}
    for path in parts:
        with pq.ParquetFile(path) as file:
            lacking = frozenset(columns) - frozenset(file.schema_arrow.names)
        paths_by_lack.setdefault(lacking, []).append(path)
    return paths_by_lack


def _file_stem(unique: str) -> str:
    """Names sort by time, and no two sessions share one."""
    return f"{datetime.now(UTC):%Y%m%dT%H%M%S}-{unique[:12]}"


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")


def _sync_file(path: Path) -> None:
    with path.open("rb") as file:
        os.fsync(file.fileno())
