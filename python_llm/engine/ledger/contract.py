"""The log of every attempt ever made, outside the warehouse: what every kind of ledger promises.

A ledger keeps attempts and forgets none. Before a request is sent it is told so (an intent); after
a kill, an intent without its attempt is one whose answer nobody saw, and is charged at its worst
case. An answer counts as had once it is durable. Reading takes no lock, at any time. `FileLedger`
is a folder that one run at a time writes to; `TeamLedger` a database with which several machines
work through one grid.
"""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, AbstractContextManager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from functools import cache
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa

from python_llm.audit.words import finder
from python_llm.engine.ledger.batch_store import BatchStore
from python_llm.engine.schema import ATTEMPT_SCHEMA, ATTEMPTED, RECORD_SCHEMA
from python_llm.providers import FINAL, Status

URL_VARIABLE = "KERNEL29_LEDGER_URL"

# A chunk of an Arrow string column holds at most 2 GiB.
ROWS_PER_CHUNK = 50_000
FEWEST_ROWS_PER_CHUNK = 25

FINAL_SQL = ", ".join(f"'{status}'" for status in sorted(FINAL))
# The attempt that counts for a request: its first final answer, otherwise its last failure.
_COUNTS_FIRST = f"""
    order by
        (status in ({FINAL_SQL})) desc,
        case when status in ({FINAL_SQL}) then epoch_us(ended_at) else -epoch_us(ended_at) end,
        attempt_number desc,
        attempt_id
"""

# Nearly every request has one attempt: only the others are ordered and listed, which takes ten
# times as long for a row.
_TALLY = """
            ours as (
                select log.*
                from log
                semi join wanted using (request_key)
            ),
            several as (
                select request_key
                from ours
                group by request_key
                having count(*) > 1
            )
""".strip()

# Why a record in a team's ledger has no texts.
PERSONAL = "personal health information, which stays on the machine that has the cases"

# What an intent says of an attempt whose answer never came.
UNSEEN = {
    "status": Status.PROVIDER_ERROR,
    "error_kind": "interrupted",
    "error_message": "the run was killed before the answer came",
}


def intent_of(row: Mapping[str, Any]) -> dict[str, Any]:
    """The attempt that an intent without an answer stands for."""
    return {**row, "ended_at": row["started_at"], **UNSEEN}


def plain(value: Any) -> str:
    """A time in ISO 8601, dollars as decimal text: what JSON has no type for."""
    if isinstance(value, datetime):
        return value.isoformat()
    if isinstance(value, Decimal):
        return f"{value:f}"
    raise TypeError(f"{type(value).__name__} has no place in a ledger line")


def shareable(record: Mapping[str, Any]) -> dict[str, Any]:
    """The record of a request (RECORD_SCHEMA) as it may leave this machine: without the texts that
    hold a patient's data."""
    if not record["contains_phi"]:
        return dict(record)
    return {**record, "system_text": None, "user_text": None, "text_withheld": PERSONAL}


@dataclass(frozen=True, slots=True)
class Taken:
    """Why a request is not for this session to ask. status: of the answer it has meanwhile;
    in_batch: an open batch has it. Neither: another session is asking it."""

    status: Status | None = None
    in_batch: bool = False


