"""What `kernel29 ledger` does."""

from __future__ import annotations

import os
from datetime import UTC, datetime, time
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa
import pyarrow.compute as pc

from python_llm import paths
from python_llm.engine.batches import BatchFolder
from python_llm.engine.errors import EngineError
from python_llm.engine.ledger import Ledger
from python_llm.providers import FINAL

# How each kind of file is written by DuckDB.
FORMATS = {".parquet": "format parquet", ".csv": "format csv, header", ".jsonl": "format json"}


def open_ledger() -> Ledger:
    """The project's ledger, wherever KERNEL29_LEDGER_DIR puts it."""
    return Ledger(paths.resolve(os.environ.get("KERNEL29_LEDGER_DIR", "ledger")))


def summary(ledger: Ledger) -> list[dict[str, Any]]:
    """One row for each model: attempts, requests, answers, tokens, US dollars charged, the first
    and last attempt, and requests in open batches."""
    attempts = ledger.attempts()
    waiting: dict[str, int] = {}
    for batch in BatchFolder(ledger.folder).open_batches():
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
                min(started_at)::varchar as first_attempt,
                max(started_at)::varchar as last_attempt,
            from attempts
            group by model_alias
            order by model_alias
            """,
            {"final": sorted(FINAL)},
        ).to_arrow_table()
    found = rows.to_pylist()
    empty = dict.fromkeys(rows.column_names, 0) | {"first_attempt": None, "last_attempt": None}
    for alias in sorted(set(waiting) - {row["model_alias"] for row in found}):
        found.append({**empty, "model_alias": alias})
    return [{**row, "in_open_batches": waiting.get(row["model_alias"], 0)} for row in found]


def format_summary(rows: list[dict[str, Any]]) -> str:
    """The summary as a table for people."""
    if not rows:
        return "The ledger is empty."
    header = (
        f"{'model':24}{'attempts':>10}{'requests':>10}{'answers':>10}{'in batch':>10}{'USD':>12}"
    )
    lines = [
        f"{row['model_alias']:24}{row['attempts']:>10,}{row['requests']:>10,}{row['answers']:>10,}"
        f"{row['in_open_batches']:>10,}{float(row['charged_usd']):>12,.4f}  "
        f"{(row['first_attempt'] or '')[:10]} to {(row['last_attempt'] or '')[:10]}"
        for row in rows
    ]
    return "\n".join([header, *lines])


def verified(ledger: Ledger) -> tuple[int, list[str]]:
    """How many attempts can be read, and a sentence for each place that cannot."""
    damage: list[str] = []
    reader = Ledger(ledger.folder, notify=damage.append)
    return reader.attempts().num_rows, damage


def compact(ledger: Ledger) -> str:
    """Compact now; a sentence about what there is afterwards. Errors: EngineError when another
    run writes to the ledger."""
    if ledger.segments.is_dir():
        with ledger.maintaining():
            ledger.compact()
    n_parts = len(list(ledger.parts.glob("*.parquet")))
    n_segments = len(list(ledger.segments.glob("*.jsonl")))
    return f"{ledger.folder}: {n_parts} parts, {n_segments} segments left as they are"


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
        said = str(error).splitlines()[0]
        raise EngineError(f"{file} cannot be written ({said}): give another place.") from error
    return attempts.num_rows


def prune(ledger: Ledger, before: str, *, answers: bool, really: bool) -> int:
    """Remove the attempts that began before a day (UTC), the failed ones or all; how many it is.
    Attempts of damaged files stay. Errors: EngineError for something that is no day, and when
    another run writes to the ledger."""
    try:
        day = datetime.combine(datetime.fromisoformat(before).date(), time(), UTC)
    except ValueError as error:
        raise EngineError(f"{before} is no day: write it as 2026-01-31.") from error

    def goes(batch: pa.RecordBatch) -> pa.Array:
        is_old = pc.less(batch.column("started_at"), pa.scalar(day))
        if answers:
            return is_old
        is_final = pc.is_in(batch.column("status"), pa.array(sorted(FINAL), pa.string()))
        return pc.and_not(is_old, is_final)

    if not ledger.segments.is_dir():
        return 0
    if really:
        with ledger.maintaining():
            return ledger.remove(goes)
    return sum(pc.sum(goes(b)).as_py() or 0 for b in ledger.attempts().to_batches())
