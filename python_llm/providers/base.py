"""Asking through an official SDK: one attempt in, one outcome out, never an exception.

The openai and anthropic SDKs share their shape (client.post, the same tree of errors), so the
transport is written once here; a subclass says what its wire format is. Requests go through the
SDK's `client.post` and the body is read as JSON rather than through the SDK's typed methods:
those reject parameters they do not know, and drop what a compatible server adds.
"""

from __future__ import annotations

import asyncio
import json
import logging
import math
import ssl
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from functools import cache
from operator import attrgetter
from typing import Any, ClassVar

import httpx2

from python_llm.providers.outcome import Outcome, Question, Status

# What a server that wants no key is told in place of one: given none, an SDK would look for one in
# the environment (OPENAI_API_KEY) and hand it to a stranger.
NO_KEY = "no-key-needed"

CONNECT_SECONDS = 10.0
CONNECTIONS_PER_CLIENT = 16
MESSAGE_CHARACTERS = 500
MOST_TOKENS = 2**40  # what is beyond is no count of tokens, and must not overflow a column

# Their debug and info lines carry addresses and, at debug, whole prompts.
SDK_LOGGERS = ("openai", "anthropic", "httpx2", "httpcore2")

QUOTA_WORDS = (
    "insufficient_quota",
    "billing_hard_limit_reached",
    "billing_error",
    "exceeded your current quota",
    "credit balance is too low",
)
CONTEXT_WORDS = (
    "context_length_exceeded",
    "maximum context length",
    "exceed_context_size",
    "exceed context limit",
    "exceeds the available context",
    "context window",
    "prompt is too long",
)
FILTER_WORDS = (
    "content_filter",
    "content_policy_violation",
    "content filtering policy",
    "content management policy",
)
# A gateway gave up waiting: the model behind it may have worked, and billed.
GATEWAY_GAVE_UP = frozenset({502, 504, 520, 521, 522, 523, 524})


@dataclass(frozen=True, slots=True)
class Endpoint:
    """Where to ask. api_key: None if the server needs none; base_url: None for the SDK's own."""

    api_key: str | None
    base_url: str | None
    max_connections: int


@cache
def _tls() -> ssl.SSLContext:
    """One for all clients: reading the certificates takes longer than everything else they do."""
    return httpx2.create_ssl_context()


@dataclass(slots=True)
class _Client:
    sdk_client: Any
    busy: int = 0


class Provider(ABC):
    """The SDK clients of one model, shared by all its requests."""

    sdk: ClassVar[Any]
    path: ClassVar[str]

    def __init__(self, endpoint: Endpoint) -> None:
        for name in SDK_LOGGERS:
            logging.getLogger(name).setLevel(logging.CRITICAL)
        # A pool looks at each of its connections for every request: several small ones are quicker
        # (at 200 connections by half of all CPU time).
        n_clients = math.ceil(endpoint.max_connections / CONNECTIONS_PER_CLIENT)
        limits = httpx2.Limits(
            max_connections=CONNECTIONS_PER_CLIENT, max_keepalive_connections=CONNECTIONS_PER_CLIENT
        )
        self._clients = [
            _Client(
                self.connect(
                    endpoint, self.sdk.DefaultAsyncHttpxClient(limits=limits, verify=_tls())
                )
            )
            for _ in range(n_clients)
        ]

    @abstractmethod
    def connect(self, endpoint: Endpoint, http_client: httpx2.AsyncClient) -> Any:
        """The SDK's async client, with its own retries off: they are the engine's."""

    @staticmethod
    @abstractmethod
    def body(question: Question) -> dict[str, Any]:
        """The JSON body that asks the question. Pure."""

    @staticmethod
    @abstractmethod
    def read(payload: Mapping[str, Any]) -> Outcome:
        """The outcome that a JSON body of HTTP status 200 tells. Pure; may assume nothing."""

    async def close(self) -> None:
        for client in self._clients:
            await client.sdk_client.close()

    async def ask(self, question: Question) -> Outcome:
        """One attempt. Every misbehaviour of provider and network is an outcome; only cancellation
        is raised."""
        sdk = self.sdk
        client = min(self._clients, key=attrgetter("busy"))
        client.busy += 1
        seconds = question.timeout_seconds
        options = {
            "timeout": httpx2.Timeout(seconds, connect=min(CONNECT_SECONDS, seconds), pool=None),
            **self.extra_options(),
        }
        try:
            # httpx counts its timeout from byte to byte: a server that drips needs a clock of ours.
            async with asyncio.timeout(seconds):
                response = await client.sdk_client.post(
                    self.path, cast_to=httpx2.Response, body=self.body(question), options=options
                )
            return self._read_response(response)
        except TimeoutError:
            return Outcome(
                Status.TIMEOUT,
                error_kind="timeout",
                error_message=f"no complete answer within {seconds:g} s",
            )
        except sdk.APIStatusError as error:
            return read_error(error.response)
        except sdk.APIConnectionError as error:  # APITimeoutError is one of these
            return _read_connection_error(error, seconds)
        except Exception as error:  # noqa: BLE001 - whatever a server provokes is an outcome
            return Outcome(
                Status.PROVIDER_ERROR,
                error_kind="unexpected",
                error_message=_short(f"{type(error).__name__}: {error}"),
            )
        finally:
            client.busy -= 1

    def extra_options(self) -> dict[str, Any]:
        return {}

    def _read_response(self, response: httpx2.Response) -> Outcome:
        raw = response.text
        try:
            payload = json.loads(raw)
        except ValueError:
            payload = None
        if not isinstance(payload, dict):
            outcome = Outcome(
                Status.PROVIDER_ERROR,
                error_kind="malformed_response",
                error_message="the body of the answer is not a JSON object",
            )
        elif payload.get("error"):  # some gateways report an upstream failure with status 200
            outcome = _outcome_of_error(_embedded_status(payload["error"]), payload["error"])
        else:
            outcome = self.read(payload)
        return replace(outcome, raw_response=raw, http_status=response.status_code)


