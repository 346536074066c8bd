"""Google's Gemini, through google-genai: the Gemini API with a key, or Vertex AI with Google's
application default credentials."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import google.genai as genai
import httpx2
from google.auth.exceptions import GoogleAuthError
from google.genai import types
from google.genai.errors import APIError

from python_llm.providers.base import (
    CONNECT_SECONDS,
    NO_OBJECT,
    connection_error,
    count,
    error_outcome,
    malformed,
    payload_of,
    quiet,
    text_or_none,
    tls,
    too_slow,
    unexpected,
)
from python_llm.providers.contract import (
    VERTEX_PROJECT,
    VERTEX_REGION,
    Endpoint,
    NotReady,
    Provider,
    setting,
)
from python_llm.providers.hosts import site_of
from python_llm.providers.http import client_options, guarded
from python_llm.providers.outcome import Outcome, Question, Status

FILTERED = frozenset(
    {"SAFETY", "RECITATION", "BLOCKLIST", "PROHIBITED_CONTENT", "SPII", "LANGUAGE", "OTHER"}
)


class Gemini(Provider):
    """The Gemini API."""

    def __init__(self, endpoint: Endpoint) -> None:
        quiet()
        self._http = guarded(httpx2.AsyncClient)(
            verify=tls(), **client_options(endpoint.base_url, endpoint.max_connections)
        )
        # Given a client of its own, the SDK neither makes one nor repeats a request by itself.
        base_url, version = _address(endpoint.base_url)
        options = types.HttpOptions(
            base_url=base_url,
            api_version=version,
            httpx_async_client=self._http,
            retry_options=types.HttpRetryOptions(attempts=1),
        )
        self._client = self.connect(endpoint, options)
        self._http.site = site_of(self.address)

    @property
    def address(self) -> str:
        # The SDK has an address of its own, one from the environment, or one for each region.
        return str(self._client._api_client._http_options.base_url)

    def connect(self, endpoint: Endpoint, options: types.HttpOptions) -> genai.Client:
        return genai.Client(api_key=endpoint.api_key, vertexai=False, http_options=options)

    async def close(self) -> None:
        await self._http.aclose()

    async def ask(self, question: Question) -> Outcome:
        seconds = question.timeout_seconds
        try:
            async with asyncio.timeout(seconds):
                response = await self._client.aio.models.generate_content(
                    model=question.api_model,
                    contents=question.user_text,
                    config=types.GenerateContentConfig(
                        should_return_http_response=True,
                        http_options=types.HttpOptions(
                            timeout=int(seconds * 1000) + 1000, extra_body=self.body(question)
                        ),
                    ),
                )
            return self._read_response(response.sdk_http_response)
        except TimeoutError:
            return too_slow(seconds)
        except APIError as error:
            return _error(error)
        except httpx2.HTTPError as error:
            return connection_error(error, min(CONNECT_SECONDS, seconds))
        except Exception as error:  # noqa: BLE001 - whatever a server provokes is an outcome
            return unexpected(error)

    @staticmethod
    def body(question: Question) -> dict[str, Any]:
        """What joins the user's text in the JSON body. Pure."""
        wanted = dict(question.parameters)
        body: dict[str, Any] = {}
        if question.response_schema is not None:
            wanted["responseMimeType"] = "application/json"
            wanted["responseJsonSchema"] = question.response_schema
        if wanted:
            body["generationConfig"] = wanted
        if question.system_text is not None:
            body["systemInstruction"] = {"parts": [{"text": question.system_text}]}
        return body

    def _read_response(self, response: types.HttpResponse | None) -> Outcome:
        raw = (response.body if response else None) or ""
        payload = payload_of(raw)
        if not isinstance(payload, dict):
            outcome = malformed(NO_OBJECT)
        elif isinstance(payload.get("error"), dict):  # some gateways report it with status 200
            code = payload["error"].get("code")
            outcome = error_outcome(code if isinstance(code, int) else 500, raw, {})
        else:
            outcome = self.read(payload)
        return replace(outcome, raw_response=raw, http_status=200)

    @staticmethod
    def read(payload: Mapping[str, Any]) -> Outcome:
        """The outcome that a JSON body of HTTP status 200 tells. Pure; may assume nothing."""
        candidates = payload.get("candidates")
        first = candidates[0] if isinstance(candidates, list) and candidates else {}
        first = first if isinstance(first, dict) else {}
        content = first.get("content")
        parts = content.get("parts") if isinstance(content, dict) else None
        texts = [
            part.get("text")
            for part in (parts if isinstance(parts, list) else [])
            if isinstance(part, dict) and not part.get("thought")
        ]
        text = "".join(part for part in texts if isinstance(part, str)) or None
        feedback = payload.get("promptFeedback")
        blocked = text_or_none(feedback.get("blockReason")) if isinstance(feedback, dict) else None
        finish_reason = text_or_none(first.get("finishReason")) or blocked
        usage = payload.get("usageMetadata")
        usage = usage if isinstance(usage, dict) else {}
        status, kind, message = _judge(finish_reason, blocked, text)
        answer, thoughts = count(usage, "candidatesTokenCount"), count(usage, "thoughtsTokenCount")
        prompt = count(usage, "promptTokenCount")
        # A prompt that was blocked, or a budget used up by thoughts, has no count of candidates.
        answered = None if prompt is None else (answer or 0) + (thoughts or 0)
        return Outcome(
            status,
            answer_text=text,
            finish_reason=finish_reason,
            returned_model=text_or_none(payload.get("modelVersion")),
            response_id=text_or_none(payload.get("responseId")),
            input_tokens=prompt,
            cached_input_tokens=count(usage, "cachedContentTokenCount"),
            output_tokens=answered,
            usage_json=json.dumps(usage, ensure_ascii=False) if usage else None,
            error_kind=kind,
            error_message=message,
        )


