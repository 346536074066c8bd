"""A provider on this machine that speaks everybody's wire format, well or badly.

It serves OpenAI's Chat Completions and Responses (also under Azure's paths), Anthropic's Messages
(also under those of Bedrock and Vertex AI), Bedrock's Converse and Gemini's generateContent over
HTTP/1.1 with keep-alive, standard library only. What it answers is a function of
the request, `answer(provider, payload) -> text`; how it misbehaves is another, `faults(seen) ->
Fault | None`. In a test:

    with Loopback(answer=lambda provider, payload: "1. Asthma") as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.openai_url)

As a process of its own, so that its work does not share the caller's interpreter lock:

    python -m tests.python.helpers.loopback --port 8080 --latency 0.5 --chance rate_limit=0.1

The first line it prints is a JSON object with `port`, `openai_url` and `anthropic_url`.
"""

from __future__ import annotations

import argparse
import asyncio
import gzip
import hashlib
import importlib
import json
import random
import socket
import struct
import threading
import time
import traceback
import zlib
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

Payload = dict[str, Any]
Answer = Callable[[str, Payload], str]

# How a path ends -> the wire format it speaks.
ROUTES = {
    "/chat/completions": "openai",
    "/responses": "responses",
    "/messages": "anthropic",
    "/invoke": "anthropic",
    ":rawPredict": "anthropic",
    "/converse": "converse",
    ":generateContent": "gemini",
}


def route(path: str) -> str | None:
    """The wire format of a path; None where nobody listens."""
    return next((provider for end, provider in ROUTES.items() if path.endswith(end)), None)


@dataclass(frozen=True)
class Fault:
    """One way to misbehave.

    kind: one of `KINDS`. retry_after: the Retry-After header as it goes over the wire (seconds or
    an HTTP date), for the kinds that are error statuses. seconds: how long `slow` and `drip` take.
    text: what is said in place of the normal answer, where the kind has one.
    """

    kind: str
    retry_after: str | None = None
    seconds: float = 30.0
    text: str | None = None


@dataclass(frozen=True)
class Seen:
    """One request as it arrived. nth: how often this very body has come, this time included."""

    provider: str
    payload: Payload
    headers: dict[str, str]
    body_hash: str
    nth: int
    number: int
    path: str = ""


Faults = Callable[[Seen], Fault | None]

