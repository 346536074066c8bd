"""The ledger as a folder of files, for one machine.

    <ledger>/
      segments/<time>-<session>.jsonl    one attempt a line, appended and fsynced while a run asks
      parts/<time>-<name>.<checksum>.parquet     closed segments, compacted
      damaged/                           files that were repaired, as they were
      requests/segments, requests/parts  the same for the words of the requests, one request a line
      lock, holder.json                  who may write now

A damaged file is kept as it is. Compaction writes a new Parquet file under a temporary name,
renames it and only then removes what it replaces. The new file names what it replaces, so whoever
reads in between, or after a kill, knows which of the two to leave out.
"""

from __future__ import annotations

import json
import os
import shutil
import socket
import time
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa
import pyarrow.compute as pc
from filelock import FileLock, Timeout

from python_llm.engine.errors import EngineError
from python_llm.engine.ledger.batch_store import BatchFolder
from python_llm.engine.ledger.contract import Ledger, Verdict, answered
from python_llm.engine.ledger.lines import Damage
from python_llm.engine.ledger.log import SET_ASIDE, Log
from python_llm.engine.ledger.parts import file_stem
from python_llm.engine.ledger.segments import Segment
from python_llm.engine.schema import LEDGER_SCHEMA, RECORD_SCHEMA
from python_llm.providers import FINAL

LOCK_POLL_SECONDS = 0.2
LOCK_MESSAGE_SECONDS = 10.0


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
        return Log(self.folder, LEDGER_SCHEMA, self._open_segments)

    @property
    def words(self) -> Log:
        """The words of the requests."""
        return Log(self.folder / "requests", RECORD_SCHEMA, self._open_segments)

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
            lines, parts = self.words.read(columns, damage, self._being_written())
            return answered("select * from log", {}, lines, None, parts), damage

        return self._read_at_rest(read)

    def _read_at_rest(self, read: Callable[[], tuple[pa.Table, list[Damage]]]) -> pa.Table:
        """What `read` returns. A file that a writer replaces meanwhile is looked for again."""
        for _ in range(20):
            try:
                answer, damage = read()
                self._tell(damage)
                return answer
            except (FileNotFoundError, duckdb.Error, pa.ArrowException) as error:
                problem: Exception = error
                # Either somebody replaced a file, or one is damaged and has no checksum to tell.
                if not any([log.stumbled() for log in self.logs]):
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
        segment: Segment | None = None
        try:
            self.compact()  # while it is still known which segment a killed run has left open
            name = f"{file_stem(session_id)}.jsonl"
            segment = Segment(self.log.segments / name, self.words.segments / name)
            holder = {
                "pid": os.getpid(),
                "host": socket.gethostname(),
                "run_id": run_id,
                "since": _now(),
                "segment": segment.path.name,
            }
            unfinished = self.folder / "holder.tmp"
            unfinished.write_text(json.dumps(holder))
            os.replace(unfinished, self.folder / "holder.json")
            try:
                yield segment
            finally:
                segment.close()
            (self.folder / "holder.json").unlink(missing_ok=True)
            # Not after an interrupt: the next writer does it, and the user need not wait.
            self.compact()
        finally:
            # what a full disk has left without its end, the next writer has to know as open
            if segment is None or not segment.lacks_end:
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

    def verify(self) -> Verdict:
        damage: list[Damage] = []
        counts: Counter[str] = Counter()
        n_rows, _ = (log.verify(damage, counts) for log in self.logs)
        sentences = [*map(str, damage), *self.batches.verify()]
        self._told.update(sentences)  # whoever verifies says them
        notes = [
            f"{counts[f'{kind} without']:,} of {counts[kind]:,} {kind} have no checksum: they were "
            "written before there were any, and damage in them may go unnoticed."
            for kind in ("lines", "parts")
            if counts[f"{kind} without"]
        ]
        if counts["copies"]:
            notes.append(
                f"{counts['copies']:,} parts are copies of another: each is read once, and the "
                "next run that writes removes them."
            )
        return Verdict(n_rows, sentences, notes)

    def repair(self) -> list[str]:
        if not self.log.segments.is_dir():
            return []
        with self.maintaining():
            sentences = [sentence for log in self.logs for sentence in log.repair()]
            return sentences + self.batches.repair()

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

    def forget(self, request_keys: Collection[str]) -> int:
        """Files that repair has set aside are deleted: nobody reads what is in them row by row."""
        if not request_keys or not self.log.segments.is_dir():
            return 0
        keys = pa.array(sorted(request_keys), pa.string())
        with self.maintaining():
            self.compact()
            n_removed, _ = (
                log.remove(lambda batch: pc.is_in(batch.column("request_key"), keys))
                for log in self.logs
            )
            for log in self.logs:
                shutil.rmtree(log.folder / SET_ASIDE, ignore_errors=True)
        return n_removed

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

    def _open_segments(self) -> set[str]:
        """Name of the segment that may lack its closing line: somebody writes it, or was killed."""
        try:
            return {json.loads((self.folder / "holder.json").read_text())["segment"]}
        except (OSError, ValueError, KeyError, TypeError):
            return set()

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


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")
