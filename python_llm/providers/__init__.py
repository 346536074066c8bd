"""One file per SDK: how to ask, and how to read what comes back.

An SDK is imported when a model that needs it is first asked, not before: a run that sends nothing
should not wait for it.
"""

from __future__ import annotations

from collections.abc import Callable

from python_llm.providers.base import Endpoint, Provider
from python_llm.providers.outcome import FINAL, Outcome, Question, Status


def _openai(endpoint: Endpoint) -> Provider:
    from python_llm.providers.openai import OpenAI

    return OpenAI(endpoint)


def _openai_compatible(endpoint: Endpoint) -> Provider:
    from python_llm.providers.openai import OpenAICompatible

    return OpenAICompatible(endpoint)


def _anthropic(endpoint: Endpoint) -> Provider:
    from python_llm.providers.anthropic import Anthropic

    return Anthropic(endpoint)


PROVIDERS: dict[str, Callable[[Endpoint], Provider]] = {
    "openai": _openai,
    "anthropic": _anthropic,
    "openai_compatible": _openai_compatible,
}

__all__ = ["FINAL", "PROVIDERS", "Endpoint", "Outcome", "Provider", "Question", "Status"]
