"""Asking through an official SDK: one attempt in, one outcome out, never an exception.

The openai and anthropic SDKs share their shape (client.post, the same tree of errors), so their
transport is written once here (`SdkProvider`); a subclass says what its wire format is. Requests go
through the SDK's `client.post` and the body is read as JSON rather than through the SDK's typed
methods: those reject parameters they do not know, and drop what a compatible server adds. The SDKs'
own aiohttp client carries them: a third less CPU a request than their default one. The SDK makes
the envelope of a request (address and headers) once; all others wait for that first one and go out
in it over the same client, which saves more than half of what is left.
"""

from __future__ import annotations

import asyncio
import json
import logging
import re
import ssl
from abc import abstractmethod
from collections.abc import Awaitable, Callable, Mapping
from contextvars import ContextVar
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from functools import cache
from typing import Any, ClassVar, TypeVar

import aiohttp
import httpx2

from python_llm.audit import secrets
from python_llm.providers import batch
from python_llm.providers.batch import BatchError
from python_llm.providers.contract import Endpoint, Provider
from python_llm.providers.hosts import site_of
from python_llm.providers.http import Refused, client_options, guarded
from python_llm.providers.outcome import Outcome, Question, Status

T = TypeVar("T")

# What a server that wants no key is told in place of one: given none, an SDK would look for one in
# the environment (OPENAI_API_KEY) and hand it to a stranger.
NO_KEY = "no-key-needed"

CONNECT_SECONDS = 10.0
BATCH_SECONDS = 300.0
MESSAGE_CHARACTERS = 500
MOST_TOKENS = 2**40  # anything larger is not a count of tokens, and must not overflow a column

NO_OBJECT = "the body of the answer is not a JSON object"
_SCHEME = re.compile(r"\s*[a-z][a-z0-9+.-]*:", re.IGNORECASE)

# Their debug and info lines carry addresses and, at debug, whole prompts.
SDK_LOGGERS = (
    *("openai", "anthropic", "httpx2", "httpcore2", "aiohttp"),
    *("google_genai", "google.auth", "boto3", "botocore", "urllib3"),
)

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


def quiet() -> None:
    for name in SDK_LOGGERS:
        logging.getLogger(name).setLevel(logging.CRITICAL)


@cache
def tls() -> ssl.SSLContext:
    """One for all clients: reading the certificates takes longer than everything else they do."""
    return httpx2.create_ssl_context()


@dataclass(frozen=True, slots=True)
class Envelope:
    """Where the SDK sends a request and what it writes on it: everything but the body."""

    url: httpx2.URL
    headers: list[tuple[bytes, bytes]]
    extensions: dict[str, Any]  # the timeouts


@dataclass(frozen=True, slots=True)
class Letter:
    """The first request of its kind, as it is handed to the SDK: its body, and where the envelope
    is awaited; None where the SDK writes bodies otherwise than we do."""

    body: bytes
    envelope: asyncio.Future[Envelope | None]


_LETTER: ContextVar[Letter | None] = ContextVar("letter", default=None)


