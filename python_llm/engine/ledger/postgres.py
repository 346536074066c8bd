"""The ledger as tables of a PostgreSQL database, with which several machines work through one grid.

    kernel29_attempt   one row per attempt; open from its intent until its answer is written
    kernel29_request   one row per request that was ever attempted, with the words that were sent
    kernel29_claim     one row per request that somebody is asking: a session, or an open batch
    kernel29_session   one row per process that writes
    kernel29_batch     one row per batch

Before a request is asked it is claimed. A session lives as long as its connection, which holds an
advisory lock: when the process is killed, the machine dies or the network parts them, the server
lets go of the lock, and the session's claims and open attempts are those of a dead one: its claims
may be taken over, its open attempts are attempts whose answer nobody saw. Lock, claims, intents and
answers go over the same connection, so that a session that has lost its lock cannot write as if it
had not. (A pooler that shares connections between clients would undo that: connect directly.)

What arrives together is written together, in one transaction for answers and one for claims and
intents (never both in one: two machines that release and claim could wait for each other). Answers
that the database cannot take any more are kept in a file under the ledger's folder and delivered by
the next session of this machine.
"""

from __future__ import annotations

import asyncio
import json
import os
import socket
import time
from collections.abc import AsyncIterator, Callable, Collection, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager, contextmanager, suppress
from dataclasses import dataclass
from datetime import datetime
from enum import Enum
from functools import cached_property
from pathlib import Path
from typing import Any

import pyarrow as pa
import sqlalchemy as sa
from filelock import FileLock
from sqlalchemy.exc import ArgumentError, SQLAlchemyError

from python_llm.engine.errors import EngineError
from python_llm.engine.ledger import postgres_tables as tables
from python_llm.engine.ledger.batch_store import BatchStore, OpenBatch
from python_llm.engine.ledger.contract import (
    FINAL_SQL,
    URL_VARIABLE,
    Ledger,
    Taken,
    Verdict,
    Writer,
    answered,
    intent_of,
)
from python_llm.engine.ledger.lines import MOST_LINE_BYTES, Damage
from python_llm.engine.ledger.segments import line_of, read_segment
from python_llm.engine.ledger.transport import protection
from python_llm.engine.schema import LEDGER_SCHEMA, RECORD_SCHEMA
from python_llm.providers import Status

ROWS_PER_FETCH = 5_000
# So long a broken connection is tried again before the run ends. A server notices within
# KEEPALIVE's idle + interval * count seconds that a machine has gone without a word.
RECONNECT_SECONDS = 60.0
RECONNECT_PAUSE_SECONDS = 0.5
QUIET_SECONDS = 2.0  # an outage of less is nothing that a user should know
KEEPALIVE = {"idle": 10, "interval": 5, "count": 3}
UNDELIVERED = "undelivered"
TURN_POLL_SECONDS = 0.2
LOCK_MESSAGE_SECONDS = 10.0


class _Kind(Enum):
    END, RELEASE, CLAIM, RECORD, INTEND, NOTHING = range(6)


@dataclass(eq=False, slots=True)
class _Work:
    """Something to be done over the session's connection. done: None where nobody waits."""

    kind: _Kind
    payload: Any = None
    done: asyncio.Future[Any] | None = None


