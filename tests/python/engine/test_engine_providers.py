"""Every provider, through its SDK: what it is asked in its own wire format, and what it answers."""

from __future__ import annotations

import asyncio
import csv
import json
import sys
from importlib import import_module

import google.auth
import httpx2
import pytest
from asking import many, request, table
from google.oauth2.credentials import Credentials
from loopback import Fault, Loopback, always

from python_llm.engine import EngineError, answer, attempts
from python_llm.paths import project_root
from python_llm.providers import PROVIDERS

SYSTEM, USER = "You are a clinician.", "¿Qué tiene?"
CHAT = {
    "messages": [{"role": "system", "content": SYSTEM}, {"role": "user", "content": USER}],
    "temperature": 0,
}
CLAUDE = {
    "system": SYSTEM,
    "messages": [{"role": "user", "content": USER}],
    "max_tokens": 50,
    "anthropic_version": None,  # which one is the SDK's business
}
GEMINI = {
    "contents": [{"role": "user", "parts": [{"text": USER}]}],
    "systemInstruction": {"parts": [{"text": SYSTEM}]},
    "generationConfig": {"maxOutputTokens": 50, "temperature": 0},
}
KEY = "sk-test-everybody-0123456789"

# provider -> (its parameters, part of the address, path of the request, its body, header and value)
EXPECTED = {
    "openai_responses": (
        {"max_output_tokens": 50, "reasoning_effort": "low"},
        "/v1",
        "/v1/responses",
        {
            "model": "m",
            "input": USER,
            "instructions": SYSTEM,
            "store": False,
            "max_output_tokens": 50,
            "reasoning": {"effort": "low"},
        },
        ("authorization", f"Bearer {KEY}"),
    ),
    "azure_openai": (
        {"max_tokens": 50, "temperature": 0},
        "",
        "/openai/deployments/m/chat/completions",
        {**CHAT, "model": "m", "max_tokens": 50},
        ("api-key", KEY),
    ),
    "azure_ml": (
        {"max_tokens": 50, "temperature": 0},
        "/v1",
        "/v1/chat/completions",
        {**CHAT, "model": "m", "max_tokens": 50},
        ("authorization", f"Bearer {KEY}"),
    ),
    "mistral": (
        {"max_tokens": 50, "temperature": 0},
        "/v1",
        "/v1/chat/completions",
        {**CHAT, "model": "m", "max_tokens": 50},
        ("authorization", f"Bearer {KEY}"),
    ),
    "groq": (
        {"max_completion_tokens": 50, "temperature": 0},
        "/openai/v1",
        "/openai/v1/chat/completions",
        {**CHAT, "model": "m", "max_completion_tokens": 50},
        ("authorization", f"Bearer {KEY}"),
    ),
    "anthropic_bedrock": (
        {"max_tokens": 50},
        "",
        "/model/m/invoke",
        CLAUDE,
        ("authorization", "AWS4-HMAC-SHA256 Credential=AKIATEST"),
    ),
    "anthropic_vertex": (
        {"max_tokens": 50},
        "/v1",
        "/v1/projects/a-project/locations/europe-west1/publishers/anthropic/models/m:rawPredict",
        CLAUDE,
        ("authorization", "Bearer a-token"),
    ),
    "bedrock": (
        {"maxTokens": 50, "temperature": 0, "top_k": 7},
        "",
        "/model/m/converse",
        {
            "messages": [{"role": "user", "content": [{"text": USER}]}],
            "system": [{"text": SYSTEM}],
            "inferenceConfig": {"maxTokens": 50, "temperature": 0},
            "additionalModelRequestFields": {"top_k": 7},
        },
        ("authorization", "AWS4-HMAC-SHA256 Credential=AKIATEST"),
    ),
    "gemini": (
        {"maxOutputTokens": 50, "temperature": 0},
        "",
        "/v1/models/m:generateContent",
        GEMINI,
        ("x-goog-api-key", KEY),
    ),
    "gemini_vertex": (
        {"maxOutputTokens": 50, "temperature": 0},
        "",
        "/v1beta1/projects/a-project/locations/europe-west1/publishers/google/models/"
        "m:generateContent",
        GEMINI,
        ("authorization", "Bearer a-token"),
    ),
}
# The others are asked in test_engine_answers.
ELSEWHERE = {"openai", "openai_compatible", "anthropic"}


class Token(Credentials):
    """Google's credentials, as good as fetched."""

    def refresh(self, request: object) -> None: ...