class Writer(ABC):
    """What one session of one process writes through. Errors: EngineError when the ledger cannot be
    written, from then on at every call."""

    @abstractmethod
    async def claim(self, keys: Sequence[str]) -> Mapping[str, Taken]:
        """Take requests for this session, before they are asked; those it does not get."""

    @abstractmethod
    def release(self, keys: Sequence[str]) -> None:
        """Give claimed requests back once everything about them has been written."""

    @abstractmethod
    async def record(self, row: dict[str, Any]) -> None:
        """Write down the words of a request (RECORD_SCHEMA) before its first attempt."""

    @abstractmethod
    async def intend(self, row: dict[str, Any]) -> bool:
        """Say that an attempt is about to be sent; False when its claim has been lost, and it must
        not be."""

    @abstractmethod
    def write(self, row: dict[str, Any]) -> None:
        """Write an attempt that has ended; it is durable when `durable` or `close` returns."""

    @abstractmethod
    async def append(self, row: dict[str, Any]) -> None:
        """Write an attempt that has ended, and return once it is durable."""

    @abstractmethod
    async def durable(self) -> None:
        """Return once everything written is durable."""

    @abstractmethod
    def batch_turn(self) -> AbstractAsyncContextManager[None]:
        """Alone among all sessions with the ledger's open batches."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """n_rows: attempts that can be read. damage: a sentence for each place that cannot; notes: what
    else should be known."""

    n_rows: int
    damage: list[str]
    notes: list[str]


class Ledger(ABC):
    """Reads the log, and opens it for writing.

    folder: where what one machine needs beside the log has its place. notify: is given one sentence
    about anything a user should know (damage, waiting for others).
    """

    folder: Path
    notify: Callable[[str], None]
    # Whether it is for this machine only, where the cases are anyway.
    is_local: bool

    @property
    @abstractmethod
    def identity(self) -> str:
        """The same for two ledgers of this process that are one."""

    @property
    @abstractmethod
    def batches(self) -> BatchStore:
        """The open batches."""

    @abstractmethod
    def writing(
        self, run_id: str, session_id: str, is_stopped: Callable[[], bool] = lambda: False
    ) -> AbstractContextManager[Writer]:
        """Open the ledger for one session, and close it when everything is durable. is_stopped:
        whether to give up waiting for others.

        Errors: EngineError when it cannot be written, and when told to stop waiting.
        """

    @abstractmethod
    def check(self) -> None:
        """Errors: EngineError when it is out of reach."""

    @abstractmethod
    def record(self, rows: Sequence[Mapping[str, Any]]) -> None:
        """Write down the words of requests (RECORD_SCHEMA) that were attempted before their words
        were kept. Errors: EngineError when it cannot be written."""

    @abstractmethod
    def records(self, columns: Sequence[str] = RECORD_SCHEMA.names) -> pa.Table:
        """The words of every request they are known of; one that was written down by several runs
        may be there several times. Errors: EngineError when it cannot be read."""

    @abstractmethod
    def verify(self) -> Verdict:
        """Read all of it. Never fails for damage."""

    @abstractmethod
    def repair(self) -> list[str]:
        """Keep what can be read of what is damaged, and set the rest aside; a sentence for each
        place. Errors: EngineError when somebody writes to it."""

    @abstractmethod
    def tidy(self) -> str:
        """Bring it into its best shape; a sentence about what there is afterwards. Errors:
        EngineError when somebody writes to it."""

    @abstractmethod
    def prune(self, before: datetime, *, answers: bool, really: bool) -> int:
        """Remove the attempts that began before a moment, the failed ones or all; how many it is,
        whether really removed or only counted. The words of a request go with its last attempt.
        Errors: EngineError when somebody writes to it."""

    @abstractmethod
    def forget(self, request_keys: Collection[str]) -> int:
        """Remove every attempt at these requests, and their words; how many attempts. Errors:
        EngineError when somebody writes to it."""

    def mentions(self, pieces: Collection[str]) -> set[str]:
        """The requests in whose words, answers or errors one of these texts is."""
        written = {json.dumps(p, ensure_ascii=False)[1:-1] for p in pieces}
        has_any = finder({*pieces, *written, *(json.dumps(piece)[1:-1] for piece in pieces)})
        return {
            row["request_key"]
            for table in (self.attempts(), self.requests())
            for batch in table.to_batches(max_chunksize=1_000)
            for row in batch.to_pylist()
            if any(has_any(text) for text in row.values() if isinstance(text, str))
        }

    @abstractmethod
    def _answer(
        self,
        sql: str,
        columns: list[str],
        where: str,
        parameters: Mapping[str, Any],
        wanted: pa.Table | None,
    ) -> pa.Table:
        """The answer of DuckDB's SQL over `log`, which has these columns of every attempt for which
        `where` is true (others may be there too), and over `wanted`, whose request keys are the
        only ones of interest. Errors: EngineError when the ledger cannot be read."""

    def attempts(self) -> pa.Table:
        """Every attempt ever made, in ATTEMPT_SCHEMA, oldest first."""
        names = [name for name in ATTEMPT_SCHEMA.names if name != "is_final"]
        return self._query(
            f"""
            select
                {", ".join(names)},
                row_number() over (partition by request_key {_COUNTS_FIRST}) = 1 as is_final,
            from log
            order by started_at, attempt_id
            """,
            names,
        ).cast(ATTEMPT_SCHEMA)

    def answered(self) -> pa.Table:
        """Every request with a final answer: request_key, model_alias, output_tokens and
        latency_ms of one of its answers."""
        columns = ["model_alias", "output_tokens", "latency_ms"]
        return self._query(
            f"""
            select request_key, {", ".join(columns)}
            from log
            where {{where}} and status in ({FINAL_SQL})
            qualify row_number() over (partition by request_key order by ended_at) = 1
            """,
            ["request_key", "status", "ended_at", *columns],
        )

    def requests(self) -> pa.Table:
        """The words of every request they are known of, in RECORD_SCHEMA, one row for each: as they
        were first written down, and personal if any run said so."""
        return answered(
            """
            select * replace (
                bool_or(contains_phi) over (partition by request_key) as contains_phi
            )
            from log
            qualify
                row_number() over (
                    partition by request_key order by first_seen_at, domain, task
                ) = 1
            order by request_key
            """,
            {},
            self.records(),
            None,
        ).cast(RECORD_SCHEMA)

    def attempted_keys(self) -> pa.ChunkedArray:
        """The requests that have attempts."""
        return self._query(
            "select distinct request_key from log where {where}", ["request_key"]
        ).column("request_key")

    def attempt_ids(self) -> pa.Table:
        """The attempt_id of every attempt."""
        return self._query("select attempt_id from log where {where}", ["attempt_id"])

    def attempted(self, request_keys: pa.ChunkedArray) -> pa.ChunkedArray:
        """What each of the requests has cost, in their order: a list of ATTEMPTED for each, oldest
        attempt first, empty for a request that was never attempted."""
        names = [name for name in ATTEMPTED.names if name != "is_final"]
        fields = ", ".join(f"{name} := {name}" for name in names)
        columns = ["request_key", "attempt_id", "status", "ended_at", "attempt_number", *names]
        positions = pa.array(range(len(request_keys)), pa.int64())
        return self._query(
            f"""
            with {_TALLY},
            ranked as (
                select
                    *,
                    row_number() over (partition by request_key {_COUNTS_FIRST}) = 1 as is_final,
                from ours
                semi join several using (request_key)
            ),
            listed as (
                select
                    request_key,
                    list(
                        struct_pack({fields}, is_final := is_final)
                        order by started_at, attempt_id
                    ) as attempts,
                from ranked
                group by request_key
                union all
                select request_key, [struct_pack({fields}, is_final := true)] as attempts,
                from ours
                anti join several using (request_key)
            )
            select coalesce(attempts, []) as attempts
            from wanted
            left join listed using (request_key)
            order by position
            """,
            list(dict.fromkeys(columns)),
            wanted=pa.table({"position": positions, "request_key": request_keys}),
        ).column("attempts")

    def counting(self, request_keys: pa.ChunkedArray, columns: list[str]) -> pa.Table:
        """One row for each key, in their order: n_attempts, and the given columns of the attempt
        that counts; null for a request that was never attempted."""
        ordering = ["request_key", "attempt_id", "status", "ended_at", "attempt_number"]
        positions = pa.array(range(len(request_keys)), pa.int64())
        return self._query(
            f"""
            with {_TALLY},
            counting as (
                select
                    request_key,
                    attempt_id,
                    count(*) over (partition by request_key) as n_attempts,
                from ours
                semi join several using (request_key)
                qualify row_number() over (partition by request_key {_COUNTS_FIRST}) = 1
                union all
                select request_key, attempt_id, 1 as n_attempts,
                from ours
                anti join several using (request_key)
            ),
            placed as (
                select wanted.position, counting.attempt_id, counting.n_attempts,
                from wanted
                left join counting using (request_key)
            )
            select placed.n_attempts, {", ".join(f"log.{name}" for name in columns)}
            from placed
            left join log using (attempt_id)
            order by placed.position
            """,
            list(dict.fromkeys([*ordering, *columns])),
            wanted=pa.table({"position": positions, "request_key": request_keys}),
        )

    def spent(self, run_id: str) -> Decimal:
        """What the attempts under one run_id took from its cap, US dollars."""
        table = self._query(
            "select sum(charged_usd) as usd from log where {where}",
            ["run_id", "charged_usd"],
            "run_id = $run_id",
            {"run_id": run_id},
        )
        return table.column("usd")[0].as_py() or Decimal(0)

    def keys_of_batch(self, batch_id: str) -> set[str]:
        """The requests that have an attempt in a batch of the provider."""
        table = self._query(
            "select request_key from log where {where}",
            ["request_key", "batch_id"],
            "batch_id = $batch_id",
            {"batch_id": batch_id},
        )
        return set(table.column("request_key").to_pylist())

    def recent(self, seconds: float) -> pa.Table:
        """The attempts begun in the last so many seconds: model_alias, seconds_ago, tokens."""
        now = datetime.now(UTC)
        return self._query(
            f"""
            select
                model_alias,
                ({now.timestamp():.6f} - epoch_us(started_at) / 1e6) as seconds_ago,
                coalesce(input_tokens, 0) + coalesce(output_tokens, 0) as tokens,
            from log
            where {{where}}
            """,
            ["model_alias", "started_at", "input_tokens", "output_tokens"],
            "started_at > $since",
            {"since": now - timedelta(seconds=seconds)},
        )

    def typical_output(self) -> dict[str, float]:
        """Mean output tokens of the answers of each model that has given any."""
        table = self._query(
            """
            select model_alias, avg(output_tokens) as tokens
            from log
            where {where}
            group by model_alias
            """,
            ["model_alias", "output_tokens"],
            "output_tokens > 0",
        )
        aliases, tokens = (column.to_pylist() for column in table.columns)
        return dict(zip(aliases, tokens, strict=True))

    def _query(
        self,
        sql: str,
        columns: list[str],
        where: str = "true",
        parameters: Mapping[str, Any] | None = None,
        wanted: pa.Table | None = None,
    ) -> pa.Table:
        return self._answer(sql.format(where=where), columns, where, parameters or {}, wanted)


@cache
def _memory() -> duckdb.DuckDBPyConnection:
    """A database in memory: to open one takes longer than most of what the ledger is asked. What a
    cursor of it makes is its own, and goes with it."""
    return duckdb.connect()


def answered(
    sql: str,
    parameters: Mapping[str, Any],
    lines: pa.Table,
    wanted: pa.Table | None,
    more: str = "",
) -> pa.Table:
    """The answer of SQL over `log`: `lines`, and what `more` (`union all …`) adds to them."""
    with _memory().cursor() as connection:
        connection.execute("set timezone = 'UTC'")
        tables = {"lines": lines} if wanted is None else {"lines": lines, "wanted": wanted}
        for name, table in tables.items():
            # Copied in: DuckDB 1.5 pushes join filters into scans of Arrow, which refuse them.
            connection.register(f"{name}_arrow", table)
            connection.execute(f"create temp table {name} as select * from {name}_arrow")
        names = ", ".join(lines.column_names)
        connection.execute(f"create temp view log as select {names} from lines {more}")
        table = _fetched(connection, sql, parameters)
    if len(table) > ROWS_PER_CHUNK:
        _memory.cache_clear()  # a database in memory keeps what a million rows once took in it
    return table


def _fetched(
    connection: duckdb.DuckDBPyConnection, sql: str, parameters: Mapping[str, Any]
) -> pa.Table:
    for n_rows in (ROWS_PER_CHUNK, ROWS_PER_CHUNK // 40):
        # The usual texts fit many times over.
        with suppress(duckdb.InvalidInputException):
            return connection.execute(sql, dict(parameters)).to_arrow_table(n_rows)
    return connection.execute(sql, dict(parameters)).to_arrow_table(FEWEST_ROWS_PER_CHUNK)