class TeamLedger(Ledger):
    """A ledger in the database that an SQLAlchemy URL names. folder: for what this machine needs
    beside it. Nothing is connected before it has to be.

    Errors: EngineError for a URL that is none, not PostgreSQL's, or would send in the clear.
    """

    is_local = False

    def __init__(self, url: str, folder: Path, notify: Callable[[str], None] = print) -> None:
        self.folder, self.notify = folder, notify
        self._seen_tables: set[str] = set()
        # `from None` throughout: SQLAlchemy's errors may carry the URL, its password, and rows.
        try:
            address = sa.make_url(url)
            if address.drivername in ("postgresql", "postgres"):
                address = address.set(drivername="postgresql+psycopg")
            is_odd = "@" in (address.host or "")  # the rest of a password with an @ in it
            if address.drivername != "postgresql+psycopg" or not address.database or is_odd:
                raise ValueError
            keepalive = {f"keepalives_{name}": n for name, n in KEEPALIVE.items()}
            server = {f"tcp_keepalives_{name}": n for name, n in KEEPALIVE.items()}
            options = {"timezone": "UTC", **server}
            self.engine = sa.create_engine(
                address,
                hide_parameters=True,
                # A pool would keep its connections until this object is collected, and dbt makes
                # one for every model; what asks often holds a connection of its own.
                poolclass=sa.NullPool,
                connect_args={
                    "connect_timeout": 10,
                    "options": " ".join(f"-c {name}={value}" for name, value in options.items()),
                    "application_name": "kernel29",
                    **keepalive,
                    **protection(address, os.environ, Path.home()),
                },
            )
        except EngineError:
            raise
        except (ArgumentError, ValueError):
            raise EngineError(
                f"{URL_VARIABLE} is not the address of a PostgreSQL database: write it as "
                "postgresql://user:password@host/database, an @ in the password as %40."
            ) from None
        self._address = address
        self.place = f"{address.host or 'this machine'}/{address.database}"

    @property
    def identity(self) -> str:
        return self._address.render_as_string(hide_password=True)

    @cached_property
    def batches(self) -> TeamBatches:
        return TeamBatches(self)

    @contextmanager
    def connected(self) -> Iterator[sa.Connection]:
        """One transaction. Errors: EngineError when the database cannot be asked."""
        try:
            with self.engine.begin() as connection:
                yield connection
        except SQLAlchemyError as error:
            raise self.failed(error) from None

    def connect(self) -> sa.Connection:
        """A connection whose end is the caller's. Errors: EngineError."""
        try:
            return self.engine.connect()
        except SQLAlchemyError as error:
            raise self.failed(error) from None

    def failed(self, error: SQLAlchemyError) -> EngineError:
        """The error of the database as one for the user: no password, no row of a table."""
        return EngineError(
            f"The team's ledger at {self.place} cannot be used ({_said(error)}): check "
            f"{URL_VARIABLE} and the server."
        )

    def set_up(self) -> None:
        """Make the tables that are not there yet."""
        with self.connected() as connection:
            connection.execute(
                sa.select(sa.func.pg_advisory_xact_lock(tables.LOCK_SPACE, tables.SETUP_LOCK))
            )
            if connection.scalar(sa.text("show server_encoding")) != "UTF8":
                raise EngineError(
                    f"The database {self.place} cannot hold every character: make it with "
                    "encoding UTF8."
                )
            tables.METADATA.create_all(connection)

    def has_tables(self, table: str = "kernel29_attempt") -> bool:
        if table in self._seen_tables:
            return True
        with self.connected() as connection:
            return self._has_table(connection, table)

    def _has_table(self, connection: sa.Connection, table: str) -> bool:
        if table not in self._seen_tables and sa.inspect(connection).has_table(table):
            self._seen_tables.add(table)  # nobody takes one away
        return table in self._seen_tables

    # Reading

    def _answer(
        self,
        sql: str,
        columns: list[str],
        where: str,
        parameters: Mapping[str, Any],
        wanted: pa.Table | None,
    ) -> pa.Table:
        conditions = [tables.SEEN, tables.BEARABLE, where.replace("$", ":")]
        values = dict(parameters)
        if wanted is not None:
            keys = wanted.column("request_key").to_pylist()
            conditions.append("request_key in (select unnest(cast(:wanted as text[])))")
            values["wanted"] = list(dict.fromkeys(keys))
        return answered(sql, parameters, self._fetch(columns, conditions, values), wanted)

    def _fetch(
        self, columns: Sequence[str], conditions: Sequence[str], values: Mapping[str, Any]
    ) -> pa.Table:
        """Columns of the attempts for which every condition is true."""
        schema = pa.schema([LEDGER_SCHEMA.field(name) for name in columns])
        return self._rows("kernel29_attempt", schema, " and ".join(conditions), values)

    def records(self, columns: Sequence[str] = RECORD_SCHEMA.names) -> pa.Table:
        schema = pa.schema([RECORD_SCHEMA.field(name) for name in columns])
        return self._rows("kernel29_request", schema, "true", {})

    def _rows(
        self, table: str, schema: pa.Schema, where: str, values: Mapping[str, Any]
    ) -> pa.Table:
        query = f"select {', '.join(schema.names)} from {table} where {where}"
        parts = [schema.empty_table()]
        with self.connected() as connection:
            if self._has_table(connection, table):  # an older ledger has only some of them
                streamed = connection.execution_options(yield_per=ROWS_PER_FETCH)
                for rows in streamed.execute(sa.text(query), values).partitions():
                    arrays = [
                        pa.array(column, field.type)
                        for column, field in zip(zip(*rows, strict=True), schema, strict=True)
                    ]
                    # more than 2 GiB of text are several arrays
                    parts.append(pa.Table.from_arrays(arrays, schema=schema))
        return pa.concat_tables(parts)

    def check(self) -> None:
        with self.connected():
            pass

    def verify(self) -> Verdict:
        damage = [
            f"Answers of a run that lost the database wait in {path}: the next live run of this "
            "machine delivers them."
            for path in self.undelivered()
        ]
        giants = self._fetch(["request_key", "model_alias"], [f"not {tables.BEARABLE}"], {})
        damage += [
            f"An attempt of {row['model_alias']} for request {row['request_key'][:12]} has texts "
            f"of more than {MOST_LINE_BYTES:,} bytes and was left out: run "
            "`kernel29 ledger repair`."
            for row in giants.to_pylist()
        ]
        readable = self._fetch(["attempt_id"], [tables.SEEN, tables.BEARABLE], {})
        return Verdict(len(readable), damage, [])

    def repair(self) -> list[str]:
        if not self.has_tables():
            return []
        self._nobody_writes()
        with self.connected() as connection:
            n_rows = connection.execute(tables.EMPTY_GIANTS).rowcount
        return [f"{self.place}: {n_rows:,} attempts lost texts that were too long"] * bool(n_rows)

    # Keeping

    def living(self) -> list[str]:
        """The sessions that write now, in words."""
        if not self.has_tables():
            return []
        with self.connected() as connection:
            rows = connection.execute(
                sa.text(
                    "select run_id, host, process, since from kernel29_session "
                    f"where session_id in ({tables.LIVING}) order by since"
                )
            )
            return [
                f"run {row.run_id} (process {row.process} on {row.host}, since "
                f"{row.since.isoformat(timespec='seconds')})"
                for row in rows
            ]

    def _nobody_writes(self) -> None:
        if living := self.living():
            raise EngineError(f"The ledger is in use by {living[0]}: try again when it has ended.")

    def tidy(self) -> str:
        """A database keeps itself in shape; what dead sessions left behind is taken away."""
        self._nobody_writes()
        self.set_up()
        with self.connected() as connection:
            tables.reap_dead_sessions(connection)
            n_rows = connection.scalar(sa.text("select count(*) from kernel29_attempt"))
        return f"{self.place}: {n_rows:,} attempts, nobody is asking"

    def prune(self, before: datetime, *, answers: bool, really: bool) -> int:
        if not self.has_tables():
            return 0
        goes = "from kernel29_attempt where started_at < :before"
        if not answers:
            goes += f" and status not in ({FINAL_SQL})"
        if really:
            self._nobody_writes()
        with self.connected() as connection:
            if really:
                removed = connection.execute(sa.text(f"delete {goes}"), {"before": before})
                if sa.inspect(connection).has_table("kernel29_request"):
                    connection.execute(tables.FORGET)
                return removed.rowcount
            return connection.scalar(
                sa.text(f"select count(*) {goes} and {tables.SEEN}"), {"before": before}
            )

    def forget(self, request_keys: Collection[str]) -> int:
        if not request_keys or not self.has_tables():
            return 0
        self._nobody_writes()
        keys = {"keys": sorted(request_keys)}
        with self.connected() as connection:
            goes = "where request_key = any(:keys)"
            removed = connection.execute(sa.text(f"delete from kernel29_attempt {goes}"), keys)
            if sa.inspect(connection).has_table("kernel29_request"):
                connection.execute(sa.text(f"delete from kernel29_request {goes}"), keys)
        return removed.rowcount

    def record(self, rows: Sequence[Mapping[str, Any]]) -> None:
        self.set_up()
        with self.connected() as connection:
            connection.execute(tables.RECORD, {"rows": tables.json_of(rows)})

    def add(self, rows: Sequence[Mapping[str, Any]]) -> int:
        """Add attempts that have ended; how many were not there yet, or only as intents."""
        with self.connected() as connection:
            return connection.execute(tables.END, {"rows": tables.json_of(rows)}).rowcount

    def undelivered(self) -> list[Path]:
        """Files with answers that the database could not take when they came."""
        return sorted((self.folder / UNDELIVERED).glob("*.jsonl"))

    def deliver(self) -> None:
        """Bring what could not be written before into the database. A damaged file stays."""
        if not self.undelivered():
            return
        with self.undelivered_lock():
            for path in self.undelivered():
                damage: list[Damage] = []
                for batch in read_segment(path, damage):
                    self.add(batch.to_pylist())
                self.notify(f"Answers that were kept in {path.name} are in the team's ledger now.")
                for damaged in damage:
                    self.notify(str(damaged))
                if not damage:
                    path.unlink()

    def undelivered_lock(self) -> FileLock:
        """Held by whoever writes such files or takes them away."""
        return FileLock(self.folder / UNDELIVERED / "lock")

    @contextmanager
    def writing(
        self, run_id: str, session_id: str, is_stopped: Callable[[], bool] = lambda: False
    ) -> Iterator[TeamSession]:
        """Waits for nobody: what others are asking is known by their claims."""
        self.set_up()
        self.deliver()
        session = TeamSession(self, run_id, session_id)
        try:
            yield session
        finally:
            session.close()


