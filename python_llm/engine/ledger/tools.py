"""What `kernel29 ledger` does."""

from __future__ import annotations

import os
from collections.abc import Callable
from datetime import UTC, datetime, time
from pathlib import Path
from typing import Any

import duckdb

from python_llm.engine.errors import EngineError
from python_llm.engine.ledger.contract import URL_VARIABLE, Ledger, shareable
from python_llm.engine.ledger.folder import FileLedger
from python_llm.engine.ledger.opening import open_ledger
from python_llm.engine.ledger.segments import ROWS_PER_BATCH
from python_llm.providers import FINAL

# How each kind of file is written by DuckDB.
FORMATS = {".parquet": "format parquet", ".csv": "format csv, header", ".jsonl": "format json"}


def project_ledger(notify: Callable[[str], None] = print) -> Ledger:
    """The project's ledger, wherever KERNEL29_LEDGER_URL or KERNEL29_LEDGER_DIR puts it. Errors:
    EngineError as `open_ledger` raises it."""
    return open_ledger(os.environ.get("KERNEL29_LEDGER_DIR", "ledger"), notify)


def summary(ledger: Ledger) -> list[dict[str, Any]]:
    """One row for each model: attempts, requests, answers, tokens, US dollars charged, those
    of them that are the worst case of attempts of unknown cost, the first and last attempt, and
    requests in open batches."""
    attempts = ledger.attempts()
    waiting: dict[str, int] = {}
    for batch in ledger.batches.open_batches():
        alias = batch.intent["model_alias"]
        waiting[alias] = waiting.get(alias, 0) + len(batch.keys)
    with duckdb.connect() as connection:
        connection.register("attempts", attempts)
        rows = connection.execute(
            """
            select
                model_alias,
                count(*) as attempts,
                count(distinct request_key) as requests,
                count(distinct request_key) filter (where list_contains($final, status)) as answers,
                coalesce(sum(input_tokens), 0)::bigint as input_tokens,
                coalesce(sum(output_tokens), 0)::bigint as output_tokens,
                coalesce(sum(charged_usd), 0) as charged_usd,
                coalesce(sum(charged_usd) filter (
                    where input_tokens is null or output_tokens is null
                ), 0) as assumed_usd,
                min(started_at)::varchar as first_attempt,
                max(started_at)::varchar as last_attempt,
            from attempts
            group by model_alias
            order by model_alias
            """,
            {"final": sorted(FINAL)},
        ).to_arrow_table()
    models = rows.to_pylist()
    empty = dict.fromkeys(rows.column_names, 0) | {"first_attempt": None, "last_attempt": None}
    for alias in sorted(set(waiting) - {row["model_alias"] for row in models}):
        models.append({**empty, "model_alias": alias})
    return [{**row, "in_open_batches": waiting.get(row["model_alias"], 0)} for row in models]


def format_summary(rows: list[dict[str, Any]]) -> str:
    """The summary as a table for people."""
    if not rows:
        return "The ledger is empty."
    header = (
        f"{'model':24}{'attempts':>10}{'requests':>10}{'answers':>10}{'in batch':>10}{'USD':>12}"
        f"{'of it assumed':>15}"
    )
    lines = [
        f"{row['model_alias']:24}{row['attempts']:>10,}{row['requests']:>10,}{row['answers']:>10,}"
        f"{row['in_open_batches']:>10,}{float(row['charged_usd']):>12,.4f}"
        f"{float(row['assumed_usd']):>15,.4f}  "
        f"{(row['first_attempt'] or '')[:10]} to {(row['last_attempt'] or '')[:10]}"
        for row in rows
    ]
    note = "assumed: the worst case of attempts that tell no cost, such as those without an answer"
    return "\n".join([header, *lines, *([note] if any(row["assumed_usd"] for row in rows) else [])])


def export(ledger: Ledger, file: Path) -> int:
    """Write every attempt to one file, whole or not at all; how many. Errors: EngineError for an
    ending that means no format and for a file that cannot be written."""
    if file.suffix not in FORMATS:
        endings = ", ".join(FORMATS)
        raise EngineError(f"{file} ends in no known format: let it end in one of {endings}.")
    attempts = ledger.attempts()
    unfinished = file.with_name(f".{file.name}.tmp")
    try:
        with duckdb.connect() as connection:
            connection.execute("set timezone = 'UTC'")
            connection.register("attempts", attempts)
            target = str(unfinished).replace("'", "''")
            connection.execute(f"copy attempts to '{target}' ({FORMATS[file.suffix]})")
        os.replace(unfinished, file)
    except (duckdb.IOException, OSError) as error:
        unfinished.unlink(missing_ok=True)
        reason = str(error).splitlines()[0]
        raise EngineError(f"{file} cannot be written ({reason}): give another place.") from error
    return attempts.num_rows


def lost_since(served: Path, ledger: Ledger) -> str:
    """A sentence about the attempts that the served results rest on and the ledger has no more;
    empty where there are none or nothing is served. A file that somebody deletes and the end that
    is cut off a file without a closing line leave no other trace."""
    try:
        with duckdb.connect(str(served), read_only=True) as connection:
            known = connection.execute("select attempt_id, status from fct_llm_call")
            attempts = known.to_arrow_table()
    except (duckdb.IOException, duckdb.CatalogException):
        return ""  # nothing is served yet
    with duckdb.connect() as connection:
        connection.register("attempts", attempts)
        connection.register("log", ledger.attempt_ids())
        n_lost, n_answers = connection.execute(
            """
            select count(*), count(*) filter (list_contains($final, status))
            from attempts
            anti join log using (attempt_id)
            """,
            {"final": sorted(FINAL)},
        ).fetchone() or (0, 0)
    if not n_lost:
        return ""
    return (
        f"{n_lost:,} attempts of the last build, {n_answers:,} of them answers, are no longer in "
        "the ledger. If nobody has pruned them or chosen another ledger, bring them back from a "
        "backup before a live run asks and pays for them again."
    )


def beginning_of(day: str) -> datetime:
    """Midnight (UTC) at which a day begins. Errors: EngineError for something that is not a day."""
    try:
        return datetime.combine(datetime.fromisoformat(day).date(), time(), UTC)
    except ValueError as error:
        raise EngineError(f"{day} is not a date: write it as 2026-01-31.") from error


def share(folder: Path) -> tuple[int, int]:
    """Copy the ledger in a folder, open batches included, into the team's, the words of requests
    without those that hold a patient's data; how many attempts and
    batches were new to it. Errors: EngineError where there is no folder or no team's ledger, while
    another run writes to one of them, and when the database cannot be written."""
    theirs = FileLedger(folder)
    team = project_ledger()
    if isinstance(team, FileLedger):
        raise EngineError(
            f"There is no team's ledger to copy to: set {URL_VARIABLE}, as in "
            "postgresql://user:password@host/database."
        )
    from python_llm.engine.ledger.postgres import TeamLedger

    assert isinstance(team, TeamLedger)
    if not theirs.log.segments.is_dir():
        raise EngineError(f"{folder} is not a ledger: give the folder with `segments` in it.")
    with theirs.maintaining():
        team.set_up()
        for batch in theirs.requests().to_batches(max_chunksize=ROWS_PER_BATCH):
            team.record([shareable(row) for row in batch.to_pylist()])
        n_rows = sum(team.add(batch.to_pylist()) for batch in theirs.rows() if batch.num_rows)
        n_batches = sum(
            team.batches.add(batch, is_closed=is_closed)
            for batch, is_closed in theirs.batches.all_batches()
        )
    return n_rows, n_batches