class SdkProvider(Provider):
    """A provider through the openai or the anthropic SDK, or one built like them."""

    sdk: ClassVar[Any]
    path: ClassVar[str]
    # False where an envelope is signed, or bears a token that is made anew from time to time.
    keeps_envelope: ClassVar[bool] = True

    def __init__(self, endpoint: Endpoint) -> None:
        quiet()
        self._http = guarded(self.sdk.DefaultAioHttpClient)(
            verify=tls(),
            event_hooks={"request": [self._look_at]},
            **client_options(endpoint.base_url, endpoint.max_connections),
        )
        self._key = endpoint.api_key
        # by what an envelope depends on: the API model and the timeout
        self._envelopes: dict[tuple[str, float], asyncio.Future[Envelope | None]] = {}
        self._client = self.connect(endpoint, self._http)
        self._http.site = site_of(self.address)

    @property
    def address(self) -> str:
        return str(self._client.base_url)

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
        await self._client.close()

    async def ask(self, question: Question) -> Outcome:
        try:
            return await self._asked(question)
        except Exception as error:  # noqa: BLE001 - whatever a server provokes is an outcome
            return unexpected(error)

    async def _asked(self, question: Question) -> Outcome:
        sdk, seconds = self.sdk, question.timeout_seconds
        try:
            # httpx counts its timeout from byte to byte: a server that drips needs a clock of ours.
            async with asyncio.timeout(seconds):
                response = await self._post(question)
            if response.is_success:
                return self._read_response(response)
            return read_error(response)
        except TimeoutError:
            return too_slow(seconds)
        except sdk.APIStatusError as error:
            return read_error(error.response)
        except sdk.APIConnectionError as error:  # APITimeoutError is one of these
            return connection_error(error.__cause__ or error, seconds)
        except httpx2.TransportError as error:
            return connection_error(error, seconds)
        except aiohttp.ClientResponseError as error:
            return connection_error(error, seconds)

    async def _post(self, question: Question) -> httpx2.Response:
        """Errors: those of the SDK and of httpx2; a response of an error status may be one too."""
        body, seconds = self.body(question), question.timeout_seconds
        written, kind = _as_the_sdk_writes(body), (question.api_model, seconds)
        if (awaited := self._envelopes.get(kind)) is None:
            return await self._post_first(body, written, kind)
        # shielded: who gives up waiting must not take it from the others
        if (envelope := await asyncio.shield(awaited)) is None:
            return await self._post_by_sdk(body, seconds)
        request = httpx2.Request(
            "POST",
            envelope.url,
            headers=envelope.headers,
            content=written,
            extensions=dict(envelope.extensions),
        )
        return await self._http.send(request)

    async def _post_first(
        self, body: dict[str, Any], written: bytes, kind: tuple[str, float]
    ) -> httpx2.Response:
        """Through the SDK, whose envelope is kept."""
        letter = Letter(written, asyncio.get_running_loop().create_future())
        self._envelopes[kind] = letter.envelope
        if not self.keeps_envelope:
            letter.envelope.set_result(None)
        token = _LETTER.set(letter)
        try:
            return await self._post_by_sdk(body, kind[1])
        finally:
            _LETTER.reset(token)
            if not letter.envelope.done():  # it failed before it was sent
                del self._envelopes[kind]
                letter.envelope.set_result(None)

    async def _post_by_sdk(self, body: dict[str, Any], seconds: float) -> httpx2.Response:
        options = {
            "timeout": httpx2.Timeout(seconds, connect=min(CONNECT_SECONDS, seconds), pool=None),
            **self.extra_options(),
        }
        return await self._client.post(
            self.path, cast_to=httpx2.Response, body=body, options=options
        )

    async def _look_at(self, request: httpx2.Request) -> None:
        """Keep the envelope of what the SDK sends, if the body is as we would write it."""
        letter = _LETTER.get()
        if letter is None or letter.envelope.done():
            return
        if request.read() != letter.body:
            letter.envelope.set_result(None)
            return
        headers = [
            (name, value)
            for name, value in request.headers.raw
            if name.lower() not in (b"content-length", b"host")
        ]
        letter.envelope.set_result(Envelope(request.url, headers, dict(request.extensions)))

    async def call(
        self, method: str, path: str, body: dict[str, Any] | None = None, *, creates: bool = False
    ) -> Any:
        """The response to a request that is not a question. creates: whether it makes a
        batch, of which there should not be two. Errors: BatchError."""
        options = {"timeout": httpx2.Timeout(BATCH_SECONDS), **self.extra_options()}
        if method == "get":
            return await self.tried(
                lambda: self._client.get(path, cast_to=httpx2.Response, options=options)
            )
        return await self.tried(
            lambda: self._client.post(path, cast_to=httpx2.Response, body=body, options=options),
            creates=creates,
        )

    async def tried(self, once: Callable[[], Awaitable[T]], *, creates: bool = False) -> T:
        """What a call gives, made again while its failure may pass, but not where it may have made
        a batch. Errors: BatchError."""
        for pause in (*batch.PAUSES, None):
            try:
                return await once()
            except self.sdk.APIStatusError as error:
                failure = read_error(error.response)
            except self.sdk.APIConnectionError as error:
                failure = connection_error(error.__cause__ or error, BATCH_SECONDS)
            except self.sdk.APIError as error:
                failure = unexpected(error)
            kind, passes = failure.error_kind, failure.error_kind in batch.PASSING
            in_doubt = creates and passes and kind not in batch.DID_NOTHING
            if pause is None or in_doubt or not passes:
                message = f"{kind}: {failure.error_message}"
                if self._key:
                    message = secrets.redactor((self._key,)).redacted(message)
                raise BatchError(message, in_doubt=in_doubt)
            asked = min(failure.retry_after_seconds or 0.0, batch.LONGEST_RETRY_AFTER_SECONDS)
            await asyncio.sleep(max(pause, asked))
        raise AssertionError("the last round returns or raises")

    def extra_options(self) -> dict[str, Any]:
        return {}

    def _read_response(self, response: httpx2.Response) -> Outcome:
        raw = response.text
        payload = payload_of(raw)
        if not isinstance(payload, dict):
            outcome = malformed(NO_OBJECT)
        elif payload.get("error"):  # some gateways report an upstream failure with status 200
            outcome = _outcome_of_error(_embedded_status(payload["error"]), payload["error"])
        else:
            outcome = self.read(payload)
        return replace(outcome, raw_response=raw, http_status=response.status_code)


