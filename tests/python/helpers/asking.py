"""Request tables for tests: small, cheap, with no limits unless a test wants some.

`started` asks `many(n)` in live mode in a process that a test can kill. With several providers each
is asked in a thread of its own, as dbt does it.
"""

from __future__ import annotations

import hashlib
import json
import os
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import forks
import pyarrow as pa

from python_llm.engine import REQUEST_SCHEMA, Settings, answer

OPENAI_KEY = "sk-test-openai-0123456789"
ANTHROPIC_KEY = "sk-test-anthropic-0123456789"

_MODELS = {
    "openai": {
        "api_model": "gpt-test",
        "base_url_env": "TEST_OPENAI_URL",
        "api_key_env": "TEST_OPENAI_KEY",
    },
    "anthropic": {
        "api_model": "claude-test",
        "base_url_env": "TEST_ANTHROPIC_URL",
        "api_key_env": "TEST_ANTHROPIC_KEY",
    },
    "openai_responses": {
        "api_model": "gpt-test",
        "base_url_env": "TEST_OPENAI_URL",
        "api_key_env": "TEST_OPENAI_KEY",
        "parameters": json.dumps({"max_output_tokens": 50}),
    },
    "openai_compatible": {
        "api_model": "local-test",
        "base_url_env": "TEST_OPENAI_URL",
        "api_key_env": None,
    },
}


def request(text: str, provider: str = "openai", **columns: Any) -> dict[str, Any]:
    """One row of REQUEST_SCHEMA. At these prices a request of the default size can cost at most
    $0.0006: 100 prompt tokens at $1 and 50 answer tokens at $10 a million."""
    row = {
        "model_alias": f"{provider}_model",
        "provider": provider,
        "parameters": json.dumps({"max_tokens": 50, "temperature": 0}),
        **_MODELS.get(provider, _MODELS["openai"]),
        "system_text": "You are a clinician.",
        "user_text": text,
        "response_schema": None,
        "repeat_number": 1,
        "is_selected": True,
        "is_blocked_by_policy": False,
        "contains_phi": False,
        "task": None,
        "max_concurrency": 8,
        "requests_per_minute": None,
        "tokens_per_minute": None,
        "requests_per_day": None,
        "tokens_per_day": None,
        "timeout_seconds": 5.0,
        "estimated_input_tokens": 100,
        "max_output_tokens": 50,
        "input_usd_per_mtok": 1.0,
        "cached_input_usd_per_mtok": 0.5,
        "output_usd_per_mtok": 10.0,
        **columns,
    }
    asked = [row[name] for name in ("provider", "api_model", "parameters", "system_text")]
    asked += [row["user_text"], row["response_schema"], row["repeat_number"]]
    return {"request_key": hashlib.sha256(json.dumps(asked).encode()).hexdigest(), **row}


def table(*rows: dict[str, Any]) -> pa.Table:
    return pa.Table.from_pylist(list(rows), schema=REQUEST_SCHEMA)


def many(n: int, provider: str = "openai", **columns: Any) -> pa.Table:
    return table(*(request(f"case {number}", provider, **columns) for number in range(n)))


def ask_many(
    folder: str, n: int, concurrency: int, run_id: str, environment: dict[str, str] | None = None
) -> None:
    """environment: of a process that has not inherited the test's."""
    os.environ.update(environment or {})
    settings = Settings(
        mode="live", ledger_dir=folder, run_id=run_id, max_usd=100, progress=environment is None
    )
    answer(many(n, max_concurrency=concurrency), settings=settings)


def ask_in_threads(n: int, concurrency: int, settings: Settings, providers: list[str]) -> list:
    """The responses of each provider."""

    def ask(provider: str) -> pa.Table:
        return answer(many(n, provider, max_concurrency=concurrency), settings=settings)

    with ThreadPoolExecutor(len(providers)) as threads:
        return list(threads.map(ask, providers))


def started(
    folder: Path, n: int, concurrency: int = 10, run_id: str = "run", *providers: str
) -> forks.Running:
    arguments = [str(folder), str(n), str(concurrency), run_id, *providers]
    return forks.Running(forks.ENGINE, _ask, arguments, dict(os.environ))


def _ask(arguments: list[str]) -> int:
    folder, n, concurrency, run_id, *providers = arguments
    if providers:
        settings = Settings(mode="live", ledger_dir=folder, run_id=run_id, max_usd=100)
        ask_in_threads(int(n), int(concurrency), settings, providers)
    else:
        ask_many(folder, int(n), int(concurrency), run_id)
    return 0
