"""Tables and statements of the team's ledger in PostgreSQL."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

import pyarrow as pa
import sqlalchemy as sa
from sqlalchemy.dialects import postgresql

from python_llm.engine.ledger.contract import FINAL_SQL, plain
from python_llm.engine.ledger.lines import MOST_LINE_BYTES
from python_llm.engine.schema import LEDGER_SCHEMA, RECORD_SCHEMA, TIME

# Ours among the advisory locks of the database: "K29" in ASCII.
LOCK_SPACE = 0x4B3239
SETUP_LOCK, TURN_LOCK = 1, 2  # below the numbers of sessions
FIRST_SESSION = 1_000

_TYPES: dict[pa.DataType, sa.types.TypeEngine[Any]] = {
    pa.string(): sa.Text(),
    pa.int64(): sa.BigInteger(),
    pa.bool_(): sa.Boolean(),
    pa.float64(): sa.Double(),
    pa.decimal128(18, 9): sa.Numeric(18, 9),
    TIME: sa.DateTime(timezone=True),
}
METADATA = sa.MetaData()
_ATTEMPT = sa.Table(
    "kernel29_attempt",
    METADATA,
    *(
        sa.Column(field.name, _TYPES[field.type], nullable=field.nullable)
        for field in LEDGER_SCHEMA
    ),
    sa.Column("is_open", sa.Boolean, nullable=False),
    sa.PrimaryKeyConstraint("attempt_id"),
    sa.Index("kernel29_attempt_of_request", "request_key"),
    sa.Index("kernel29_attempt_of_run", "run_id"),
    sa.Index("kernel29_attempt_of_batch", "batch_id"),
    sa.Index("kernel29_attempt_by_time", "started_at"),
)
_REQUEST = sa.Table(
    "kernel29_request",
    METADATA,
    *(
        sa.Column(field.name, _TYPES[field.type], nullable=field.nullable)
        for field in RECORD_SCHEMA
    ),
    sa.PrimaryKeyConstraint("request_key"),
)
sa.Table(
    "kernel29_claim",
    METADATA,
    sa.Column("request_key", sa.Text, primary_key=True),
    sa.Column("session_id", sa.Text, nullable=False, index=True),
)
sa.Table(
    "kernel29_session",
    METADATA,
    sa.Column("session_id", sa.Text, primary_key=True),
    sa.Column("lock_number", sa.Integer, sa.Identity(start=FIRST_SESSION), nullable=False),
    sa.Column("run_id", sa.Text, nullable=False),
    sa.Column("host", sa.Text, nullable=False),
    sa.Column("process", sa.Integer, nullable=False),
    sa.Column("since", sa.DateTime(timezone=True), server_default=sa.func.now(), nullable=False),
)
sa.Table(
    "kernel29_batch",
    METADATA,
    sa.Column("intent_id", sa.Text, primary_key=True),
    sa.Column("intent", sa.JSON, nullable=False),
    sa.Column("batch_id", sa.Text),
    sa.Column("is_closed", sa.Boolean, nullable=False),
)

# A batch holds its claims under this name for as long as it is open.
BATCH = "batch:"
LIVING = f"""
    select session.session_id
    from kernel29_session as session
    inner join pg_locks as held
        on held.locktype = 'advisory'
        and held.granted
        and held.classid = {LOCK_SPACE}
        and held.objid = cast(session.lock_number as oid)
        and held.objsubid = 2
        and held.database = (select oid from pg_database where datname = current_database())
"""
# What readers see: an open attempt of a living session is under way, and none yet.
SEEN = f"(not is_open or session_id not in ({LIVING}))"

# An attempt whose texts are no longer than any that is written now.
BEARABLE = (
    "(coalesce(octet_length(raw_response), 0) + coalesce(octet_length(answer_text), 0) "
    f"<= {MOST_LINE_BYTES})"
)
EMPTY_GIANTS = sa.text(f"""
    update kernel29_attempt
    set
        raw_response = null, answer_text = null, status = 'provider_error',
        error_kind = 'answer_too_large', error_message = 'its texts were too long to be read'
    where not {BEARABLE}