# kind -> (HTTP status, OpenAI error object, Anthropic error object)
ERRORS: dict[str, tuple[int, Payload, Payload]] = {
    "rate_limit": (
        429,
        {"message": "Rate limit reached", "type": "requests", "code": "rate_limit_exceeded"},
        {"type": "rate_limit_error", "message": "This request would exceed your rate limit"},
    ),
    "insufficient_quota": (
        429,
        {
            "message": "You exceeded your current quota, please check your plan",
            "type": "insufficient_quota",
            "code": "insufficient_quota",
        },
        {"type": "invalid_request_error", "message": "Your credit balance is too low"},
    ),
    "server_error": (
        500,
        {"message": "The server had an error", "type": "server_error", "code": None},
        {"type": "api_error", "message": "Internal server error"},
    ),
    "bad_gateway": (
        502,
        {"message": "Bad gateway", "type": "server_error", "code": None},
        {"type": "api_error", "message": "Bad gateway"},
    ),
    "unavailable": (
        503,
        {"message": "Overloaded", "type": "server_error", "code": "overloaded"},
        {"type": "overloaded_error", "message": "Overloaded"},
    ),
    "gateway_timeout": (
        504,
        {"message": "Gateway timeout", "type": "server_error", "code": None},
        {"type": "timeout_error", "message": "Request timed out"},
    ),
    "overloaded": (
        529,
        {"message": "Overloaded", "type": "server_error", "code": "overloaded"},
        {"type": "overloaded_error", "message": "Overloaded"},
    ),
    "request_timeout": (
        408,
        {"message": "Request timeout", "type": "server_error", "code": None},
        {"type": "timeout_error", "message": "Request timeout"},
    ),
    "conflict": (
        409,
        {"message": "Conflict", "type": "server_error", "code": None},
        {"type": "conflict_error", "message": "Conflict"},
    ),
    "context_length": (
        400,
        {
            "message": "This model's maximum context length is 8192 tokens.",
            "type": "invalid_request_error",
            "code": "context_length_exceeded",
        },
        {"type": "invalid_request_error", "message": "prompt is too long: 9000 tokens > 8192"},
    ),
    "prompt_filtered": (
        400,
        {"message": "The prompt was filtered", "type": None, "code": "content_filter"},
        {"type": "invalid_request_error", "message": "Output blocked by content filtering policy"},
    ),
    "invalid_request": (
        400,
        {"message": "Unsupported parameter", "type": "invalid_request_error", "code": None},
        {"type": "invalid_request_error", "message": "Unsupported parameter"},
    ),
    "unprocessable": (
        422,
        {"message": "Unprocessable", "type": "invalid_request_error", "code": None},
        {"type": "invalid_request_error", "message": "Unprocessable"},
    ),
    "too_large": (
        413,
        {"message": "Request too large", "type": "invalid_request_error", "code": None},
        {"type": "request_too_large", "message": "Request exceeds the maximum size"},
    ),
    "bad_key": (
        401,
        {
            "message": "Incorrect API key provided: {key}",
            "type": "invalid_request_error",
            "code": "invalid_api_key",
        },
        {"type": "authentication_error", "message": "invalid x-api-key {key}"},
    ),
    "forbidden": (
        403,
        {"message": "No access to this model", "type": "invalid_request_error", "code": None},
        {"type": "permission_error", "message": "No access to this model"},
    ),
    "no_model": (
        404,
        {
            "message": "The model does not exist",
            "type": "invalid_request_error",
            "code": "model_not_found",
        },
        {"type": "not_found_error", "message": "model: not found"},
    ),
}
# Statuses of a whole answer that is none, or not all of one.
ANSWERS = (
    "length",
    "length_empty",
    "content_filter",
    "refusal",
    "context_window",
    "pause_turn",
    "empty",
    "null_content",
    "parts",
    "thinking_first",
    "no_usage",
    "no_id",
    "other_model",
    "no_choices",
    "error_in_200",
)
# What happens to the connection or to the bytes.
TRANSPORT = (
    *("reset", "hang_up", "slow", "drip", "cut_json", "not_json", "html_error"),
    *("moved", "found", "endless", "bomb", "squeezed", "other_squeeze"),
    *("nested", "nested_error", "no_http", "no_bytes", "empty_object", "cut_body"),
)
# Where `moved` and `found` send whoever asks, unless a fault's text says otherwise.
ELSEWHERE = "https://elsewhere.example/v1/take?token=of-the-other-host"
MOVED = {"moved": 307, "found": 302}  # the prompt goes along, or is left behind
ENDLESS_BYTES = 12 * 2**20
NESTED = {"nested": 200, "nested_error": 400}
# The body, and the headers that say how long it is.
BODIES: dict[str, tuple[bytes, dict[str, str]]] = {
    "no_bytes": (b"", {}),
    "empty_object": (b"{}", {}),
    "cut_body": (b'{"content": [', {"content-length": "4000"}),
}
ABSURD = ("absurd_usage",)  # a prompt of 2 ** 31 tokens
KINDS = (*ERRORS, *ANSWERS, *TRANSPORT, *ABSURD)


def always(*faults: Fault | None) -> Faults:
    """The same body meets the faults in turn, then is answered; None in the list is an answer."""
    return lambda seen: faults[seen.nth - 1] if seen.nth <= len(faults) else None


def by_marker(markers: dict[str, Iterable[Fault | None]]) -> Faults:
    """Faults in turn for requests whose body contains a marker; the rest is answered."""
    scripts = {marker: always(*faults) for marker, faults in markers.items()}

    def choose(seen: Seen) -> Fault | None:
        text = json.dumps(seen.payload, ensure_ascii=False)
        for marker, script in scripts.items():
            if marker in text:
                return script(seen)
        return None

    return choose


def at_random(chances: dict[str, float], *, seed: int = 0, **details: Any) -> Faults:
    """Each request meets each kind with its chance. The draw depends on seed, body and how often
    the body came, not on the order of arrival, so that two runs meet the same faults."""

    def choose(seen: Seen) -> Fault | None:
        draw = random.Random(f"{seed}/{seen.body_hash}/{seen.nth}").random()
        for kind, chance in chances.items():
            if draw < chance:
                return Fault(kind, **details)
            draw -= chance
        return None

    return choose


def user_text(payload: Payload) -> str:
    """The text of the last user message, whether a string or a list of parts."""
    if isinstance(payload.get("input"), str):  # Responses
        return payload["input"]
    if "contents" in payload:  # Gemini
        return "".join(part.get("text", "") for part in payload["contents"][-1]["parts"])
    content = payload["messages"][-1]["content"]
    if isinstance(content, str):
        return content
    return "".join(part.get("text", "") for part in content)