def _as_the_sdk_writes(body: Mapping[str, Any]) -> bytes:
    return json.dumps(body, ensure_ascii=False, separators=(",", ":"), allow_nan=False).encode()


def payload_of(raw: str) -> Any:
    """The JSON of a body; None where it is none, or nested more deeply than any answer is."""
    try:
        return json.loads(raw)
    except (ValueError, RecursionError):
        return None


def malformed(message: str) -> Outcome:
    return Outcome(
        Status.PROVIDER_ERROR, error_kind="malformed_response", error_message=short(message)
    )


def read_error(response: httpx2.Response) -> Outcome:
    """The outcome of an HTTP error status."""
    return error_outcome(response.status_code, response.text, response.headers)


def error_outcome(http_status: int, raw: str, headers: Mapping[str, str]) -> Outcome:
    """The outcome of an HTTP status that is none of success, with its body as it came."""
    if 300 <= http_status < 400:
        return redirected(http_status, headers.get("location"))
    payload = payload_of(raw)
    if isinstance(payload, list) and payload:  # some gateways of Google wrap it
        payload = payload[0]
    error = payload.get("error", payload) if isinstance(payload, dict) else None
    outcome = _outcome_of_error(http_status, error)
    return replace(
        outcome,
        raw_response=raw,
        http_status=http_status,
        retry_after_seconds=retry_after(headers),
        may_be_billed=http_status in GATEWAY_GAVE_UP,
    )


def redirected(http_status: int, location: str | None) -> Outcome:
    """An answer that stands elsewhere. Neither the rest of the address nor the body is told: both
    may hold what only the other host is meant to know."""
    if elsewhere := site_of(location or ""):
        goal = elsewhere.host
    elif location and not _SCHEME.match(location):
        goal = "another path of its own"
    else:
        goal = "an address that is not of the web" if location else "a place it does not name"
    return Outcome(
        Status.PROVIDER_ERROR,
        http_status=http_status,
        error_kind="redirected",
        error_message=short(f"the server redirects to {goal}, which is not followed"),
        may_be_billed=False,
    )


