"""What is asked of a provider and what comes back, the same for all of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any


class Status(StrEnum):
    """Every way a request can end. `parse_error` is not here: the parser decides it later."""

    OK = "ok"
    REFUSED = "refused"
    TRUNCATED = "truncated"
    CONTENT_FILTERED = "content_filtered"
    CONTEXT_EXCEEDED = "context_exceeded"
    TIMEOUT = "timeout"
    RATE_LIMITED = "rate_limited"
    PROVIDER_ERROR = "provider_error"
    QUOTA_EXHAUSTED = "quota_exhausted"
    BLOCKED_BY_BUDGET = "blocked_by_budget"
    BLOCKED_BY_POLICY = "blocked_by_policy"
    NOT_REQUESTED = "not_requested"


# The model has answered, well or badly, and would answer alike: such a request is not asked again.
FINAL = frozenset(
    {
        Status.OK,
        Status.REFUSED,
        Status.TRUNCATED,
        Status.CONTENT_FILTERED,
        Status.CONTEXT_EXCEEDED,
    }
)


@dataclass(frozen=True, slots=True)
class Question:
    """What the model is to see. parameters: under the provider's own names, sent as they are."""

    api_model: str
    parameters: Mapping[str, Any]
    system_text: str | None
    user_text: str
    response_schema: Mapping[str, Any] | None
    timeout_seconds: float


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of one attempt.

    input_tokens: all tokens of the prompt, for every provider: those read from a cache
    (cached_input_tokens) and those written to one (cache_write_tokens) are part of it.
    raw_response: the body exactly as received. retry_after_seconds: what the provider asked for.
    may_be_billed: False only where the provider surely did no work for this attempt.
    """

    status: Status
    answer_text: str | None = None
    finish_reason: str | None = None
    returned_model: str | None = None
    response_id: str | None = None
    input_tokens: int | None = None
    cached_input_tokens: int | None = None
    cache_write_tokens: int | None = None
    output_tokens: int | None = None
    usage_json: str | None = None
    raw_response: str | None = None
    http_status: int | None = None
    error_kind: str | None = None
    error_message: str | None = None
    retry_after_seconds: float | None = None
    may_be_billed: bool = True