class GeminiVertex(Gemini):
    """Gemini on Vertex AI."""

    def connect(self, endpoint: Endpoint, options: types.HttpOptions) -> genai.Client:
        project = setting(VERTEX_PROJECT, "The Google project")
        location = setting(VERTEX_REGION, "The Vertex AI region")
        try:
            return genai.Client(
                vertexai=True, project=project, location=location, http_options=options
            )
        except GoogleAuthError as error:
            raise NotReady(
                "No Google credentials were found: run `gcloud auth application-default login`, or "
                "set GOOGLE_APPLICATION_CREDENTIALS."
            ) from error


def _judge(
    finish_reason: str | None, blocked: str | None, text: str | None
) -> tuple[Status, str | None, str | None]:
    if blocked:
        return Status.CONTENT_FILTERED, "prompt_filtered", f"the prompt was blocked: {blocked}"
    if finish_reason in FILTERED:
        return Status.CONTENT_FILTERED, "answer_filtered", f"the answer was cut: {finish_reason}"
    if finish_reason == "MAX_TOKENS":
        message = "the answer reached the maximum number of tokens"
        return Status.TRUNCATED, "max_tokens", message
    if not (text and text.strip()):
        return Status.PROVIDER_ERROR, "empty_answer", "the answer has no text"
    return Status.OK, None, None


def _address(base_url: str | None) -> tuple[str | None, str | None]:
    """The address without the version of the API that it may end in, and that version; None for
    the SDK's own."""
    address = re.fullmatch(r"(.+?)/(v\d\w*)/?", base_url or "")
    return (address[1], address[2]) if address else (base_url, None)


def _error(error: APIError) -> Outcome:
    raw = getattr(error.response, "text", None) or json.dumps(error.details, default=str)
    headers = dict(getattr(error.response, "headers", None) or {})
    outcome = error_outcome(error.code or 500, raw, headers)
    if error.code == 429:
        # "You exceeded your current quota" is what Gemini says of a minute's limit too; only the
        # limits of a day are as good as an exhausted account for this run.
        per_day = "PerDay" in raw
        outcome = replace(
            outcome,
            status=Status.QUOTA_EXHAUSTED if per_day else Status.RATE_LIMITED,
            error_kind="insufficient_quota" if per_day else "rate_limited",
            retry_after_seconds=outcome.retry_after_seconds or _retry_delay(raw),
        )
    return outcome


def _retry_delay(raw: str) -> float | None:
    """Seconds of google.rpc.RetryInfo, which stands in for Retry-After."""
    delay = re.search(r'"retryDelay":\s*"(\d+(?:\.\d+)?)s"', raw)
    return float(delay[1]) if delay else None