def read_error(response: httpx2.Response) -> Outcome:
    """The outcome of an HTTP error status."""
    try:
        payload = response.json()
    except ValueError:
        payload = None
    error = payload.get("error", payload) if isinstance(payload, dict) else None
    outcome = _outcome_of_error(response.status_code, error)
    return replace(
        outcome,
        raw_response=response.text,
        http_status=response.status_code,
        retry_after_seconds=retry_after(response.headers),
        may_be_billed=response.status_code in GATEWAY_GAVE_UP,
    )


def _embedded_status(error: Any) -> int:
    code = error.get("code") if isinstance(error, dict) else None
    return code if isinstance(code, int) and 400 <= code < 600 else 500


def _outcome_of_error(http_status: int, error: Any) -> Outcome:
    if not isinstance(error, dict):
        error = {"message": error if isinstance(error, str) else None}
    status, kind = classify(http_status, error)
    said = error.get("message") or error.get("type") or f"HTTP {http_status}"
    return Outcome(status, error_kind=kind, error_message=_short(str(said)))


def classify(http_status: int, error: Mapping[str, Any]) -> tuple[Status, str]:
    """Status and kind of an error from its HTTP status and the provider's error object.

    The words come first: providers say the same thing under different numbers (an exhausted
    account is 429 at OpenAI and 400 or 402 at Anthropic).
    """
    words = " ".join(str(error.get(name) or "") for name in ("code", "type", "message")).lower()
    if http_status == 402 or any(word in words for word in QUOTA_WORDS):
        return Status.QUOTA_EXHAUSTED, "insufficient_quota"
    if http_status in (400, 413, 422):
        if any(word in words for word in CONTEXT_WORDS):
            return Status.CONTEXT_EXCEEDED, "context_length"
        if any(word in words for word in FILTER_WORDS):
            return Status.CONTENT_FILTERED, "prompt_filtered"
        if http_status == 413:
            return Status.CONTEXT_EXCEEDED, "request_too_large"
        return Status.PROVIDER_ERROR, "invalid_request"
    by_number = {
        401: (Status.PROVIDER_ERROR, "authentication"),
        403: (Status.PROVIDER_ERROR, "permission"),
        404: (Status.PROVIDER_ERROR, "not_found"),
        408: (Status.TIMEOUT, "request_timeout"),
        409: (Status.PROVIDER_ERROR, "conflict"),
        429: (Status.RATE_LIMITED, "rate_limited"),
        503: (Status.PROVIDER_ERROR, "overloaded"),
        504: (Status.TIMEOUT, "gateway_timeout"),
        524: (Status.TIMEOUT, "gateway_timeout"),
        529: (Status.PROVIDER_ERROR, "overloaded"),
    }
    if http_status in by_number:
        return by_number[http_status]
    return Status.PROVIDER_ERROR, "server_error" if http_status >= 500 else "invalid_request"


def _read_connection_error(error: Exception, seconds: float) -> Outcome:
    cause = error.__cause__
    if isinstance(cause, httpx2.ConnectError | httpx2.ConnectTimeout):
        return Outcome(
            Status.PROVIDER_ERROR,
            error_kind="connect",
            error_message=_short(f"no connection: {cause or type(cause).__name__}"),
            may_be_billed=False,  # nothing was sent
        )
    if isinstance(cause, httpx2.TimeoutException):
        return Outcome(
            Status.TIMEOUT,
            error_kind="timeout",
            error_message=f"nothing heard for {seconds:g} s",
        )
    return Outcome(
        Status.PROVIDER_ERROR,
        error_kind="connection_lost",
        error_message=_short(f"connection lost: {cause or error}"),
    )


def retry_after(headers: Mapping[str, str], now: datetime | None = None) -> float | None:
    """Seconds the provider asks to wait: `retry-after-ms`, or Retry-After as seconds or HTTP date
    (RFC 9110, 10.2.3). None when it asks nothing or what it says cannot be read."""
    milliseconds = _number(headers.get("retry-after-ms"))
    if milliseconds is not None:
        return milliseconds / 1000
    said = headers.get("retry-after")
    seconds = _number(said)
    if seconds is not None or said is None:
        return seconds
    try:
        when = parsedate_to_datetime(said)
    except ValueError:
        return None
    when = when if when.tzinfo else when.replace(tzinfo=UTC)
    return max(0.0, (when - (now or datetime.now(UTC))).total_seconds())


def _number(text: str | None) -> float | None:
    try:
        number = float(text) if text is not None else None
    except ValueError:
        return None
    return number if number is not None and 0 <= number < float("inf") else None


def count(usage: Mapping[str, Any], *path: str) -> int | None:
    """A token count somewhere in a usage object; None when it is absent or not a whole number."""
    value: Any = usage
    for name in path:
        value = value.get(name) if isinstance(value, Mapping) else None
    is_number = isinstance(value, int) and not isinstance(value, bool)
    return value if is_number and 0 <= value <= MOST_TOKENS else None


def text_or_none(value: Any) -> str | None:
    return value if isinstance(value, str) else None


def usage_of(payload: Mapping[str, Any]) -> tuple[Mapping[str, Any], str | None]:
    """The usage object (empty when the server sends none) and its JSON text as it came."""
    usage = payload.get("usage")
    if not isinstance(usage, dict):
        return {}, None
    return usage, json.dumps(usage, ensure_ascii=False)


def _short(text: str) -> str:
    return text if len(text) <= MESSAGE_CHARACTERS else text[: MESSAGE_CHARACTERS - 1] + "…"
