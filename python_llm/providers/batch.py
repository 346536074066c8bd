"""What the batch APIs of OpenAI and Anthropic have in common: many questions in, results much
later, in any order, at half the price."""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from python_llm.providers.outcome import Outcome, Question, Status

# Well below what they take (OpenAI 50,000 requests or 200 MB, Anthropic 100,000 or 256 MB): a batch
# is made, sent and read in memory.
MOST_ITEMS = 20_000
MOST_BYTES = 100_000_000


# Seconds before a call of the batch API is made again, and the kinds of failure it is worth it for.
PAUSES = (1.0, 4.0, 16.0)
LONGEST_RETRY_AFTER_SECONDS = 60.0
DID_NOTHING = frozenset({"rate_limited", "overloaded", "connect"})
PASSING = DID_NOTHING | {
    *("server_error", "request_timeout", "gateway_timeout", "timeout"),
    *("connection_lost", "conflict"),
}


class BatchError(RuntimeError):
    """The provider's batch API could not be used now; the text is for the user. in_doubt: whether
    there may be a new batch all the same."""

    def __init__(self, message: str, *, in_doubt: bool = False) -> None:
        super().__init__(message)
        self.in_doubt = in_doubt


@dataclass(frozen=True, slots=True)
class BatchState:
    """How far a batch is. status: the provider's own word for it."""

    is_ended: bool
    status: str
    n_ended: int
    n_items: int


class BatchProvider(ABC):
    """Every method raises BatchError when the provider cannot be asked or refuses."""

    @abstractmethod
    async def submit(self, items: Sequence[tuple[str, Question]], intent_id: str) -> str:
        """The provider's id of a new batch of (custom id, question)."""

    @abstractmethod
    async def find(
        self, intent_id: str, custom_ids: set[str], since: datetime, known: set[str]
    ) -> list[str]:
        """Ids of the batches that a submission without a receipt may have made. known: those that
        belong to others."""

    @abstractmethod
    async def state(self, batch_id: str) -> BatchState: ...

    @abstractmethod
    async def results(self, batch_id: str) -> list[tuple[str, Outcome]]:
        """(custom id, outcome) of an ended batch, in any order; what is missing has no result."""


def json_lines(text: str) -> Iterator[Mapping[str, Any]]:
    """The objects of a JSON-lines text; other lines are passed over."""
    for line in text.splitlines():
        try:
            value = json.loads(line)
        except (ValueError, RecursionError):
            continue
        if isinstance(value, dict):
            yield value


def unanswered(kind: str, message: str) -> Outcome:
    """An item that the provider did not get to, and does not bill."""
    return Outcome(
        Status.PROVIDER_ERROR, error_kind=kind, error_message=message, may_be_billed=False
    )


def as_received(outcome: Outcome, body: Mapping[str, Any], http_status: int) -> Outcome:
    raw = json.dumps(body, ensure_ascii=False)
    return replace(outcome, raw_response=raw, http_status=http_status)