@pytest.fixture
def accounts(monkeypatch):
    """Credentials that the clouds' tools find, and nothing of the user's own."""
    for name, value in {
        "AWS_ACCESS_KEY_ID": "AKIATEST",
        "AWS_SECRET_ACCESS_KEY": "secret-of-the-test",
        "AWS_REGION": "eu-west-1",
        "AWS_EC2_METADATA_DISABLED": "true",
        "GOOGLE_CLOUD_PROJECT": "a-project",
        "GOOGLE_CLOUD_LOCATION": "europe-west1",
        "TEST_EVERYBODYS_KEY": KEY,
    }.items():
        monkeypatch.setenv(name, value)
    for name in ("AWS_PROFILE", "AWS_SESSION_TOKEN", "GOOGLE_API_KEY", "GEMINI_API_KEY"):
        monkeypatch.delenv(name, raising=False)
    token = Token(token="a-token")
    monkeypatch.setattr(google.auth, "default", lambda *_, **__: (token, "a-project"))


def ask_for(provider: str, **columns) -> dict:
    parameters = EXPECTED[provider][0]
    entry = PROVIDERS[provider]
    return request(
        USER,
        provider,
        **{
            "api_model": "m",
            "base_url_env": "TEST_EVERYBODYS_URL",
            "api_key_env": "TEST_EVERYBODYS_KEY" if entry.needs_key else None,
            "parameters": json.dumps(parameters),
            "system_text": SYSTEM,
            **columns,
        },
    )


def everybody(provider: str, text: str) -> dict:
    """A request that any provider can be asked."""
    key = "TEST_EVERYBODYS_KEY" if PROVIDERS[provider].needs_key else None
    places = {"base_url_env": "TEST_EVERYBODYS_URL", "api_key_env": key}
    return request(text, provider, **places, max_concurrency=1, api_model="m")


def serve_for(provider: str, serve, monkeypatch, **options):
    server = serve(**options)
    base = f"http://127.0.0.1:{server.port}{EXPECTED[provider][1]}"
    monkeypatch.setenv("TEST_EVERYBODYS_URL", base)
    return server


def test_every_provider_is_tried():
    assert {*EXPECTED, *ELSEWHERE} == set(PROVIDERS)


@pytest.mark.usefixtures("accounts")
@pytest.mark.parametrize("provider", sorted(EXPECTED))
def test_each_is_asked_in_its_own_words(provider, serve, live, monkeypatch):
    _, _, path, body, (header, value) = EXPECTED[provider]
    server = serve_for(provider, serve, monkeypatch, answer=lambda *_: "1. Gripe")
    [response] = answer(table(ask_for(provider)), settings=live()).to_pylist()
    assert (response["status"], response["answer_text"]) == ("ok", "1. Gripe"), response[
        "error_message"
    ]
    [seen] = server.seen
    assert seen.path == path
    version = seen.payload.get("anthropic_version")
    assert seen.payload == {**body, **({"anthropic_version": version} if version else {})}
    assert seen.headers[header].startswith(value)
    assert response["input_tokens"] > 0
    assert response["output_tokens"] == 2
    assert json.loads(response["usage_json"])
    [row] = attempts(live().ledger_dir).to_pylist()
    assert "Gripe" in row["raw_response"]
    assert row["http_status"] == 200


@pytest.mark.usefixtures("accounts")
@pytest.mark.parametrize(
    ("address", "path"),
    [("/proxy/v1beta", "/proxy/v1beta"), ("/proxy/v1/", "/proxy/v1"), ("/proxy", "/proxy/v1")],
)
def test_the_address_of_gemini_may_say_the_version(address, path, serve, live, monkeypatch):
    server = serve()
    monkeypatch.setenv("TEST_EVERYBODYS_URL", f"http://127.0.0.1:{server.port}{address}")
    [response] = answer(table(ask_for("gemini")), settings=live()).to_pylist()
    assert response["status"] == "ok"
    assert server.seen[0].path == f"{path}/models/m:generateContent"


SIGNED = {"anthropic_bedrock", "anthropic_vertex"}