""")

_DIALECT = postgresql.dialect()  # type: ignore[no-untyped-call]
_NAMES = LEDGER_SCHEMA.names


def _given(table: sa.Table, names: Sequence[str]) -> str:
    """The rows of the parameter `rows`, with the types of a table."""
    types = {name: table.c[name].type.compile(_DIALECT) for name in names}
    columns = ", ".join(f"{name} {kind}" for name, kind in types.items())
    return f"json_to_recordset(cast(:rows as json)) as given ({columns})"


_ROWS = _given(_ATTEMPT, _NAMES)
END = sa.text(f"""
    insert into kernel29_attempt ({", ".join(_NAMES)}, is_open)
    select {", ".join(_NAMES)}, false from {_ROWS}
    on conflict (attempt_id) do update
    set is_open = false, {", ".join(f"{name} = excluded.{name}" for name in _NAMES[1:])}
    where kernel29_attempt.is_open
""")
# holder: the session that has the claims. It may write for several calls of its process, whose
# names the attempts bear.
INTEND = sa.text(f"""
    insert into kernel29_attempt ({", ".join(_NAMES)}, is_open)
    select {", ".join(f"given.{name}" for name in _NAMES)}, true
    from {_ROWS}
    inner join kernel29_claim as claim
        on claim.request_key = given.request_key and claim.session_id = :holder
    on conflict (attempt_id) do update set attempt_id = excluded.attempt_id
    returning attempt_id
""")
# In the order of their keys, as claims are. What one run says is personal stays so.
_WORDS = RECORD_SCHEMA.names
RECORD = sa.text(f"""
    insert into kernel29_request ({", ".join(_WORDS)})
    select {", ".join(_WORDS)} from {_given(_REQUEST, _WORDS)} order by request_key
    on conflict (request_key) do update
    set
        contains_phi = true, system_text = null, user_text = null,
        text_withheld = excluded.text_withheld
    where excluded.contains_phi and not kernel29_request.contains_phi
""")
# The words of requests that have no attempt any more, while nobody asks.
FORGET = sa.text("""
    delete from kernel29_request as request
    where not exists (
        select 1 from kernel29_attempt as attempt where attempt.request_key = request.request_key
    )
""")
ENTER = sa.text("""
    insert into kernel29_session (session_id, lock_number, run_id, host, process)
    values (:session_id, :lock_number, :run_id, :host, :process)
    on conflict (session_id) do nothing
""")
RELEASE = sa.text("""
    delete from kernel29_claim where session_id = :session_id and request_key = any(:keys)
""")
# In the order of their keys: two sessions that want the same ones wait for each other in a row.
CLAIM = sa.text("""
    insert into kernel29_claim (request_key, session_id)
    select key, :session_id from unnest(cast(:keys as text[])) as key order by key
    on conflict (request_key) do nothing
""")
HAND_OVER = sa.text("""
    insert into kernel29_claim (request_key, session_id)
    select key, :holder from unnest(cast(:keys as text[])) as key order by key
    on conflict (request_key) do update set session_id = excluded.session_id
""")
TAKE_OVER = sa.text(f"""
    update kernel29_claim set session_id = :session_id
    where request_key in (
        select request_key from kernel29_claim
        where
            request_key = any(:keys)
            and session_id not like '{BATCH}%'
            and session_id not in ({LIVING})
        order by request_key
        for update skip locked
    )
""")
HOLDERS = sa.text("select request_key, session_id from kernel29_claim where request_key = any(:k)")
ANSWERS = sa.text(f"""
    select distinct on (request_key) request_key, status
    from kernel29_attempt
    where
        request_key = any(:keys) and not is_open and status in ({FINAL_SQL}) and {BEARABLE}
    order by request_key, ended_at
""")


def reap_dead_sessions(connection: sa.Connection) -> None:
    """Take away what dead sessions left: their claims and their names. Their open attempts stay,
    as what they are."""
    dead = f"session_id not in ({LIVING})"
    connection.execute(
        sa.text(
            "delete from kernel29_claim where request_key in ("
            "select request_key from kernel29_claim "
            f"where session_id not like '{BATCH}%' and {dead} "
            "order by request_key for update skip locked)"
        )
    )
    connection.execute(
        sa.text(
            "delete from kernel29_session where session_id in ("
            f"select session_id from kernel29_session where {dead} for update skip locked)"
        )
    )


def json_of(rows: Sequence[Mapping[str, Any]]) -> str:
    """Rows for `json_to_recordset`. PostgreSQL's text has no place for the character 0."""
    clean = [
        {
            name: value.replace("\0", "\ufffd") if isinstance(value, str) else value
            for name, value in row.items()
        }
        for row in rows
    ]
    return json.dumps(clean, ensure_ascii=False, default=plain)
