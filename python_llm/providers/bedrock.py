"""Amazon Bedrock's Converse API, through boto3.

boto3 has no async client: each attempt is a call in one of as many threads as the model may have
requests at a time.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any

import boto3
from botocore.awsrequest import AWSPreparedRequest, AWSResponse
from botocore.config import Config
from botocore.exceptions import (
    ClientError,
    ConnectTimeoutError,
    EndpointConnectionError,
    HTTPClientError,
    ReadTimeoutError,
)
from botocore.parsers import ResponseParserError

from python_llm.providers.base import (
    CONNECT_SECONDS,
    connection_error,
    connection_lost,
    count,
    error_outcome,
    not_connected,
    quiet,
    text_or_none,
    too_slow,
    unexpected,
    usage_of,
)
from python_llm.providers.contract import (
    AWS_REGION,
    Endpoint,
    NotReady,
    Provider,
    setting,
)
from python_llm.providers.hosts import site_of
from python_llm.providers.http import MOST_BYTES, ElsewhereError, Refused, TooLargeError
from python_llm.providers.outcome import Outcome, Question, Status

# Any will do to learn the address; this is what most models of the registry have.
USUAL_SECONDS = 120.0
CHUNK_BYTES = 64 * 2**10

# What Converse takes in inferenceConfig; every other parameter is the model's own.
INFERENCE = frozenset({"maxTokens", "temperature", "topP", "stopSequences"})

STOPPED = {
    "max_tokens": (
        Status.TRUNCATED,
        "max_tokens",
        "the answer reached the maximum number of tokens",
    ),
    "guardrail_intervened": (
        Status.CONTENT_FILTERED,
        "answer_filtered",
        "a guardrail cut the answer",
    ),
    "content_filtered": (
        Status.CONTENT_FILTERED,
        "answer_filtered",
        "the provider's filter cut the answer",
    ),
    "model_context_window_exceeded": (
        Status.CONTEXT_EXCEEDED,
        "context_length",
        "prompt and answer filled the model's context window",
    ),
    "refusal": (Status.REFUSED, "refusal", "the model refused"),
    "malformed_model_output": (
        Status.PROVIDER_ERROR,
        "malformed_response",
        "the provider could not read what the model said",
    ),
}


class _Read:
    """A body that has been read, as boto3 takes one."""

    def __init__(self, content: bytes) -> None:
        self._content = content

    def stream(self) -> Iterator[bytes]:
        yield self._content


class Bedrock(Provider):
    """Converse, the one wire format for all models of Bedrock. Credentials as AWS tools find them;
    a key of the registry is a Bedrock API key."""

    def __init__(self, endpoint: Endpoint) -> None:
        quiet()
        region = setting(AWS_REGION, "The AWS region")
        session = boto3.Session(region_name=region)
        if session.get_credentials() is None:
            raise NotReady(
                "No AWS credentials were found: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, "
                "or AWS_PROFILE."
            )
        self._session, self._endpoint = session, endpoint
        self._clients: dict[float, Any] = {}
        self._threads = ThreadPoolExecutor(endpoint.max_connections, thread_name_prefix="bedrock")
        self._site = site_of(self.address)

    @property
    def address(self) -> str:
        return str(self._client(USUAL_SECONDS).meta.endpoint_url)

    def _client(self, seconds: float) -> Any:
        """One client for each timeout, which boto3 takes only when it makes a client."""
        if seconds not in self._clients:
            address = self._endpoint.base_url
            site = site_of(address) if address else None
            client = self._session.client(
                "bedrock-runtime",
                endpoint_url=address,
                config=Config(
                    connect_timeout=min(CONNECT_SECONDS, seconds),
                    read_timeout=seconds,
                    max_pool_connections=self._endpoint.max_connections,
                    retries={"total_max_attempts": 1, "mode": "standard"},
                    # what is on this machine is not asked through a proxy
                    proxies={} if site and site.is_loopback else None,
                ),
            )
            session = client._endpoint.http_session
            client.meta.events.register(
                "before-send", lambda request, **_: self._carry(session, request)
            )
            self._clients[seconds] = client
        return self._clients[seconds]

    def _carry(self, session: Any, request: AWSPreparedRequest) -> AWSResponse:
        """What boto3 would do by itself, but only to the model's site, and for an answer of bounded
        size. Errors: Refused."""
        if (to := site_of(request.url)) is None or to != self._site:
            raise ElsewhereError(f"not sent to {to.host if to else 'an address without a host'}")
        request.stream_output = True  # not read before it is returned
        response = session.send(request)
        content = bytearray()
        for chunk in response.raw.stream(CHUNK_BYTES):
            content += chunk
            if len(content) > MOST_BYTES:
                response.raw.close()
                raise TooLargeError(
                    f"the answer has more than {MOST_BYTES:,} bytes: it was cut off"
                )
        read = _Read(bytes(content))
        return AWSResponse(response.url, response.status_code, response.headers, read)

    async def close(self) -> None:
        self._threads.shutdown(wait=False, cancel_futures=True)
        for client in self._clients.values():
            client.close()

    async def ask(self, question: Question) -> Outcome:
        seconds = question.timeout_seconds
        loop = asyncio.get_running_loop()
        client = self._client(seconds)
        calling = loop.run_in_executor(
            self._threads, lambda: client.converse(**self.body(question))
        )
        try:
            async with asyncio.timeout(seconds + 1):
                response = await calling
            return self._read_response(response)
        except (TimeoutError, ReadTimeoutError):
            return too_slow(seconds)
        except ClientError as error:
            return _error(error)
        except Refused as error:
            return connection_error(error, seconds)
        except (EndpointConnectionError, ConnectTimeoutError) as error:
            return not_connected(error)
        except (HTTPClientError, ResponseParserError, UnicodeDecodeError) as error:
            return connection_lost(error)
        except Exception as error:  # noqa: BLE001 - whatever a server provokes is an outcome
            return unexpected(error)

    @staticmethod
    def body(question: Question) -> dict[str, Any]:
        """The arguments of Converse. Pure."""
        parameters = question.parameters
        body: dict[str, Any] = {
            "modelId": question.api_model,
            "messages": [{"role": "user", "content": [{"text": question.user_text}]}],
            "inferenceConfig": {
                name: value for name, value in parameters.items() if name in INFERENCE
            },
        }
        own = {name: value for name, value in parameters.items() if name not in INFERENCE}
        if own:
            body["additionalModelRequestFields"] = own
        if question.system_text is not None:
            body["system"] = [{"text": question.system_text}]
        return body

    def _read_response(self, response: Mapping[str, Any]) -> Outcome:
        payload = dict(response)
        about = payload.pop("ResponseMetadata", {})
        raw = json.dumps(payload, ensure_ascii=False, default=str)
        outcome = self.read(payload)
        return replace(
            outcome,
            raw_response=raw,
            response_id=text_or_none(about.get("RequestId")),
            http_status=about.get("HTTPStatusCode"),
        )

    @staticmethod
    def read(payload: Mapping[str, Any]) -> Outcome:
        """The outcome that an answer of Converse tells. Pure; may assume nothing."""
        output = payload.get("output")
        message = output.get("message") if isinstance(output, dict) else None
        content = message.get("content") if isinstance(message, dict) else None
        blocks = content if isinstance(content, list) else []
        texts = [block.get("text") for block in blocks if isinstance(block, dict)]
        text = "".join(part for part in texts if isinstance(part, str)) or None
        stop_reason = text_or_none(payload.get("stopReason"))
        status, kind, reason = Status.OK, None, None
        if stop_reason in STOPPED:
            status, kind, reason = STOPPED[stop_reason]
        elif not (text and text.strip()):
            status, kind, reason = Status.PROVIDER_ERROR, "empty_answer", "the answer has no text"
        usage, usage_json = usage_of(payload)
        fresh = count(usage, "inputTokens")
        cached = count(usage, "cacheReadInputTokens")
        written = count(usage, "cacheWriteInputTokens")
        return Outcome(
            status,
            answer_text=text,
            finish_reason=stop_reason,
            input_tokens=None if fresh is None else fresh + (cached or 0) + (written or 0),
            cached_input_tokens=cached,
            cache_write_tokens=written,
            output_tokens=count(usage, "outputTokens"),
            usage_json=usage_json,
            error_kind=kind,
            error_message=reason,
        )


def _error(error: ClientError) -> Outcome:
    """boto3 has read the body already: its code and message are all that is left of it."""
    about = error.response.get("ResponseMetadata", {})
    error_body = error.response.get("Error", {})
    status = about.get("HTTPStatusCode") or 500
    code = str(error_body.get("Code") or "")
    if code == "ThrottlingException":
        status = 429
    raw = json.dumps({"error": {"code": code, "message": error_body.get("Message")}})
    return error_outcome(status, raw, about.get("HTTPHeaders", {}))
