"""OpenAI's Chat Completions API, and every server that speaks it (vLLM, llama.cpp, Ollama)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import httpx2
import openai

from python_llm.providers.base import NO_KEY, Endpoint, Provider, count, text_or_none, usage_of
from python_llm.providers.outcome import Outcome, Question, Status


class OpenAI(Provider):
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
        status, kind, said = _judge(finish_reason, text, refusal)
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
            error_message=said,
        )


class OpenAICompatible(OpenAI):
    """A server somebody else runs: nothing of the user's OpenAI account may reach it."""

    def connect(self, endpoint: Endpoint, http_client: httpx2.AsyncClient) -> openai.AsyncOpenAI:
        client = super().connect(endpoint, http_client)
        client.organization = client.project = None  # taken from the environment by the SDK
        return client


def _judge(
    finish_reason: str | None, text: str | None, refusal: str | None
) -> tuple[Status, str | None, str | None]:
    """Status, error kind and message that finish_reason and content tell together."""
    if finish_reason == "content_filter":
        return Status.CONTENT_FILTERED, "answer_filtered", "the provider's filter cut the answer"
    if refusal:
        return Status.REFUSED, "refusal", "the model refused"
    if finish_reason == "length":
        return Status.TRUNCATED, "max_tokens", "the answer reached the maximum number of tokens"
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
    said = (part.get("refusal") for part in parts if isinstance(part, dict))
    return "".join(text for text in said if isinstance(text, str)) or None
