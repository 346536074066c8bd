"""One file per SDK: how to ask, and how to read what comes back.

An SDK is imported when a model that needs it is first asked, not before: a run that sends nothing
should not wait for it, and one that not everybody needs may be absent.
"""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from typing import Any

from python_llm.providers.contract import (
    ANTHROPIC_VERTEX_PROJECT,
    ANTHROPIC_VERTEX_REGION,
    AWS_REGION,
    VERTEX_PROJECT,
    VERTEX_REGION,
    Endpoint,
    NotReady,
    Provider,
)
from python_llm.providers.hosts import Site, may_be_asked, may_see_patients, site_of
from python_llm.providers.outcome import FINAL, Outcome, Question, Status


@dataclass(frozen=True, slots=True)
class Entry:
    """How a provider of the registry is reached.

    adapter: its module and class.
    needs_key, needs_address: whether the user has to give one because the SDK has no default.
    region, project: environment variables, at least one of which must be set; empty if the provider
    has no regions or projects.
    extra: the optional dependencies of this package that its SDK needs; needs: a module of theirs.
    has_batches: whether it has a batch API. hosts: its own, with `*` for (part of) one label.
    """

    adapter: str
    needs_key: bool = True
    needs_address: bool = False
    region: tuple[str, ...] = ()
    project: tuple[str, ...] = ()
    extra: str | None = None
    needs: str | None = None
    has_batches: bool = False
    hosts: tuple[str, ...] = ()

    def missing_extra(self) -> str | None:
        """The extra that has to be installed first, if any."""
        return self.extra if self.needs and not _is_installed(self.needs) else None

    def connect(self, endpoint: Endpoint) -> Provider:
        """The provider at an endpoint. Errors: NotReady."""
        if extra := self.missing_extra():
            raise NotReady(f"Its SDK is not installed: run `pip install 'kernel29[{extra}]'`.")
        module, name = self.adapter.split(":")
        provider: Provider = getattr(import_module(f"python_llm.providers.{module}"), name)(
            endpoint
        )
        site = site_of(provider.address)
        if site is None or not may_be_asked(site, self.hosts_of(endpoint)):
            raise NotReady(not_listed(site))
        return provider

    def hosts_of(self, endpoint: Endpoint) -> tuple[str, ...]:
        """All that a model may be asked at."""
        return (*self.hosts, *endpoint.hosts)

    def may_see_patients(self, provider: Provider, endpoint: Endpoint) -> bool:
        """Whether an approval for patients' data holds for the address it has."""
        site = site_of(provider.address)
        return site is not None and may_see_patients(site, endpoint.patient_hosts)


def not_listed(site: Site | None) -> str:
    """Why a model is not asked there, and what to do."""
    where = f"The host {site.host}" if site else "An address without a host"
    return (
        f"{where} is not one of its hosts, so nothing is sent there: correct the address, or add "
        "the host to its `hosts` in seeds/calls/llm_models.csv."
    )


def _is_installed(module: str) -> bool:
    try:
        return find_spec(module) is not None
    except ModuleNotFoundError:  # its parent package is absent
        return False


_AWS: dict[str, Any] = {
    "needs_key": False,
    "region": AWS_REGION,
    "extra": "bedrock",
    "needs": "boto3",
    "hosts": ("bedrock-runtime.*.amazonaws.com", "bedrock-runtime-fips.*.amazonaws.com"),
}
_OPENAI = ("api.openai.com", "*.api.openai.com")  # the second in regions
_AZURE = ("*.openai.azure.com", "*.services.ai.azure.com", "*.cognitiveservices.azure.com")
_AZURE_ML = (
    *("*.models.ai.azure.com", "*.*.models.ai.azure.com", "*.*.inference.ai.azure.com"),
    *("*.*.inference.ml.azure.com", "*.services.ai.azure.com"),
)
_VERTEX = (
    *("aiplatform.googleapis.com", "*-aiplatform.googleapis.com"),
    "aiplatform.*.rep.googleapis.com",
)
PROVIDERS: dict[str, Entry] = {
    "openai": Entry("openai:OpenAI", has_batches=True, hosts=_OPENAI),
    "openai_responses": Entry("openai:OpenAIResponses", has_batches=True, hosts=_OPENAI),
    "openai_compatible": Entry("openai:OpenAICompatible", needs_key=False, needs_address=True),
    "azure_openai": Entry("openai:AzureOpenAI", needs_address=True, hosts=_AZURE),
    "azure_ml": Entry("openai:AzureML", needs_address=True, hosts=_AZURE_ML),
    "mistral": Entry("openai:Mistral", hosts=("api.mistral.ai",)),
    "groq": Entry("openai:Groq", hosts=("api.groq.com",)),
    "anthropic": Entry("anthropic:Anthropic", has_batches=True, hosts=("api.anthropic.com",)),
    "anthropic_bedrock": Entry("anthropic:AnthropicBedrock", **_AWS),
    "anthropic_vertex": Entry(
        "anthropic:AnthropicVertex",
        needs_key=False,
        region=ANTHROPIC_VERTEX_REGION,
        project=ANTHROPIC_VERTEX_PROJECT,
        extra="vertex",
        needs="google.auth",
        hosts=_VERTEX,
    ),
    "bedrock": Entry("bedrock:Bedrock", **_AWS),
    "gemini": Entry(
        "gemini:Gemini",
        extra="gemini",
        needs="google.genai",
        hosts=("generativelanguage.googleapis.com",),
    ),
    "gemini_vertex": Entry(
        "gemini:GeminiVertex",
        needs_key=False,
        region=VERTEX_REGION,
        project=VERTEX_PROJECT,
        extra="gemini",
        needs="google.genai",
        hosts=_VERTEX,
    ),
}

__all__ = [
    "FINAL",
    "PROVIDERS",
    "Endpoint",
    "Entry",
    "NotReady",
    "Outcome",
    "Provider",
    "Question",
    "Status",
]
