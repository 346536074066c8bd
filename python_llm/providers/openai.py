"""OpenAI's Chat Completions and Responses APIs, and everybody who speaks the first of them: Azure,
Mistral, Groq, and servers of one's own (vLLM, llama.cpp, Ollama)."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, ClassVar

import httpx2
import openai

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
    Endpoint,
)
from python_llm.providers.outcome import Outcome, Question, Status

# The oldest version that has everything used here and is not a preview.
AZURE_API_VERSION = "2024-10-21"

Judged = tuple[Status, str | None, str | None]  # status, error kind and message


class OpenAI(SdkProvider, BatchProvider):
    """OpenAI itself."""

    sdk = openai
    path = "/chat/completions"

    def connect(self, endpoint: Endpoint, http_client: httpx2.AsyncClient) -> openai.AsyncOpenAI:
        return openai.AsyncOpenAI(
            api_key=endpoint.api_key or NO_KEY,
            base_url=endpoint.base_url,
            max_retries=0,
            http_client=http_client,
        )

    def extra_options(self) -> dict[str, Any]:
        # The project's key and no other: an admin key in the environment is not for this.
        return {"security": {"bearer_auth": True}}

    @staticmethod
    def body(question: Question) -> dict[str, Any]:
        messages = [{"role": "user", "content": question.user_text}]
        if question.system_text is not None:
            messages.insert(0, {"role": "system", "content": question.system_text})
        body = {"model": question.api_model, "messages": messages, **question.parameters}
        if question.response_schema is not None:
            body["response_format"] = {
                "type": "json_schema",
                "json_schema": {
                    "name": "answer",
                    "strict": True,
                    "schema": question.response_schema,
                },
            }
        return body

    @staticmethod
    def read(payload: Mapping[str, Any]) -> Outcome:
        choices = payload.get("choices")
        choice = choices[0] if isinstance(choices, list) and choices else {}
        choice = choice if isinstance(choice, dict) else {}
        message = choice.get("message")
        message = message if isinstance(message, dict) else {}
        text, refusal = _text(message.get("content")), _refusal(message)
        finish_reason = text_or_none(choice.get("finish_reason"))
        status, kind, note = _judge(finish_reason, text, refusal)
        usage, usage_json = usage_of(payload)
        return Outcome(
            status,
            answer_text=text or refusal or text,
            finish_reason=finish_reason,
            returned_model=text_or_none(payload.get("model")),
            response_id=text_or_none(payload.get("id")),
            input_tokens=count(usage, "prompt_tokens"),
            cached_input_tokens=count(usage, "prompt_tokens_details", "cached_tokens"),
            cache_write_tokens=count(usage, "prompt_tokens_details", "cache_write_tokens"),
            output_tokens=count(usage, "completion_tokens"),
            usage_json=usage_json,
            error_kind=kind,
            error_message=note,
        )

    async def submit(self, items: Sequence[tuple[str, Question]], intent_id: str) -> str:
        endpoint = f"/v1{self.path}"
        lines = (
            json.dumps(
                {
                    "custom_id": custom_id,
                    "method": "POST",
                    "url": endpoint,
                    "body": self.body(question),
                },
                ensure_ascii=False,
            )
            for custom_id, question in items
        )
        content = "\n".join(lines).encode()
        name = f"kernel29-{intent_id}.jsonl"
        file = await self.tried(
            lambda: self._client.files.create(file=(name, content), purpose="batch")
        )
        response = await self.call(
            "post",
            "/batches",
            {
                "input_file_id": file.id,
                "endpoint": endpoint,
                "completion_window": "24h",
                "metadata": {"kernel29_intent": intent_id},
            },
            creates=True,
        )
        return response.json()["id"]

    async def find(
        self, intent_id: str, custom_ids: set[str], since: datetime, known: set[str]
    ) -> list[str]:
        after = ""
        while True:
            page = (await self.call("get", f"/batches?limit=100{after}")).json()
            for batch in page["data"]:
                if (batch.get("metadata") or {}).get("kernel29_intent") == intent_id:
                    return [batch["id"]]
            older = [b for b in page["data"] if b.get("created_at", 0) < since.timestamp() - 3600]
            if older or not page.get("has_more") or not page["data"]:
                return []
            after = f"&after={page['data'][-1]['id']}"

    async def state(self, batch_id: str) -> BatchState:
        batch = (await self.call("get", f"/batches/{batch_id}")).json()
        counts = batch.get("request_counts") or {}
        return BatchState(
            batch["status"] in ("completed", "failed", "expired", "cancelled"),
            batch["status"],
            (counts.get("completed") or 0) + (counts.get("failed") or 0),
            counts.get("total") or 0,
        )

    async def results(self, batch_id: str) -> list[tuple[str, Outcome]]:
        batch = (await self.call("get", f"/batches/{batch_id}")).json()
        outcomes = []
        # Answers and failures come in two files, either of which may be absent.
        for name in ("error_file_id", "output_file_id"):
            if not batch.get(name):
                continue
            content = await self.call("get", f"/files/{batch[name]}/content")
            for line in json_lines(content.text):
                outcomes.append((str(line.get("custom_id")), self._result(line)))
        return outcomes

    def _result(self, line: Mapping[str, Any]) -> Outcome:
        response = line.get("response")
        if not isinstance(response, dict):
            error = line.get("error")
            error = error if isinstance(error, dict) else {}
            kind = str(error.get("code") or "batch_error")
            return unanswered(kind, str(error.get("message") or "the batch has no response for it"))
        body, status = response.get("body"), response.get("status_code")
        if status != 200 or not isinstance(body, dict):
            return error_outcome(status or 500, json.dumps(body), {})
        return as_received(self.read(body), body, status)


class OpenAIResponses(OpenAI):
    """OpenAI's Responses API. Nothing is stored at the provider."""

    path = "/responses"

    @staticmethod
    def body(question: Question) -> dict[str, Any]:
        parameters = dict(question.parameters)
        effort = parameters.pop("reasoning_effort", None)
        body: dict[str, Any] = {
            "model": question.api_model,
            "input": question.user_text,
            "store": False,
            **parameters,
        }
        if effort is not None:
            body["reasoning"] = {**body.get("reasoning", {}), "effort": effort}
        if question.system_text is not None:
            body["instructions"] = question.system_text
        if question.response_schema is not None:
            body["text"] = {
                "format": {
                    "type": "json_schema",
                    "name": "answer",
                    "strict": True,
                    "schema": question.response_schema,
                }
            }
        return body

    @staticmethod
    def read(payload: Mapping[str, Any]) -> Outcome:
        text, refusal = _output(payload.get("output"))
        details = payload.get("incomplete_details")
        reason = text_or_none(details.get("reason")) if isinstance(details, dict) else None
        state = text_or_none(payload.get("status"))
        finish_reason = {"max_output_tokens": "length"}.get(reason or "", reason) or state
        judged = _FAILED if state == "failed" else _judge(finish_reason, text, refusal)
        status, kind, message = judged
        usage, usage_json = usage_of(payload)
        return Outcome(
            status,
            answer_text=text or refusal or text,
            finish_reason=finish_reason,
            returned_model=text_or_none(payload.get("model")),
            response_id=text_or_none(payload.get("id")),
            input_tokens=count(usage, "input_tokens"),
            cached_input_tokens=count(usage, "input_tokens_details", "cached_tokens"),
            output_tokens=count(usage, "output_tokens"),
            usage_json=usage_json,
            error_kind=kind,
            error_message=message,
        )


