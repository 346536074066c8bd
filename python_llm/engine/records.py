"""The words of requests, kept beside the ledger for as long as what came back.

They are written down before the first attempt. A ledger from before words were kept is completed by
the next call that has the request among its asks, in any mode. Nothing is written without an
attempt, and a ledger that cannot be written does not stop a call that only reads.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from functools import cached_property
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from python_llm.engine.errors import EngineError
from python_llm.engine.ledger import Ledger, Writer, shareable
from python_llm.engine.schema import RECORD_SCHEMA, WORDS, Request
from python_llm.engine.settings import Settings

ROWS_AT_ONCE = 5_000


class Recorder:
    """Writes down the words that a ledger lacks. Errors: EngineError when it cannot be read."""

    def __init__(self, ledger: Ledger, settings: Settings) -> None:
        self._ledger, self._settings = ledger, settings
        self._known = ledger.records(["request_key", "contains_phi"])
        attempted = ledger.attempted_keys()
        has_words = pc.is_in(attempted, self._known.column("request_key"))
        self._lacking = set(attempted.filter(pc.invert(has_words)).to_pylist())
        self._waiting: dict[str, dict[str, Any]] = {}
        self._can_write = True

    # A run that is answered already asks for neither of these two sets of a million keys.

    @cached_property
    def _recorded(self) -> set[str]:
        return set(self._known.column("request_key").to_pylist())

    @cached_property
    def _plain(self) -> set[str]:
        is_plain = pc.invert(pc.fill_null(self._known.column("contains_phi"), False))
        return set(self._known.column("request_key").filter(is_plain).to_pylist())

    def complete(self, asks: pa.Table) -> None:
        """Write down those of the asks that have attempts and no words, and those that are now said
        to hold a patient's data and were not before."""
        for row in self._incomplete(asks).select(WORDS).to_pylist():
            known = self._waiting.setdefault(row["request_key"], row)
            known["contains_phi"] = known["contains_phi"] or row["contains_phi"]
        if len(self._waiting) >= ROWS_AT_ONCE:
            self.flush()

    def _incomplete(self, asks: pa.Table) -> pa.Table:
        has_patients = pc.any(asks.column("contains_phi")).as_py()
        if not (self._lacking or has_patients):
            return asks.slice(0, 0)
        # sets, not pyarrow's is_in, which would hash a million keys again for every thousand asks
        wanted = [
            key in self._lacking or bool(is_patient and key in self._plain)
            for key, is_patient in zip(
                asks.column("request_key").to_pylist(),
                asks.column("contains_phi").to_pylist(),
                strict=True,
            )
        ]
        return asks.filter(pa.array(wanted, pa.bool_()))

    def flush(self) -> None:
        """Write what waits; no more is tried once the ledger cannot be written."""
        rows = [self._record(row) for row in self._waiting.values()]
        self._waiting.clear()
        if not (rows and self._can_write):
            return
        try:
            self._ledger.record(rows)
            self._recorded.update(row["request_key"] for row in rows)
        except EngineError:
            self._can_write = False

    async def before_sending(self, request: Request, writer: Writer) -> None:
        """Write down the words of a request unless they are known. Errors: EngineError."""
        if request.request_key not in self._recorded:
            self._recorded.add(request.request_key)
            await writer.record(self._record(request.words))

    def _record(self, row: Mapping[str, Any]) -> dict[str, Any]:
        record = {
            **dict.fromkeys(RECORD_SCHEMA.names),
            **row,
            "domain": self._settings.domain,
            "task": row["task"] or self._settings.task,
            "contains_phi": bool(row["contains_phi"]),
            "first_seen_at": datetime.now(UTC),
        }
        return record if self._ledger.is_local else shareable(record)