@pytest.mark.usefixtures("accounts")
@pytest.mark.parametrize(
    "provider", sorted({*EXPECTED, "openai", "anthropic"} - {"bedrock", "gemini", "gemini_vertex"})
)
def test_the_sdk_makes_an_envelope_once_and_signs_every_letter(provider, serve, live, monkeypatch):
    server = everywhere(provider, serve, monkeypatch)
    key = "TEST_EVERYBODYS_KEY" if PROVIDERS[provider].needs_key else None
    environment = {"base_url_env": "TEST_EVERYBODYS_URL", "api_key_env": key}
    limits = {"max_concurrency": 1, "api_model": "m"}
    rows = [request(f"{n} años: ¿qué?", provider, **environment, **limits) for n in range(3)]
    rows.append(request("slower", provider, timeout_seconds=9.0, **environment, **limits))
    module, name = PROVIDERS[provider].adapter.split(":")
    made = getattr(import_module(f"python_llm.providers.{module}"), name)
    posted = []
    real = made.extra_options
    monkeypatch.setattr(made, "extra_options", lambda self: posted.append(1) or real(self))
    responses = answer(table(*rows), settings=live()).to_pylist()
    assert {row["status"] for row in responses} == {"ok"}
    varies = {"content-length", "authorization", "x-amz-date"} if provider in SIGNED else set()
    varies |= {"content-length", "x-stainless-read-timeout", "x-stainless-timeout"}
    first, *others = ({k: v for k, v in s.headers.items() if k not in varies} for s in server.seen)
    assert others == [first] * 3
    assert len({seen.path for seen in server.seen}) == 1
    assert len(posted) == (4 if provider in SIGNED else 2)  # once for each timeout
    said = [json.dumps(seen.payload, ensure_ascii=False) for seen in server.seen]
    assert all(row["user_text"] in text for row, text in zip(rows, said, strict=True))
    if provider == "anthropic_bedrock":
        assert len({seen.headers["authorization"] for seen in server.seen}) == 4
    posted.clear()
    monkeypatch.setattr(made, "keeps_envelope", False)
    answer(table(*rows), settings=live(ledger_dir=live().ledger_dir / "again"))
    assert len(posted) == 4


@pytest.mark.usefixtures("quick_retries")
@pytest.mark.parametrize("fails_before_it_is_sent", [False, True])
@pytest.mark.parametrize("provider", ["openai", "anthropic"])
def test_all_wait_for_the_first_envelope(
    provider, fails_before_it_is_sent, serve, live, monkeypatch
):
    server = serve(latency=0.05)
    module, name = PROVIDERS[provider].adapter.split(":")
    made = getattr(import_module(f"python_llm.providers.{module}"), name)
    by_sdk, real = [], made._post_by_sdk

    async def post(self, *arguments):
        by_sdk.append(1)
        if fails_before_it_is_sent and len(by_sdk) == 1:
            await asyncio.sleep(0.1)
            raise httpx2.ConnectError("no such host")
        return await real(self, *arguments)

    monkeypatch.setattr(made, "_post_by_sdk", post)
    asked = many(40, provider, max_concurrency=20, output_usd_per_mtok=0.0)  # none goes first
    responses = answer(asked, settings=live())
    assert set(responses.column("status").to_pylist()) == {"ok"}
    assert server.total == 40
    assert server.peak > 10
    # those that waited for one that failed go their own way, the next is first again
    assert len(by_sdk) == (21 if fails_before_it_is_sent else 1)


@pytest.mark.usefixtures("accounts")
@pytest.mark.parametrize("kind", ["moved", "found"])
@pytest.mark.parametrize("provider", sorted({*EXPECTED, "openai", "anthropic"}))
def test_a_redirect_is_not_followed(provider, kind, serve, live, monkeypatch):
    server = everywhere(provider, serve, monkeypatch)
    rows = [everybody(provider, f"case {n}") for n in range(3)]
    with Loopback() as other:
        place = f"http://user:a-password@localhost:{other.port}/v1/chat/completions?token=a-token"
        server.faults = always(*[Fault(kind, text=place)] * 9)
        responses = answer(table(*rows), settings=live()).to_pylist()
        assert other.total == 0
    assert {row["status"] for row in responses} == {"provider_error"}
    assert {row["error_kind"] for row in responses} == {"redirected"}
    assert "redirects to localhost," in responses[0]["error_message"]
    assert server.total == 1  # and the rest is not sent to find out
    kept = "".join(path.read_text("latin-1") for path in live().ledger_dir.rglob("*.*"))
    assert "a-token" not in kept
    assert "a-password" not in kept