class TeamSession(Writer):
    """One process that writes. Everything is done in a thread of its own, over one connection.

    Errors: EngineError when the database cannot be asked.
    """

    def __init__(self, ledger: TeamLedger, run_id: str, session_id: str) -> None:
        self._ledger = ledger
        self._run_id, self.session_id = run_id, session_id
        self._waiting: list[_Work] = []
        self._drainer: asyncio.Task[None] | None = None
        self._failure: EngineError | None = None
        self._connection: sa.Connection | None = None
        self._lock_number: int | None = None
        self._entered = {session_id}
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="ledger")
        try:
            self._thread.submit(self._connect).result()
        except SQLAlchemyError as error:
            self._thread.shutdown()
            raise ledger.failed(error) from None

    @property
    def undelivered(self) -> Path:
        """Where answers go that the database does not take."""
        return self._ledger.folder / UNDELIVERED / f"{self.session_id}.jsonl"

    # From the loop

    async def claim(self, keys: Sequence[str]) -> Mapping[str, Taken]:
        return await self._do(_Kind.CLAIM, list(keys))

    def release(self, keys: Sequence[str]) -> None:
        self._waiting.append(_Work(_Kind.RELEASE, list(keys)))
        self._drain()

    async def record(self, row: dict[str, Any]) -> None:
        await self._do(_Kind.RECORD, row)

    async def intend(self, row: dict[str, Any]) -> bool:
        return await self._do(_Kind.INTEND, intent_of(row))

    def write(self, row: dict[str, Any]) -> None:
        if self._failure is not None:
            self._keep([row])
            raise self._failure
        self._waiting.append(_Work(_Kind.END, row))
        self._drain()

    async def append(self, row: dict[str, Any]) -> None:
        if self._failure is not None:
            self._keep([row])
            raise self._failure
        await self._do(_Kind.END, row)

    async def durable(self) -> None:
        try:
            await self._do(_Kind.NOTHING)
        except EngineError:
            # the answers that came last are being kept, and whoever closes ends the loop next
            if self._drainer is not None:
                await self._drainer
            raise

    @asynccontextmanager
    async def batch_turn(self) -> AsyncIterator[None]:
        # A connection of its own: it may be held for minutes, and is let go of by a kill.
        told_at = None
        while (turn := await asyncio.to_thread(self._ledger.batches.take_turn)) is None:
            if told_at is None or time.monotonic() - told_at > LOCK_MESSAGE_SECONDS:
                told_at = time.monotonic()
                self._ledger.notify("Waiting for another machine to finish with the batches.")
            await asyncio.sleep(TURN_POLL_SECONDS)
        try:
            yield
        finally:
            _hang_up(turn)

    async def _do(self, kind: _Kind, payload: Any = None) -> Any:
        if self._failure is not None:
            raise self._failure
        done = asyncio.get_running_loop().create_future()
        self._waiting.append(_Work(kind, payload, done))
        self._drain()
        return await done

    def _drain(self) -> None:
        if self._drainer is None:
            with suppress(RuntimeError):  # no loop runs any more: `close` does the rest
                self._drainer = asyncio.get_running_loop().create_task(self._drain_all())

    async def _drain_all(self) -> None:
        loop = asyncio.get_running_loop()
        try:
            while self._waiting:
                works, self._waiting = self._waiting, []
                try:
                    answers = await loop.run_in_executor(self._thread, self._perform, works)
                except Exception as error:  # noqa: BLE001 - whoever waits has to be told
                    answers = [error] * len(works)
                for work, answer in zip(works, answers, strict=True):
                    if work.done is None or work.done.done():
                        continue
                    if isinstance(answer, Exception):
                        work.done.set_exception(answer)
                    else:
                        work.done.set_result(answer)
        finally:
            self._drainer = None

    def close(self) -> None:
        """Write the rest and leave; afterwards the session is a dead one. Errors: EngineError."""
        try:
            works, self._waiting = self._waiting, []
            self._thread.submit(self._perform, works).result()
        finally:
            self._thread.submit(self._leave).result()
            self._thread.shutdown()

    # In the thread

    def _connect(self) -> None:
        """Connect and take the session's lock. Errors: SQLAlchemyError; TimeoutError when the
        server believes that the connection before this one still lives."""
        connection = self._ledger.engine.connect()
        try:
            if self._lock_number is None:
                self._lock_number = connection.scalar(
                    sa.text(
                        "select nextval(pg_get_serial_sequence('kernel29_session', 'lock_number'))"
                    )
                )
            # Where it was dead for a moment, others may have reaped it.
            self._enter(connection, self._entered)
            lock = sa.select(sa.func.pg_try_advisory_lock(tables.LOCK_SPACE, self._lock_number))
            if not connection.scalar(lock):
                raise TimeoutError
            tables.reap_dead_sessions(connection)
            connection.commit()
        except BaseException:
            _hang_up(connection)
            raise
        self._connection = connection

    def _enter(self, connection: sa.Connection, session_ids: set[str]) -> None:
        """Let the calls of this process that write through this session live as long as it does:
        their attempts bear their own names."""
        for session_id in session_ids:
            connection.execute(
                tables.ENTER,
                {
                    "session_id": session_id,
                    "lock_number": self._lock_number,
                    "run_id": self._run_id,
                    "host": socket.gethostname(),
                    "process": os.getpid(),
                },
            )

    def _disconnect(self) -> None:
        if self._connection is not None:
            _hang_up(self._connection)
            self._connection = None

    def _perform(self, works: list[_Work]) -> list[Any]:
        """Do it, however often the connection has to be made anew. Errors: EngineError."""
        if self._failure is not None:
            self._keep([work.payload for work in works if work.kind is _Kind.END])
            raise self._failure
        deadline, is_told = time.monotonic() + RECONNECT_SECONDS, False
        while True:
            try:
                if self._connection is None:
                    self._connect()
                done = self._transact(works)
                if is_told:
                    self._ledger.notify("The team's ledger is back.")
                return done
            except (SQLAlchemyError, TimeoutError) as error:
                broken = (TimeoutError, sa.exc.OperationalError, sa.exc.InternalError)
                is_broken = isinstance(error, broken)
                problem = error
            self._disconnect()
            if not is_broken or time.monotonic() > deadline:
                break
            if not is_told and time.monotonic() > deadline - RECONNECT_SECONDS + QUIET_SECONDS:
                self._ledger.notify(
                    f"The team's ledger at {self._ledger.place} is out of reach "
                    f"({_said(problem)}): nothing is sent until it is back, for "
                    f"{RECONNECT_SECONDS:.0f} s at most."
                )
                is_told = True
            time.sleep(RECONNECT_PAUSE_SECONDS)
        kept = self._keep([work.payload for work in works if work.kind is _Kind.END])
        reason = _said(problem)
        self._failure = EngineError(
            f"The team's ledger at {self._ledger.place} could not be written ({reason}); nothing "
            f"more was sent, {kept}. Check the server, and run again."
        )
        raise self._failure from None

    def _transact(self, works: list[_Work]) -> list[Any]:
        ended = [work.payload for work in works if work.kind is _Kind.END]
        released = [key for work in works if work.kind is _Kind.RELEASE for key in work.payload]
        claimed = [key for work in works if work.kind is _Kind.CLAIM for key in work.payload]
        recorded = [work.payload for work in works if work.kind is _Kind.RECORD]
        intended = [work.payload for work in works if work.kind is _Kind.INTEND]
        connection, me = self._connection, self.session_id
        assert connection is not None  # `_perform` has connected
        taken: dict[str, Taken] = {}
        sent: set[str] = set()
        if ended or released:
            with connection.begin():
                if ended:
                    connection.execute(tables.END, {"rows": tables.json_of(ended)})
                if released:
                    connection.execute(tables.RELEASE, {"session_id": me, "keys": released})
        if recorded:
            with connection.begin():
                connection.execute(sa.text("set local synchronous_commit = off"))
                connection.execute(tables.RECORD, {"rows": tables.json_of(recorded)})
        if claimed or intended:
            with connection.begin():
                # A server that crashes forgets the sessions too: no need to wait for its disk.
                connection.execute(sa.text("set local synchronous_commit = off"))
                if claimed:
                    taken = self._claim(connection, claimed)
                if intended:
                    new = {row["session_id"] for row in intended} - self._entered
                    self._enter(connection, new)
                    self._entered |= new
                    mine = {"rows": tables.json_of(intended), "holder": me}
                    rows = connection.execute(tables.INTEND, mine)
                    sent = set(rows.scalars())
        answers: list[Any] = []
        for work in works:
            if work.kind is _Kind.CLAIM:
                answers.append({key: taken[key] for key in work.payload if key in taken})
            elif work.kind is _Kind.INTEND:
                answers.append(work.payload["attempt_id"] in sent)
            else:
                answers.append(None)
        return answers

    def _claim(self, connection: sa.Connection, keys: list[str]) -> dict[str, Taken]:
        """Those of the keys that this session does not get, or that have their answer."""
        mine = {"session_id": self.session_id, "keys": keys}
        if connection.execute(tables.CLAIM, mine).rowcount < len(set(keys)):
            connection.execute(tables.TAKE_OVER, mine)
        holders = connection.execute(tables.HOLDERS, {"k": keys})
        holder_of: dict[str, str] = {row.request_key: row.session_id for row in holders}
        taken = {
            key: Taken(in_batch=holder_of.get(key, "").startswith(tables.BATCH))
            for key in keys
            if holder_of.get(key) != self.session_id
        }
        # After the claims: whoever had one before has written its answer by now.
        answers = connection.execute(tables.ANSWERS, {"keys": keys})
        statuses: dict[str, str] = {row.request_key: row.status for row in answers}
        if statuses:
            connection.execute(tables.RELEASE, {**mine, "keys": list(statuses)})
        return taken | {key: Taken(status=Status(status)) for key, status in statuses.items()}

    def _leave(self) -> None:
        if self._connection is not None:
            with suppress(SQLAlchemyError), self._connection.begin():
                for table in ("kernel29_claim", "kernel29_session"):
                    self._connection.execute(
                        sa.text(f"delete from {table} where session_id = any(:session_ids)"),
                        {"session_ids": sorted(self._entered)},
                    )
        self._disconnect()

    def _keep(self, rows: list[dict[str, Any]]) -> str:
        """Put answers that the database does not take where `deliver` finds them; in words."""
        path = self.undelivered
        if rows:
            try:
                path.parent.mkdir(parents=True, exist_ok=True)
                with self._ledger.undelivered_lock(), path.open("ab") as file:
                    file.write(b"".join(map(line_of, rows)))
                    file.flush()
                    os.fsync(file.fileno())
            except OSError as error:
                return f"and {len(rows)} answers are lost ({error.strerror}: {path})"
        return f"and what had been answered is kept, some of it in {path} until the next run"