class OpenAICompatible(OpenAI):
    """A server somebody else runs: nothing of the user's OpenAI account may reach it."""

    base_url: ClassVar[str | None] = None

    def connect(self, endpoint: Endpoint, http_client: httpx2.AsyncClient) -> openai.AsyncOpenAI:
        client = openai.AsyncOpenAI(
            api_key=endpoint.api_key or NO_KEY,
            base_url=endpoint.base_url or self.base_url,
            max_retries=0,
            http_client=http_client,
        )
        client.organization = client.project = None  # taken from the environment by the SDK
        return client


class AzureML(OpenAICompatible):
    """A serverless or managed deployment on Azure ML: one address and one key for each model."""


class Mistral(OpenAICompatible):
    """Mistral's own address. Its wire format is that of Chat Completions."""

    base_url = "https://api.mistral.ai/v1"


class Groq(OpenAICompatible):
    """Groq's own address."""

    base_url = "https://api.groq.com/openai/v1"


class AzureOpenAI(OpenAI):
    """An Azure OpenAI resource: its endpoint is the address, the model is a deployment's name."""

    def connect(
        self, endpoint: Endpoint, http_client: httpx2.AsyncClient
    ) -> openai.AsyncAzureOpenAI:
        client = openai.AsyncAzureOpenAI(
            api_key=endpoint.api_key,
            azure_endpoint=endpoint.base_url or "",
            api_version=os.environ.get("OPENAI_API_VERSION") or AZURE_API_VERSION,
            max_retries=0,
            http_client=http_client,
        )
        client.organization = client.project = None
        return client

    def extra_options(self) -> dict[str, Any]:
        return {}


# The error that should explain it is empty.
_FAILED: Judged = (Status.PROVIDER_ERROR, "server_error", "the response failed")


def _judge(finish_reason: str | None, text: str | None, refusal: str | None) -> Judged:
    """What finish_reason and content tell together."""
    if finish_reason == "content_filter":
        return Status.CONTENT_FILTERED, "answer_filtered", "the provider's filter cut the answer"
    if refusal:
        return Status.REFUSED, "refusal", "the model refused"
    # model_length: Mistral's word for the end of the context window
    if finish_reason in ("length", "model_length"):
        return Status.TRUNCATED, "max_tokens", "the answer reached the maximum number of tokens"
    if finish_reason == "error":  # Mistral: the model broke off
        return Status.PROVIDER_ERROR, "server_error", "the model failed while it answered"
    if not (text and text.strip()):
        return Status.PROVIDER_ERROR, "empty_answer", "the answer has no text"
    return Status.OK, None, None


def _text(content: Any) -> str | None:
    """Message content as one string: it is a string, null, or a list of typed parts."""
    if isinstance(content, str):
        return content
    if isinstance(content, list):
        texts = (part.get("text") for part in content if isinstance(part, dict))
        return "".join(text for text in texts if isinstance(text, str))
    return None


def _refusal(message: Mapping[str, Any]) -> str | None:
    if text_or_none(message.get("refusal")):
        return message["refusal"]
    content = message.get("content")
    parts = content if isinstance(content, list) else []
    refusals = (part.get("refusal") for part in parts if isinstance(part, dict))
    return "".join(text for text in refusals if isinstance(text, str)) or None


def _output(items: Any) -> tuple[str | None, str | None]:
    """Text and refusal of a Responses output: a list of reasoning and messages of typed parts."""
    messages = [item for item in items if isinstance(item, dict)] if isinstance(items, list) else []
    parts = [
        part
        for message in messages
        if isinstance(message.get("content"), list) and message.get("type") == "message"
        for part in message["content"]
        if isinstance(part, dict)
    ]
    texts = [part["text"] for part in parts if isinstance(part.get("text"), str)]
    refusals = [part["refusal"] for part in parts if isinstance(part.get("refusal"), str)]
    return "".join(texts) if texts else None, "".join(refusals) or None
