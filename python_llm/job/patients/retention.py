"""Lets patients go when they have been here as long as they may, at every build.

KERNEL29_RETENTION_DAYS says how long that is; without it nothing goes by age. What is removed,
where, and what is noted of it is `forgetting`'s: here stands only who has to go, and that a build
does not fail because somebody cannot go yet.
"""

import os
import re
import sys
from datetime import UTC, date, datetime, timedelta
from functools import lru_cache
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc

from python_llm.audit import trail
from python_llm.engine.errors import EngineError
from python_llm.engine.ledger.contract import Ledger
from python_llm.engine.ledger.tools import project_ledger
from python_llm.errors import UserError
from python_llm.job.patients import forgetting

VARIABLE = "KERNEL29_RETENTION_DAYS"


def days() -> int | None:
    """How many days patients stay; None if there is no limit. Raises UserError for no number."""
    written = os.environ.get(VARIABLE, "").strip()
    if not written:
        return None
    if not re.fullmatch(r"[1-9][0-9]{0,4}", written):
        raise UserError(f"{VARIABLE}={written} is not a number of days: give one such as 365.")
    return int(written)


def apply_before_a_build() -> None:
    """Apply it once a day and process: a build passes here more than once."""
    _apply_on(datetime.now(UTC).date(), os.environ.get(VARIABLE), tuple(forgetting.folders()))


@lru_cache(maxsize=8)
def _apply_on(_day: date, _limit: str | None, _folders: tuple[Path, ...]) -> None:
    apply()


def apply(now: datetime | None = None) -> None:
    """Remove every real patient whose file was imported, and every request about one that was first
    asked, longer ago than they may stay; print how many, and what has to wait.

    Raises UserError if the limit is not a number of days, AuditError if the trail is damaged.
    """
    if (limit := days()) is None:
        return
    before = (now or datetime.now(UTC)) - timedelta(days=limit)
    ids = forgetting.imported_before(before)
    ledger: Ledger | None = project_ledger()
    assert ledger is not None
    try:
        n_attempts = _forget_requests(ledger, before)
    except EngineError as error:  # somebody asks, or this account may not delete
        _say(f"The ledger keeps what is older than {limit} days for now: {error}")
        ledger, n_attempts = None, 0
    if not ids:
        if n_attempts:
            forgetting.forget_made()
            _say(f"{n_attempts:,} attempts about patients were older than {limit} days: removed.")
        return
    try:
        done = forgetting.forget(ids, ledger)
    except UserError as error:
        _say(f"{len(ids):,} patients older than {limit} days stay for now: {error}")
        return
    _say(
        f"{done.n_records:,} records of patients were older than {limit} days: removed, with "
        f"{done.n_rows:,} rows about them and {done.n_attempts + n_attempts:,} attempts."
    )
    for file in done.remains:
        _say(f"Words of a patient remain in {file}: remove them there.")


def _forget_requests(ledger: Ledger, before: datetime) -> int:
    """Remove the requests about patients of before a moment from the ledger; how many attempts."""
    asked = ledger.requests()
    is_old = pc.less(
        asked.column("first_seen_at"), pa.scalar(before, asked.schema.field("first_seen_at").type)
    )
    old = asked.filter(pc.and_(asked.column("contains_phi"), is_old))
    keys = set(old.column("request_key").to_pylist())
    waiting = {key for batch in ledger.batches.open_batches() for key in batch.keys}
    if not (keys := keys - waiting):
        return 0
    trail.note("prune", "ledger", before=before.date().isoformat(), what="patients")
    return ledger.forget(keys)


def _say(sentence: str) -> None:
    print(sentence, file=sys.stderr, flush=True)