@pytest.mark.usefixtures("accounts", "quick_retries")
@pytest.mark.parametrize("provider", sorted({*EXPECTED, "openai", "anthropic"}))
@pytest.mark.parametrize("kind", ["endless", "bomb"])
def test_an_answer_without_an_end_is_cut_off(provider, kind, serve, live, monkeypatch):
    server = everywhere(provider, serve, monkeypatch)
    server.faults = always(*[Fault(kind)] * 9)
    [response] = answer(table(everybody(provider, "a case")), settings=live()).to_pylist()
    is_not_unpacked = (provider, kind) == ("bedrock", "bomb")
    wanted = "connection_lost" if is_not_unpacked else "answer_too_large"
    assert response["error_kind"] == wanted, response["error_message"]
    assert sum(path.stat().st_size for path in live().ledger_dir.rglob("*.*")) < 100_000
    server.faults = None
    [again] = answer(table(everybody(provider, "a case")), settings=live()).to_pylist()
    assert again["status"] == "ok"


@pytest.mark.usefixtures("accounts")
@pytest.mark.parametrize("provider", ["openai", "anthropic", "bedrock", "gemini"])
def test_this_machine_is_not_asked_through_a_proxy(provider, serve, live, monkeypatch):
    server = everywhere(provider, serve, monkeypatch)
    with Loopback() as proxy:
        for name in ("http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"):
            monkeypatch.setenv(name, f"http://127.0.0.1:{proxy.port}")
        monkeypatch.setenv("no_proxy", "")
        [response] = answer(table(everybody(provider, "a case")), settings=live()).to_pylist()
        assert (response["status"], proxy.total, server.total) == ("ok", 0, 1)


# provider -> the variable from which its SDK takes an address that nobody else has given
OF_THE_SDK = {
    "openai": "OPENAI_BASE_URL",
    "anthropic": "ANTHROPIC_BASE_URL",
    "anthropic_bedrock": "ANTHROPIC_BEDROCK_BASE_URL",
    "anthropic_vertex": "ANTHROPIC_VERTEX_BASE_URL",
    "bedrock": "AWS_ENDPOINT_URL",
    "gemini": "GOOGLE_GEMINI_BASE_URL",
    "gemini_vertex": "GOOGLE_VERTEX_BASE_URL",
}


@pytest.mark.usefixtures("accounts")
@pytest.mark.parametrize("provider", sorted(OF_THE_SDK))
def test_the_environment_moves_nobody(provider, serve, live, monkeypatch):
    everywhere(provider, serve, monkeypatch)
    row = everybody(provider, "a case") | {"base_url_env": None}
    for said in ("https://llm.elsewhere.example/v1?key=geheim", "http://127.0.0.2.example:1/v1"):
        monkeypatch.setenv(OF_THE_SDK[provider], said)
        with pytest.raises(EngineError, match=r"The host \S+\.example is not one of") as error:
            answer(table(row), settings=live())
        assert "geheim" not in str(error.value)


FAULTS = {
    "rate_limit": "rate_limited",
    "server_error": "provider_error",
    "context_length": "context_exceeded",
    "no_model": "provider_error",
    "empty": "provider_error",
    "length": "truncated",
    "content_filter": "content_filtered",
    "hang_up": "provider_error",
    "slow": "timeout",
    "not_json": "provider_error",
}
FINAL = {"context_exceeded", "truncated", "content_filtered", "refused"}
# Wire formats that differ from what test_engine_faults tries; the rest share their code.
FORMATS = ["openai_responses", "azure_openai", "anthropic_bedrock", "bedrock", "gemini"]


@pytest.mark.usefixtures("accounts", "quick_retries")
@pytest.mark.parametrize("kind", sorted(FAULTS))
@pytest.mark.parametrize("provider", FORMATS)
def test_each_failure_has_its_status(provider, kind, serve, live, monkeypatch):
    status = FAULTS[kind]
    if provider == "anthropic_bedrock" and kind == "content_filter":
        status = "refused"  # which is how Anthropic says it
    server = serve_for(provider, serve, monkeypatch, faults=always(*[Fault(kind, seconds=9)] * 9))
    asked = table(ask_for(provider, timeout_seconds=1.0))
    [response] = answer(asked, settings=live(max_attempts=2)).to_pylist()
    assert response["status"] == status, response
    assert response["error_kind"] != "unexpected", response
    assert server.total == response["n_attempts"]
    server.faults = None
    [again] = answer(asked, settings=live()).to_pylist()
    assert again["status"] == (status if status in FINAL else "ok")