def echo(provider: str, payload: Payload) -> str:
    """An answer that names its question: the first twelve hex digits of the question's sha256."""
    digest = hashlib.sha256(user_text(payload).encode()).hexdigest()[:12]
    return f"{provider} answers {digest}"


def count_tokens(text: str) -> int:
    """Four characters a token, at least one: near enough for usage numbers that must be stable."""
    return max(1, len(text) // 4)


def input_tokens(payload: Payload) -> int:
    said = [message["content"] for message in payload.get("messages", [])] or [user_text(payload)]
    if payload.get("system"):
        said.append(payload["system"])
    return sum(count_tokens(part if isinstance(part, str) else json.dumps(part)) for part in said)


def openai_answer(seen: Seen, text: str, fault: Fault | None) -> Payload:
    kind = fault.kind if fault else None
    finish = {"length": "length", "length_empty": "length", "content_filter": "content_filter"}
    message: Payload = {"role": "assistant", "content": text, "refusal": None}
    if kind == "refusal":
        message.update(content=None, refusal=fault.text or "I can't help with that.")
    elif kind in ("empty", "length_empty"):
        message["content"] = ""
    elif kind == "null_content":
        message["content"] = None
    elif kind == "parts":
        middle = len(text) // 2
        message["content"] = [
            {"type": "text", "text": text[:middle]},
            {"type": "text", "text": text[middle:]},
        ]
    elif kind == "length":
        message["content"] = text[: len(text) // 2]
    prompt, completion = input_tokens(seen.payload), count_tokens(text)
    payload = {
        "id": f"chatcmpl-{seen.number}",
        "object": "chat.completion",
        "created": 1,
        "model": seen.payload.get("model"),
        "choices": [{"index": 0, "message": message, "finish_reason": finish.get(kind, "stop")}],
        "usage": {
            "prompt_tokens": prompt,
            "completion_tokens": completion,
            "total_tokens": prompt + completion,
            "prompt_tokens_details": {"cached_tokens": 0},
        },
        "system_fingerprint": None,
    }
    return _with_quirks(payload, kind, "choices")


def anthropic_answer(seen: Seen, text: str, fault: Fault | None) -> Payload:
    kind = fault.kind if fault else None
    stop = {
        "length": "max_tokens",
        "length_empty": "max_tokens",
        "content_filter": "refusal",
        "refusal": "refusal",
        "context_window": "model_context_window_exceeded",
        "pause_turn": "pause_turn",
    }
    if kind in ("length", "context_window", "pause_turn"):
        text = text[: len(text) // 2]
    content: list[Payload] = [{"type": "text", "text": text}]
    if kind in ("refusal", "null_content", "length_empty"):
        content = []
    elif kind == "empty":
        content = [{"type": "text", "text": ""}]
    elif kind == "thinking_first":
        content.insert(0, {"type": "thinking", "thinking": "hm", "signature": "s"})
        content.insert(1, {"type": "redacted_thinking", "data": "x"})
    elif kind == "parts":
        middle = len(text) // 2
        content = [{"type": "text", "text": text[:middle]}, {"type": "text", "text": text[middle:]}]
    payload = {
        "id": f"msg_{seen.number}",
        "type": "message",
        "role": "assistant",
        "model": seen.payload.get("model", "claude-on-a-platform"),
        "content": content,
        "stop_reason": stop.get(kind, "end_turn"),
        "stop_sequence": None,
        "usage": {
            "input_tokens": input_tokens(seen.payload),
            "cache_creation_input_tokens": 0,
            "cache_read_input_tokens": 0,
            "output_tokens": count_tokens(text),
            "service_tier": "standard",
        },
    }
    if kind == "refusal":
        explanation = fault.text or "Declined."
        payload["stop_details"] = {"type": "refusal", "category": "bio", "explanation": explanation}
    return _with_quirks(payload, kind, "content")


def _with_quirks(payload: Payload, kind: str | None, content_key: str) -> Payload:
    """What servers in the wild leave out or add."""
    if kind == "no_usage":
        del payload["usage"]
    elif kind == "absurd_usage":
        payload["usage"]["prompt_tokens"] = 2**31
    elif kind == "no_id":
        del payload["id"]
    elif kind == "other_model":
        payload["model"] = "some-other-model-2026"
    elif kind == "no_choices":
        payload[content_key] = []
    elif kind == "error_in_200":
        return {"error": {"message": "Upstream failed", "code": 502}}
    return payload


def responses_answer(seen: Seen, text: str, fault: Fault | None) -> Payload:
    kind = fault.kind if fault else None
    cut = {"length": "max_output_tokens", "content_filter": "content_filter"}.get(kind)
    if kind == "length":
        text = text[: len(text) // 2]
    content: list[Payload] = [{"type": "output_text", "text": text, "annotations": []}]
    if kind == "refusal":
        content = [{"type": "refusal", "refusal": fault.text or "I can't help with that."}]
    elif kind == "empty":
        content = []
    message = {"type": "message", "id": "m", "role": "assistant", "content": content}
    payload = {
        "id": f"resp_{seen.number}",
        "object": "response",
        "status": "incomplete" if cut else "completed",
        "error": None,
        "incomplete_details": {"reason": cut} if cut else None,
        "model": seen.payload["model"],
        "output": [{"type": "reasoning", "id": "r", "summary": []}, message],
        "usage": {
            "input_tokens": input_tokens(seen.payload),
            "input_tokens_details": {"cached_tokens": 0},
            "output_tokens": count_tokens(text),
            "output_tokens_details": {"reasoning_tokens": 0},
        },
    }
    if kind == "response_failed":
        payload |= {"status": "failed", "output": [], "usage": None}
        payload["error"] = {"code": "rate_limit_exceeded", "message": "Slow down"}
    return _with_quirks(payload, kind, "output")


def converse_answer(seen: Seen, text: str, fault: Fault | None) -> Payload:
    kind = fault.kind if fault else None
    stop = {
        "length": "max_tokens",
        "content_filter": "content_filtered",
        "guardrail": "guardrail_intervened",
    }
    if kind == "length":
        text = text[: len(text) // 2]
    blocks: list[Payload] = [{"text": text}]
    if kind == "empty":
        blocks = []
    elif kind == "thinking_first":
        blocks.insert(0, {"reasoningContent": {"reasoningText": {"text": "hm"}}})
    payload = {
        "output": {"message": {"role": "assistant", "content": blocks}},
        "stopReason": stop.get(kind, "end_turn"),
        "usage": {
            "inputTokens": input_tokens(seen.payload),
            "outputTokens": count_tokens(text),
            "totalTokens": input_tokens(seen.payload) + count_tokens(text),
        },
        "metrics": {"latencyMs": 5},
    }
    return _with_quirks(payload, kind, "output")


def gemini_answer(seen: Seen, text: str, fault: Fault | None) -> Payload:
    kind = fault.kind if fault else None
    finish = {"length": "MAX_TOKENS", "content_filter": "SAFETY"}
    if kind == "length":
        text = text[: len(text) // 2]
    parts: list[Payload] = [{"text": text}]
    if kind == "empty":
        parts = []
    elif kind == "thinking_first":
        parts.insert(0, {"text": "hm", "thought": True})
    candidate = {
        "content": {"role": "model", "parts": parts},
        "finishReason": finish.get(kind, "STOP"),
        "index": 0,
    }
    payload: Payload = {
        "candidates": [candidate],
        "usageMetadata": {
            "promptTokenCount": input_tokens(seen.payload),
            "candidatesTokenCount": count_tokens(text),
            "thoughtsTokenCount": 7 if kind == "thinking_first" else 0,
        },
        "modelVersion": "gemini-on-loopback",
        "responseId": f"gem_{seen.number}",
    }
    if kind == "prompt_blocked":
        payload["promptFeedback"] = {"blockReason": "PROHIBITED_CONTENT"}
        del payload["candidates"]
    elif kind == "no_usage":
        del payload["usageMetadata"]
        return payload
    return _with_quirks(payload, kind, "candidates")


# 64 MiB of blanks in a few hundred KiB; made once, because it takes a while
BOMB = gzip.compress(b" " * 2**26, 1)


# kind -> content encoding and how the answer is packed, though nobody may have asked for that
PACKED: dict[str, tuple[str, Callable[[bytes], bytes]]] = {
    "bomb": ("gzip", lambda _: BOMB),
    "squeezed": ("gzip", gzip.compress),
    "other_squeeze": ("deflate", zlib.compress),
}
ANSWER_OF = {
    "openai": openai_answer,
    "anthropic": anthropic_answer,
    "responses": responses_answer,
    "converse": converse_answer,
    "gemini": gemini_answer,
}


def error_body(provider: str, kind: str, key: str) -> tuple[int, Payload]:
    status, openai_error, anthropic_error = ERRORS[kind]
    error = dict(anthropic_error if provider == "anthropic" else openai_error)
    if provider == "converse":
        return status, {"message": error["message"].replace("{key}", key)}
    if provider == "gemini":
        error = {"code": status, "message": error["message"], "status": kind.upper()}
    error["message"] = error["message"].replace("{key}", key)
    if provider == "anthropic" and kind == "insufficient_quota":
        status = 400
    whole = {"type": "error", "error": error} if provider == "anthropic" else {"error": error}
    return status, whole


AWS_ERRORS = {
    400: "ValidationException",
    403: "AccessDeniedException",
    404: "ResourceNotFoundException",
    429: "ThrottlingException",
    503: "ServiceUnavailableException",
}


@dataclass
class Batches:
    """The batch APIs of OpenAI and Anthropic. A batch ends when `finish` is called, its results in
    reverse order. fates: custom id -> how its item ends other than in an answer (`expired`,
    `errored`, `canceled`, `twice`). after_submit: what happens to the connection once a batch has
    been made, `abort` for a receipt that never arrives. refusals: what the next calls meet in turn,
    None for one that goes well."""

    server: Loopback
    fates: dict[str, str] = field(default_factory=dict)
    after_submit: str = ""
    refusals: list[Fault | None] = field(default_factory=list)
    files: dict[str, bytes] = field(default_factory=dict)
    made: dict[str, Payload] = field(default_factory=dict)
    items: dict[str, list[Payload]] = field(default_factory=dict)

    @staticmethod
    def serves(path: str) -> bool:
        return any(part in path for part in ("/files", "/batches"))

    def finish(self) -> None:
        for batch_id, batch in self.made.items():
            if batch_id.startswith("msgbatch"):
                batch["processing_status"] = "ended"
                n = batch["request_counts"].pop("processing", 0)
                batch["request_counts"] |= {"processing": 0, "succeeded": n}
            elif batch["status"] == "in_progress":
                lines = [self._openai_line(item) for item in reversed(self.items[batch_id])]
                good = [line for line in lines if line["response"]]
                bad = [line for line in lines if not line["response"]]
                repeated = [g for g in good if self.fates.get(g["custom_id"]) == "twice"]
                for name, part in (("output_file_id", good + repeated), ("error_file_id", bad)):
                    if part:
                        batch[name] = f"file-{batch_id}-{name}"
                        self.files[batch[name]] = "\n".join(map(json.dumps, part)).encode()
                batch["status"] = "expired" if bad else "completed"

    def _answer(self, provider: str, body: Payload) -> Payload:
        seen = Seen(provider, body, {}, "", 1, 1)
        return ANSWER_OF[provider](seen, self.server.answer(provider, body), None)

    def _openai_line(self, item: Payload) -> Payload:
        line = {"id": "x", "custom_id": item["custom_id"], "response": None, "error": None}
        if self.fates.get(item["custom_id"]) == "expired":
            line["error"] = {"code": "batch_expired", "message": "not run within the window"}
        else:
            body = self._answer(ROUTES[item["url"].removeprefix("/v1")], item["body"])
            line["response"] = {"status_code": 200, "request_id": "r", "body": body}
        return line

    def _anthropic_line(self, item: Payload) -> Payload:
        fate = self.fates.get(item["custom_id"])
        result: Payload = {"type": "succeeded"}
        if fate in ("expired", "canceled"):
            result = {"type": fate}
        elif fate == "errored":
            error = {"type": "api_error", "message": "Internal server error"}
            result = {"type": "errored", "error": {"type": "error", "error": error}}
        else:
            result["message"] = self._answer("anthropic", item["params"])
        return {"custom_id": item["custom_id"], "result": result}

    def reply(
        self, method: str, path: str, query: str, headers: dict[str, str], body: bytes
    ) -> tuple[int | None, bytes]:
        """HTTP status and body; None for a connection that is lost."""
        if self.refusals and (fault := self.refusals.pop(0)):
            if fault.kind not in ERRORS:
                return None, b""
            key = headers.get("x-api-key") or headers["authorization"].removeprefix("Bearer ")
            provider = "anthropic" if "/messages/" in path else "openai"
            status, payload = error_body(provider, fault.kind, key)
            return status, json.dumps(payload).encode()
        name = path.rsplit("/", 1)[-1]
        if path.endswith("/files"):
            boundary = headers["content-type"].split("boundary=")[1].strip('"').encode()
            part = next(p for p in body.split(b"--" + boundary) if b"filename=" in p)
            file_id = f"file-{len(self.files)}"
            self.files[file_id] = part.partition(b"\r\n\r\n")[2].rstrip(b"\r\n")
            return self._json({"id": file_id, "object": "file", "purpose": "batch"})
        if path.endswith("/content"):
            return 200, self.files[path.split("/")[-2]]
        if path.endswith("/results"):
            lines = [self._anthropic_line(i) for i in reversed(self.items[path.split("/")[-2]])]
            return 200, "\n".join(map(json.dumps, lines)).encode()
        if method == "GET":
            if name != "batches":
                return self._json(self.made[name])
            ours = "msgbatch" if "/messages/" in path else "batch"
            found = [b for i, b in self.made.items() if i.startswith(ours)]
            return self._json({"data": found[::-1], "has_more": False})
        batch = self._make(json.loads(body), is_anthropic="/messages/" in path)
        if self.after_submit == "abort":
            return None, b""
        return self._json(batch)

    def _make(self, asked: Payload, *, is_anthropic: bool) -> Payload:
        number = len(self.made)
        if is_anthropic:
            batch_id, items = f"msgbatch_{number}", asked["requests"]
            batch: Payload = {
                "id": batch_id,
                "type": "message_batch",
                "processing_status": "in_progress",
                "request_counts": {"processing": len(items)},
                "created_at": datetime.now(UTC).isoformat(),
            }
        else:
            batch_id = f"batch_{number}"
            lines = self.files[asked["input_file_id"]].splitlines()
            items = [json.loads(line) for line in lines]
            is_right = all(self._fits(item, asked["endpoint"]) for item in items)
            batch = {
                "id": batch_id,
                "object": "batch",
                "endpoint": asked["endpoint"],
                "status": "in_progress" if is_right else "failed",
                "created_at": int(time.time()),
                "request_counts": {"total": len(items), "completed": 0, "failed": 0},
                "metadata": asked["metadata"],
            }
        self.items[batch_id], self.made[batch_id] = items, batch
        return batch

    @staticmethod
    def _fits(item: Payload, endpoint: str) -> bool:
        """Whether a line of a batch is one that OpenAI takes for this endpoint."""
        if item["method"] != "POST" or item["url"] != endpoint:
            return False
        needed = {"/v1/chat/completions": "messages", "/v1/responses": "input"}
        return endpoint in needed and needed[endpoint] in item["body"]

    @staticmethod
    def _json(value: Payload) -> tuple[int, bytes]:
        return 200, json.dumps(value).encode()


@dataclass
class Loopback:
    """The server, in a thread of this process, for the length of a `with` block.

    answer: what to say. faults: how to misbehave. latency: seconds before each answer, and before
    each error status too unless `refusal_latency` says otherwise.
    `counts[body_hash]` is how often each body arrived, `answered[body_hash]` how often it was
    answered in full, `seen` every request when `record` is true, `peak` the most at one time.
    """

    answer: Answer = echo
    faults: Faults | None = None
    latency: float = 0.0
    refusal_latency: float | None = None
    record: bool = True
    port: int = 0
    counts: Counter[str] = field(default_factory=Counter)
    answered: Counter[str] = field(default_factory=Counter)
    seen: list[Seen] = field(default_factory=list)
    total: int = 0
    in_flight: int = 0
    peak: int = 0

    @property
    def openai_url(self) -> str:
        return f"http://127.0.0.1:{self.port}/v1"

    @property
    def anthropic_url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def __post_init__(self) -> None:
        self.batches = Batches(self)

    def __enter__(self) -> Loopback:
        ready = threading.Event()
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._run, args=(ready,), daemon=True)
        self._thread.start()
        if not ready.wait(10):
            raise RuntimeError("the loopback server did not start")
        return self

    def __exit__(self, *_: object) -> None:
        self._loop.call_soon_threadsafe(self._stop.set)
        self._thread.join(10)

    def _run(self, ready: threading.Event) -> None:
        asyncio.set_event_loop(self._loop)
        self._loop.run_until_complete(self.serve(ready.set))
        self._loop.close()

    async def serve(self, on_ready: Callable[[], None]) -> None:
        """Listen until told to stop; `on_ready` is called once the port is known."""
        self._stop = asyncio.Event()
        self._connections: set[_Connection] = set()
        loop = asyncio.get_running_loop()
        server = await loop.create_server(
            lambda: _Connection(self), "127.0.0.1", self.port, backlog=1024
        )
        self.port = server.sockets[0].getsockname()[1]
        on_ready()
        await self._stop.wait()
        server.close()
        for connection in list(self._connections):
            connection.transport.abort()
        await asyncio.sleep(0)

    def note(self, provider: str, headers: dict[str, str], body: bytes, path: str = "") -> Seen:
        body_hash = hashlib.sha256(body).hexdigest()
        self.counts[body_hash] += 1
        self.total += 1
        nth = self.counts[body_hash]
        seen = Seen(provider, json.loads(body), headers, body_hash, nth, self.total, path)
        if self.record:
            self.seen.append(seen)
        return seen


class _Connection(asyncio.Protocol):
    """One keep-alive connection: requests in turn, as HTTP/1.1 without pipelining sends them."""

    def __init__(self, server: Loopback) -> None:
        self.server = server
        self.buffer = bytearray()
        self.waiting: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.transport: asyncio.Transport = transport  # type: ignore[assignment]
        sock = transport.get_extra_info("socket")
        sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.server._connections.add(self)

    def connection_lost(self, _: Exception | None) -> None:
        self.server._connections.discard(self)
        if self.waiting:
            self.waiting.cancel()
            self.server.in_flight -= 1
            self.waiting = None

    def data_received(self, data: bytes) -> None:
        self.buffer += data
        end = self.buffer.find(b"\r\n\r\n")
        if end < 0:
            return
        request_line, *lines = self.buffer[:end].decode("latin-1").split("\r\n")
        pairs = (line.split(":", 1) for line in lines)
        headers = {name.strip().lower(): value.strip() for name, value in pairs}
        length = int(headers.get("content-length", 0))
        if len(self.buffer) < end + 4 + length:
            return
        body = bytes(self.buffer[end + 4 : end + 4 + length])
        del self.buffer[: end + 4 + length]
        path = request_line.split(" ")[1].split("?")[0]
        query = request_line.split(" ")[1].partition("?")[2]
        method = request_line.split(" ")[0]
        if self.server.batches.serves(path):
            status, reply = self.server.batches.reply(method, path, query, headers, body)
            if status is None:
                self.transport.abort()
            else:
                self.write(status, reply, {})
            return
        provider = route(path)
        if provider is None:
            self.reply(404, {"error": {"message": f"no route {path}"}})
            return
        self.handle(self.server.note(provider, headers, body, path))

    def handle(self, seen: Seen) -> None:
        server = self.server
        fault = server.faults(seen) if server.faults else None
        server.in_flight += 1
        server.peak = max(server.peak, server.in_flight)
        is_refused = fault is not None and fault.kind in ERRORS
        latency = server.refusal_latency if is_refused else None
        delay = server.latency if latency is None else latency
        delay += fault.seconds if fault and fault.kind == "slow" else 0.0
        loop = asyncio.get_running_loop()
        self.waiting = loop.call_later(delay, self.finish, seen, fault)

    def finish(self, seen: Seen, fault: Fault | None) -> None:
        self.server.in_flight -= 1
        self.waiting = None
        kind = fault.kind if fault else None
        if kind in ERRORS:
            key = seen.headers.get("x-api-key") or seen.headers.get("authorization", "")
            key = key.removeprefix("Bearer ")
            status, payload = error_body(seen.provider, kind, key)
            headers = {} if fault.retry_after is None else {"retry-after": fault.retry_after}
            if seen.provider == "converse":
                headers["x-amzn-errortype"] = AWS_ERRORS.get(status, "InternalServerException")
            self.reply(status, payload, headers)
        elif kind == "reset":
            linger = struct.pack("ii", 1, 0)  # close with RST instead of FIN
            sock = self.transport.get_extra_info("socket")
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)
            self.transport.abort()
        elif kind == "hang_up":
            self.transport.close()
        elif kind in MOVED:
            body = {"error": {"message": f"moved to {fault.text or ELSEWHERE}"}}
            self.reply(MOVED[kind], body, {"location": fault.text or ELSEWHERE})
        elif kind == "endless":
            self.write(200, b'{"x": "' + b"x" * ENDLESS_BYTES, {"content-length": "9000000000"})
        elif kind in NESTED:
            self.write(NESTED[kind], b"[" * 60_000, {})
        elif kind in BODIES:
            self.write(200, *BODIES[kind])
            self.transport.close()
        elif kind == "no_http":
            self.transport.write(b"HTTX/9 200 fine\r\nx: y\r\n\r\n{}")
        elif kind == "html_error":
            self.write(502, b"<html><body>Bad gateway</body></html>", {}, "text/html")
        elif kind == "not_json":
            self.write(200, b"<html>welcome to the hotel network</html>", {}, "text/html")
        else:
            try:
                text = fault.text if fault and fault.text else None
                text = text or self.server.answer(seen.provider, seen.payload)
            except Exception:  # noqa: BLE001 - the caller's own function: say why, do not hang
                traceback.print_exc()
                self.reply(500, {"error": {"message": "the answer function failed"}})
                return
            payload = ANSWER_OF[seen.provider](seen, text, fault)
            if kind in PACKED:
                content_encoding, pack = PACKED[kind]
                body = pack(json.dumps(payload).encode())
                self.write(200, body, {"content-encoding": content_encoding})
            elif kind == "cut_json":
                whole = json.dumps(payload).encode()
                self.write(200, whole[: len(whole) // 2], {})
            elif kind == "drip":
                self.drip(json.dumps(payload).encode(), fault.seconds)
            else:
                self.server.answered[seen.body_hash] += 1
                self.reply(200, payload)

    def reply(self, status: int, payload: Payload, headers: dict[str, str] | None = None) -> None:
        self.write(status, json.dumps(payload).encode(), headers or {})

    def write(
        self,
        status: int,
        body: bytes,
        headers: dict[str, str],
        content_type: str = "application/json",
    ) -> None:
        if self.transport.is_closing():
            return
        headers = {
            "content-type": content_type,
            "content-length": str(len(body)),
            "x-request-id": f"req_{self.server.total}",
            **headers,
        }
        head = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
        self.transport.write(f"HTTP/1.1 {status} Status\r\n{head}\r\n".encode() + body)

    def drip(self, body: bytes, seconds: float) -> None:
        """The whole answer, a byte at a time, so that no single read is ever slow."""
        head = f"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: {len(body)}"
        self.transport.write(f"{head}\r\n\r\n".encode())
        pause, loop = seconds / len(body), asyncio.get_running_loop()

        def one(position: int) -> None:
            if self.transport.is_closing() or position >= len(body):
                return
            self.transport.write(body[position : position + 1])
            loop.call_later(pause, one, position + 1)

        one(0)


def _load(path: str) -> Any:
    """`package.module:name` -> that object."""
    module, _, name = path.partition(":")
    return getattr(importlib.import_module(module), name)


def _main() -> None:
    parser = argparse.ArgumentParser(description="A loopback provider that can misbehave.")
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--latency", type=float, default=0.0, help="seconds before each answer")
    parser.add_argument("--answer", default=None, help="module:function(provider, payload) -> text")
    parser.add_argument("--chance", action="append", default=[], metavar="KIND=P", help=str(KINDS))
    parser.add_argument("--retry-after", default=None)
    parser.add_argument("--seconds", type=float, default=30.0, help="how slow `slow` is")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument(
        "--counts", type=Path, help="write counts by body here twice a second: seen, answered"
    )
    options = parser.parse_args()
    pairs = (item.split("=") for item in options.chance)
    chances = {kind: float(chance) for kind, chance in pairs}
    details = {"retry_after": options.retry_after, "seconds": options.seconds}
    server = Loopback(
        answer=_load(options.answer) if options.answer else echo,
        faults=at_random(chances, seed=options.seed, **details) if chances else None,
        latency=options.latency,
        record=False,
        port=options.port,
    )

    def announce() -> None:
        urls = {"openai_url": server.openai_url, "anthropic_url": server.anthropic_url}
        print(json.dumps({"port": server.port, **urls}), flush=True)

    async def write_counts() -> None:
        while True:
            await asyncio.sleep(0.5)
            counts = {"seen": server.counts, "answered": server.answered}
            options.counts.write_text(json.dumps(counts))

    async def run() -> None:
        if options.counts:
            counting = asyncio.create_task(write_counts())
            await server.serve(announce)
            counting.cancel()
        else:
            await server.serve(announce)

    try:
        asyncio.run(run())
    except KeyboardInterrupt:
        return


if __name__ == "__main__":
    _main()
