"""Anthropic's Messages API: at Anthropic, on Amazon Bedrock and on Google Vertex AI."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any

import anthropic
import httpx2

from python_llm.providers.base import (
    NO_KEY,
    SdkProvider,
    count,
    error_outcome,
    text_or_none,
    usage_of,
)
from python_llm.providers.batch import (
    BatchProvider,
    BatchState,
    as_received,
    json_lines,
    unanswered,
)
from python_llm.providers.contract import (
    ANTHROPIC_VERTEX_PROJECT,
    ANTHROPIC_VERTEX_REGION,
    AWS_REGION,
    Endpoint,
    setting,
)
from python_llm.providers.outcome import Outcome, Question, Status

# How far the provider's clock may be behind.
SKEW = timedelta(minutes=5)

STOPPED = {
    "max_tokens": (
        Status.TRUNCATED,
        "max_tokens",
        "the answer reached the maximum number of tokens",
    ),
    "refusal": (Status.REFUSED, "refusal", "the model refused"),
    "model_context_window_exceeded": (
        Status.CONTEXT_EXCEEDED,
        "context_length",
        "prompt and answer filled the model's context window",
    ),
    # A long turn paused half way; without server tools, which are never asked for, it has no rest.
    "pause_turn": (Status.TRUNCATED, "pause_turn", "the provider paused the turn"),
}


class Anthropic(SdkProvider, BatchProvider):
    """Anthropic itself."""

    sdk = anthropic
    path = "/v1/messages"

    def connect(self, endpoint: Endpoint, http_client: httpx2.AsyncClient) -> Any:
        return anthropic.AsyncAnthropic(
            api_key=endpoint.api_key or NO_KEY,
            base_url=endpoint.base_url,
            max_retries=0,
            open_telemetry=False,  # a span may carry the prompt
            http_client=http_client,
        )

    @staticmethod
    def body(question: Question) -> dict[str, Any]:
        body: dict[str, Any] = {
            "model": question.api_model,
            "messages": [{"role": "user", "content": question.user_text}],
            **question.parameters,
        }
        if question.system_text is not None:
            body["system"] = question.system_text
        if question.response_schema is not None:
            wanted = {"type": "json_schema", "schema": question.response_schema}
            body["output_config"] = {**body.get("output_config", {}), "format": wanted}
        return body

    @staticmethod
    def read(payload: Mapping[str, Any]) -> Outcome:
        text = _text(payload.get("content"))
        stop_reason = text_or_none(payload.get("stop_reason"))
        status, kind, message = Status.OK, None, None
        if stop_reason in STOPPED:
            status, kind, message = STOPPED[stop_reason]
        elif not (text and text.strip()):
            status, kind, message = Status.PROVIDER_ERROR, "empty_answer", "the answer has no text"
        usage, usage_json = usage_of(payload)
        fresh = count(usage, "input_tokens")
        written = count(usage, "cache_creation_input_tokens")
        cached = count(usage, "cache_read_input_tokens")
        return Outcome(
            status,
            answer_text=text,
            finish_reason=stop_reason,
            returned_model=text_or_none(payload.get("model")),
            response_id=text_or_none(payload.get("id")),
            input_tokens=None if fresh is None else fresh + (written or 0) + (cached or 0),
            cached_input_tokens=cached,
            cache_write_tokens=written,
            output_tokens=count(usage, "output_tokens"),
            usage_json=usage_json,
            error_kind=kind,
            error_message=_explained(message, payload.get("stop_details")),
        )

    async def submit(self, items: Sequence[tuple[str, Question]], intent_id: str) -> str:
        requests = [
            {"custom_id": custom_id, "params": self.body(question)} for custom_id, question in items
        ]
        response = await self.call(
            "post", "/v1/messages/batches", {"requests": requests}, creates=True
        )
        return response.json()["id"]

    async def find(
        self, intent_id: str, custom_ids: set[str], since: datetime, known: set[str]
    ) -> list[str]:
        """There is no place for a name of ours in a batch: it is known by when it was made, how
        many requests it has, and, once it has ended, by theirs."""
        batch_ids, after = [], ""
        while True:
            page = (await self.call("get", f"/v1/messages/batches?limit=100{after}")).json()
            for batch in page["data"]:
                counts = batch.get("request_counts") or {}
                is_new = datetime.fromisoformat(batch["created_at"]) > since - SKEW
                if (
                    is_new
                    and batch["id"] not in known
                    and sum(counts.values()) == len(custom_ids)
                    and await self._may_be(batch, custom_ids)
                ):
                    batch_ids.append(batch["id"])
            if not page.get("has_more") or not page["data"]:
                return batch_ids
            after = f"&after_id={page['data'][-1]['id']}"

    async def _may_be(self, batch: Mapping[str, Any], custom_ids: set[str]) -> bool:
        if batch.get("processing_status") != "ended":
            return True
        return any(custom_id in custom_ids for custom_id, _ in await self.results(batch["id"]))

    async def state(self, batch_id: str) -> BatchState:
        batch = (await self.call("get", f"/v1/messages/batches/{batch_id}")).json()
        counts = batch.get("request_counts") or {}
        return BatchState(
            batch["processing_status"] == "ended",
            batch["processing_status"],
            sum(counts.values()) - (counts.get("processing") or 0),
            sum(counts.values()),
        )

    async def results(self, batch_id: str) -> list[tuple[str, Outcome]]:
        response = await self.call("get", f"/v1/messages/batches/{batch_id}/results")
        return [
            (str(line.get("custom_id")), self._result(line)) for line in json_lines(response.text)
        ]

    def _result(self, line: Mapping[str, Any]) -> Outcome:
        result = line.get("result")
        result = result if isinstance(result, dict) else {}
        kind = result.get("type")
        if kind == "succeeded" and isinstance(result.get("message"), dict):
            return as_received(self.read(result["message"]), result["message"], 200)
        if kind == "errored":
            error = result.get("error")
            inner = error.get("error", error) if isinstance(error, dict) else {}
            is_ours = isinstance(inner, dict) and inner.get("type") == "invalid_request_error"
            return error_outcome(400 if is_ours else 500, json.dumps(error), {})
        return unanswered(f"batch_{kind or 'error'}", f"the batch ended without it: {kind}")


class AnthropicBedrock(Anthropic):
    """On Amazon Bedrock. Credentials as AWS tools find them; a key is a Bedrock API key."""

    keeps_envelope = False

    def connect(
        self, endpoint: Endpoint, http_client: httpx2.AsyncClient
    ) -> anthropic.AsyncAnthropicBedrock:
        return anthropic.AsyncAnthropicBedrock(
            api_key=endpoint.api_key,
            aws_region=setting(AWS_REGION, "The AWS region"),
            base_url=endpoint.base_url,
            max_retries=0,
            open_telemetry=False,
            http_client=http_client,
        )


class AnthropicVertex(Anthropic):
    """On Vertex AI. Credentials are Google's application default ones; a key is an access token."""

    keeps_envelope = False

    def connect(
        self, endpoint: Endpoint, http_client: httpx2.AsyncClient
    ) -> anthropic.AsyncAnthropicVertex:
        return anthropic.AsyncAnthropicVertex(
            region=setting(ANTHROPIC_VERTEX_REGION, "The Vertex AI region"),
            project_id=setting(ANTHROPIC_VERTEX_PROJECT, "The Google project"),
            access_token=endpoint.api_key,
            base_url=endpoint.base_url,
            max_retries=0,
            open_telemetry=False,
            http_client=http_client,
        )


def _text(content: Any) -> str | None:
    """The text blocks in order. Thinking blocks, which come first, are not text."""
    if not isinstance(content, list):
        return text_or_none(content)
    blocks = [block for block in content if isinstance(block, dict) and block.get("type") == "text"]
    texts = [block["text"] for block in blocks if isinstance(block.get("text"), str)]
    return "".join(texts) if texts else None


def _explained(message: str | None, details: Any) -> str | None:
    """The message with the category and explanation of a refusal, where the provider gives them."""
    if message is None or not isinstance(details, dict):
        return message
    reasons = [details.get("category"), details.get("explanation")]
    return ": ".join([message, *(reason for reason in reasons if isinstance(reason, str))])