class TeamBatches(BatchStore):
    """Open batches as rows. The requests of one are claimed by it until it is closed."""

    def __init__(self, ledger: TeamLedger) -> None:
        self._ledger = ledger

    def open_batches(self) -> list[OpenBatch]:
        if not self._ledger.has_tables():
            return []
        with self._ledger.connected() as connection:
            rows = connection.execute(
                sa.text("select intent, batch_id from kernel29_batch where not is_closed")
            ).all()
        batches = [OpenBatch(row.intent, row.batch_id) for row in rows]
        return sorted(batches, key=lambda batch: batch.intent["submitted_at"])

    def intend(self, intent: Mapping[str, Any]) -> OpenBatch:
        batch = OpenBatch(intent, None)
        self.add(batch, is_closed=False)
        return batch

    def add(self, batch: OpenBatch, *, is_closed: bool) -> bool:
        """Add a batch with whatever is known of it; False when it was there."""
        row = {"intent_id": batch.intent_id, "batch_id": batch.batch_id, "is_closed": is_closed}
        with self._ledger.connected() as connection:
            is_new = connection.execute(
                sa.text(
                    "insert into kernel29_batch (intent_id, intent, batch_id, is_closed) "
                    "values (:intent_id, cast(:intent as json), :batch_id, :is_closed) "
                    "on conflict (intent_id) do nothing"
                ),
                {**row, "intent": json.dumps(batch.intent)},
            ).rowcount
            if is_new and not is_closed:
                connection.execute(
                    tables.HAND_OVER,
                    {"holder": tables.BATCH + batch.intent_id, "keys": batch.keys},
                )
        return bool(is_new)

    def receipt(self, batch: OpenBatch, batch_id: str) -> OpenBatch:
        self._change("update kernel29_batch set batch_id = :batch_id", batch, batch_id=batch_id)
        return OpenBatch(batch.intent, batch_id)

    def close(self, batch: OpenBatch) -> None:
        self._change("update kernel29_batch set is_closed = true", batch, is_over=True)

    def drop(self, batch: OpenBatch) -> None:
        self._change("delete from kernel29_batch", batch, is_over=True)

    def known_ids(self) -> set[str]:
        with self._ledger.connected() as connection:
            ids = connection.execute(
                sa.text("select batch_id from kernel29_batch where batch_id is not null")
            )
            return set(ids.scalars())

    def take_turn(self) -> sa.Connection | None:
        """A connection that has the turn until it is hung up; None while another has it."""
        connection = self._ledger.connect()
        try:
            turn = sa.select(sa.func.pg_try_advisory_lock(tables.LOCK_SPACE, tables.TURN_LOCK))
            has_turn = connection.scalar(turn)
            connection.commit()
        except SQLAlchemyError as error:
            _hang_up(connection)
            raise self._ledger.failed(error) from None
        if has_turn:
            return connection
        connection.close()
        return None

    def _change(self, sql: str, batch: OpenBatch, *, is_over: bool = False, **values: str) -> None:
        with self._ledger.connected() as connection:
            connection.execute(
                sa.text(f"{sql} where intent_id = :intent_id"),
                {"intent_id": batch.intent_id, **values},
            )
            if is_over:
                connection.execute(
                    sa.text("delete from kernel29_claim where session_id = :holder"),
                    {"holder": tables.BATCH + batch.intent_id},
                )


def _hang_up(connection: sa.Connection) -> None:
    """End a connection for good, broken or not."""
    with suppress(SQLAlchemyError):
        connection.invalidate()
    with suppress(SQLAlchemyError):
        connection.close()


def _said(error: Exception) -> str:
    """What the database said, without the values of a row or a password in it."""
    original = getattr(error, "orig", None)
    diagnosis = getattr(original, "diag", None)
    if diagnosis is not None and diagnosis.message_primary:
        return diagnosis.message_primary
    if isinstance(error, TimeoutError):
        return "the connection broke"
    # psycopg's own errors tell of the connection: server, port, user and what went wrong.
    text = str(original).strip() if original is not None else type(error).__name__
    return text.splitlines()[0][:200] if text else type(error).__name__