def too_slow(seconds: float) -> Outcome:
    return Outcome(
        Status.TIMEOUT,
        error_kind="timeout",
        error_message=f"no complete answer within {seconds:g} s",
    )


def not_connected(cause: object) -> Outcome:
    return Outcome(
        Status.PROVIDER_ERROR,
        error_kind="connect",
        error_message=short(f"no connection: {cause}"),
        may_be_billed=False,  # nothing was sent
    )


def connection_lost(cause: object) -> Outcome:
    return Outcome(
        Status.PROVIDER_ERROR,
        error_kind="connection_lost",
        error_message=short(f"connection lost: {cause}"),
    )


def unexpected(error: Exception) -> Outcome:
    if type(error).__module__.startswith(("google.auth", "botocore")):  # no token to be had
        return Outcome(
            Status.PROVIDER_ERROR,
            error_kind="authentication",
            error_message=short(str(error)),
            may_be_billed=False,
        )
    return Outcome(
        Status.PROVIDER_ERROR,
        error_kind="unexpected",
        error_message=short(f"{type(error).__name__}: {error}"),
    )


def _embedded_status(error: Any) -> int:
    code = error.get("code") if isinstance(error, dict) else None
    if isinstance(code, str) and code.startswith("rate_limit"):
        return 429
    return code if isinstance(code, int) and 400 <= code < 600 else 500


def _outcome_of_error(http_status: int, error: Any) -> Outcome:
    if not isinstance(error, dict):
        error = {"message": error if isinstance(error, str) else None}
    status, kind = classify(http_status, error)
    message = error.get("message") or error.get("detail") or error.get("type")
    message = message or f"HTTP {http_status}"
    return Outcome(status, error_kind=kind, error_message=short(str(message)))


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


def connection_error(cause: BaseException, seconds: float) -> Outcome:
    """The outcome of an exception of httpx2 or its transport, whichever raised it."""
    if isinstance(cause, Refused):
        return Outcome(
            Status.PROVIDER_ERROR,
            error_kind=cause.kind,
            error_message=short(str(cause)),
            may_be_billed=cause.may_be_billed,
        )
    if isinstance(cause, aiohttp.ClientResponseError):  # its whole text would tell the address
        return malformed(f"no answer in HTTP: {cause.message}")
    # aiohttp's exceptions arrive in httpx2's, some of which say more than happened: a server that
    # hangs up in the middle comes as ConnectTimeout. The original tells whether anything was sent.
    original = cause.__cause__
    if isinstance(original, aiohttp.ClientError | TimeoutError):
        before_sending = isinstance(
            original, aiohttp.ClientConnectorError | aiohttp.ConnectionTimeoutError
        )
        is_timeout = isinstance(original, TimeoutError)
    else:
        before_sending = isinstance(cause, httpx2.ConnectError | httpx2.ConnectTimeout)
        is_timeout = isinstance(cause, httpx2.TimeoutException)
    if before_sending:
        return not_connected(cause or type(cause).__name__)
    if is_timeout:
        return Outcome(
            Status.TIMEOUT,
            error_kind="timeout",
            error_message=f"nothing heard for {seconds:g} s",
        )
    return connection_lost(cause)


def retry_after(headers: Mapping[str, str], now: datetime | None = None) -> float | None:
    """Seconds the provider asks to wait: `retry-after-ms`, or Retry-After as seconds or HTTP date
    (RFC 9110, 10.2.3). None when it asks nothing or what it says cannot be read."""
    milliseconds = _number(headers.get("retry-after-ms"))
    if milliseconds is not None:
        return milliseconds / 1000
    header = headers.get("retry-after")
    seconds = _number(header)
    if seconds is not None or header is None:
        return seconds
    try:
        when = parsedate_to_datetime(header)
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


def short(text: str) -> str:
    """An error message of bounded length."""
    return text if len(text) <= MESSAGE_CHARACTERS else text[: MESSAGE_CHARACTERS - 1] + "…"
