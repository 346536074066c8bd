"""What a provider is to the engine: an endpoint, one question and one outcome at a time.

No SDK and no HTTP client is imported here: what only reads the registry has no use for them.
"""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from dataclasses import dataclass

from python_llm.providers.outcome import Outcome, Question

# Where a provider's place and project stand in the environment; the first that is set counts.
AWS_REGION = ("AWS_REGION", "AWS_DEFAULT_REGION")
VERTEX_REGION = ("GOOGLE_CLOUD_LOCATION", "CLOUD_ML_REGION")
VERTEX_PROJECT = ("GOOGLE_CLOUD_PROJECT",)
ANTHROPIC_VERTEX_REGION = ("CLOUD_ML_REGION", "GOOGLE_CLOUD_LOCATION")
ANTHROPIC_VERTEX_PROJECT = ("ANTHROPIC_VERTEX_PROJECT_ID", "GOOGLE_CLOUD_PROJECT")


@dataclass(frozen=True, slots=True)
class Endpoint:
    """Where to ask. api_key: None if the server needs none; base_url: None for the SDK's own;
    hosts: those the model may be asked at besides the provider's own; patient_hosts: those at which
    two people approved it for patients' data."""

    api_key: str | None
    base_url: str | None
    max_connections: int
    hosts: tuple[str, ...] = ()
    patient_hosts: tuple[str, ...] = ()


class NotReady(ValueError):
    """A provider that cannot be asked yet: one sentence that says what is to be done."""


def setting(names: tuple[str, ...], description: str) -> str:
    """The first of these environment variables that is set. Errors: NotReady naming them."""
    for name in names:
        if value := os.environ.get(name, "").strip():
            return value
    raise NotReady(f"{description} is not known: set the environment variable {names[0]}.")


class Provider(ABC):
    """One model at one address, shared by all its requests. Errors on construction: NotReady."""

    @property
    @abstractmethod
    def address(self) -> str:
        """Where every request goes, whoever decided it: the registry, the environment, the SDK."""

    @abstractmethod
    async def ask(self, question: Question) -> Outcome:
        """One attempt. Every misbehaviour of provider and network is an outcome; only cancellation
        is raised."""

    @abstractmethod
    async def close(self) -> None: ...