@pytest.mark.usefixtures("accounts", "quick_retries")
def test_nobody_listens_at_any_address(serve, live, monkeypatch):
    serve()
    monkeypatch.setenv("TEST_EVERYBODYS_URL", "http://127.0.0.1:9")
    rows = [ask_for(provider, model_alias=provider) for provider in FORMATS]
    responses = answer(table(*rows), settings=live(max_attempts=2)).to_pylist()
    assert {row["error_kind"] for row in responses} == {"connect"}
    assert {row["charged_usd"] for row in attempts(live().ledger_dir).to_pylist()} == {0}


@pytest.mark.usefixtures("accounts")
def test_what_only_one_of_them_says(serve, live, monkeypatch):
    def ask(provider: str, kind: str) -> dict:
        serve_for(provider, serve, monkeypatch, faults=always(Fault(kind)))
        asked = table(ask_for(provider, user_text=f"{provider} {kind}"))
        ledger = live().ledger_dir / provider / kind
        return answer(asked, settings=live(max_attempts=1, ledger_dir=ledger)).to_pylist()[0]

    assert ask("gemini", "prompt_blocked")["error_kind"] == "prompt_filtered"
    thinking = ask("gemini", "thinking_first")
    assert (thinking["status"], thinking["answer_text"][:2]) == ("ok", "ge")
    assert thinking["output_tokens"] > 7  # thoughts are billed as output
    assert ask("bedrock", "guardrail")["status"] == "content_filtered"
    assert ask("bedrock", "thinking_first")["answer_text"].startswith("converse answers")
    assert ask("openai_responses", "refusal")["status"] == "refused"
    assert ask("openai_responses", "response_failed")["status"] == "rate_limited"


@pytest.mark.usefixtures("accounts")
@pytest.mark.parametrize(
    ("provider", "missing", "said"),
    [
        ("bedrock", "AWS_REGION", "set the environment variable AWS_REGION"),
        ("anthropic_bedrock", "AWS_REGION", "set the environment variable AWS_REGION"),
        ("bedrock", "AWS_ACCESS_KEY_ID", "No AWS credentials were found"),
        ("gemini_vertex", "GOOGLE_CLOUD_PROJECT", "environment variable GOOGLE_CLOUD_PROJECT"),
        ("azure_openai", "TEST_EVERYBODYS_URL", "address of azure_openai_model is absent"),
        ("gemini", "TEST_EVERYBODYS_KEY", "key of gemini_model is absent"),
    ],
)
def test_an_account_that_is_not_set_up(provider, missing, said, serve, live, monkeypatch, tmp_path):
    server = serve_for(provider, serve, monkeypatch)
    for name in (missing, "AWS_DEFAULT_REGION", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("AWS_SHARED_CREDENTIALS_FILE", str(tmp_path / "none"))
    monkeypatch.setenv("AWS_CONFIG_FILE", str(tmp_path / "none"))
    with pytest.raises(EngineError, match=said) as stopped:
        answer(table(ask_for(provider)), settings=live())
    assert "\n" not in str(stopped.value)
    assert server.total == 0


@pytest.mark.usefixtures("accounts")
@pytest.mark.parametrize(
    ("provider", "module", "extra"),
    [("bedrock", "boto3", "bedrock"), ("gemini", "google.genai", "gemini")],
)
def test_an_absent_sdk_names_its_extra(provider, module, extra, serve, live, monkeypatch):
    serve_for(provider, serve, monkeypatch)
    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(EngineError, match=rf"pip install 'kernel29\[{extra}\]'"):
        answer(table(ask_for(provider)), settings=live())


# What the registry says a model accepts, against what it is sent


def capabilities() -> list[dict[str, str]]:
    with (project_root() / "seeds/calls/llm_capabilities.csv").open(encoding="utf-8") as file:
        return [row for row in csv.DictReader(file) if row["provider"] in PROVIDERS]


SCHEMA = {"type": "object", "properties": {}, "additionalProperties": False}
# Where each wire format has its place for what a model may or may not accept.
CHAT_PLACES = {
    "max_tokens": "{max_tokens}",
    "temperature": "temperature",
    "system_role": "messages.0.content",
    "json_schema": "response_format.json_schema.schema",
    "reasoning_effort": "reasoning_effort",
}
CLAUDE_PLACES = {
    **CHAT_PLACES,
    "system_role": "system",
    "json_schema": "output_config.format.schema",
}
GEMINI_PLACES = {
    "max_tokens": "generationConfig.{max_tokens}",
    "temperature": "generationConfig.temperature",
    "system_role": "systemInstruction.parts.0.text",
    "json_schema": "generationConfig.responseJsonSchema",
}
PLACES = {
    "openai_responses": {
        **CHAT_PLACES,
        "system_role": "instructions",
        "json_schema": "text.format.schema",
        "reasoning_effort": "reasoning.effort",
    },
    "anthropic": CLAUDE_PLACES,
    "anthropic_bedrock": CLAUDE_PLACES,
    "anthropic_vertex": CLAUDE_PLACES,
    "bedrock": {
        "max_tokens": "inferenceConfig.{max_tokens}",
        "temperature": "inferenceConfig.temperature",
        "system_role": "system.0.text",
    },
    "gemini": GEMINI_PLACES,
    "gemini_vertex": GEMINI_PLACES,
}
SENT = {
    "max_tokens": 50,
    "temperature": 0.5,
    "system_role": SYSTEM,
    "json_schema": SCHEMA,
    "reasoning_effort": "low",
}


def found(body: object, place: str) -> object:
    for name in place.split("."):
        if isinstance(body, list):
            body = body[int(name)] if int(name) < len(body) else None
        else:
            body = body.get(name) if isinstance(body, dict) else None
    return body


def accepted_by(row: dict[str, str]) -> dict[str, object]:
    """What a model is sent that has everything wanted of it that it accepts."""
    names = [name for name in SENT if row.get(f"accepts_{name}", "true") == "true"]
    return {name: SENT[name] for name in names}


def columns_for(row: dict[str, str]) -> dict[str, object]:
    accepted = accepted_by(row)
    parameters = {row["max_tokens_parameter"]: accepted["max_tokens"]}
    for name in ("temperature", "reasoning_effort"):
        if name in accepted:
            parameters[name] = accepted[name]
    return {
        "api_model": "m" if row["api_model"] == "*" else row["api_model"],
        "parameters": json.dumps(parameters),
        "system_text": accepted.get("system_role"),
        "response_schema": json.dumps(SCHEMA) if "json_schema" in accepted else None,
        "accepts_batch": row["accepts_batch"] == "true",
    }


def everywhere(provider: str, serve, monkeypatch):
    """A server that is at the address of every provider."""
    server = serve(answer=lambda *_: "1. Gripe")
    path = EXPECTED[provider][1] if provider in EXPECTED else "/v1"
    path = "" if provider == "anthropic" else path
    monkeypatch.setenv("TEST_EVERYBODYS_URL", f"http://127.0.0.1:{server.port}{path}")
    return server


def check(row: dict[str, str], body: object) -> None:
    places, accepted = PLACES.get(row["provider"], CHAT_PLACES), accepted_by(row)
    for name, place in places.items():
        value = found(body, place.format(max_tokens=row["max_tokens_parameter"]))
        if name in accepted:
            assert value == accepted[name], (name, body)
        elif name == "system_role":
            assert SYSTEM not in json.dumps(body)
        else:
            assert value is None, (name, body)
    assert set(accepted) <= set(places), "a capability that the provider's code knows no place for"


@pytest.mark.usefixtures("accounts")
@pytest.mark.parametrize("row", capabilities(), ids=lambda r: f"{r['provider']}-{r['api_model']}")
def test_only_parameters_a_model_accepts_are_sent(row, serve, live, monkeypatch):
    provider = row["provider"]
    server = everywhere(provider, serve, monkeypatch)
    environment = {"base_url_env": "TEST_EVERYBODYS_URL", "api_key_env": "TEST_EVERYBODYS_KEY"}
    if not PROVIDERS[provider].needs_key:
        environment["api_key_env"] = None
    asked = table(request(USER, provider, **environment, **columns_for(row)))
    [response] = answer(asked, settings=live()).to_pylist()
    assert (response["status"], response["answer_text"]) == ("ok", "1. Gripe"), response
    check(row, server.seen[0].payload)
    assert (row["accepts_batch"] == "true") == PROVIDERS[provider].has_batches
    if PROVIDERS[provider].has_batches:  # the same words, in a batch
        batch = live(execution="batch", ledger_dir=live().ledger_dir / "batch")
        answer(asked, settings=batch)
        [[item]] = server.batches.items.values()
        check(row, item.get("body", item.get("params")))
