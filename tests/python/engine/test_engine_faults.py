"""Every way a provider misbehaves ends in its status, after as many attempts as it deserves."""

from __future__ import annotations

import time

import pytest
from asking import request, table
from loopback import ANSWERS, ERRORS, TRANSPORT, Fault, always, at_random, echo

from python_llm.engine import answer, attempts

# fault -> (status, error kind, attempts made before giving up, is it asked again by the next run)
EXPECTED = {
    "rate_limit": ("rate_limited", "rate_limited", 20, True),
    "insufficient_quota": ("quota_exhausted", "insufficient_quota", 1, True),
    "server_error": ("provider_error", "server_error", 8, True),
    "bad_gateway": ("provider_error", "server_error", 8, True),
    "unavailable": ("provider_error", "overloaded", 20, True),
    "gateway_timeout": ("timeout", "gateway_timeout", 2, True),
    "overloaded": ("provider_error", "overloaded", 20, True),
    "request_timeout": ("timeout", "request_timeout", 8, True),
    "conflict": ("provider_error", "conflict", 8, True),
    "context_length": ("context_exceeded", "context_length", 1, False),
    "prompt_filtered": ("content_filtered", "prompt_filtered", 1, False),
    "invalid_request": ("provider_error", "invalid_request", 1, True),
    "unprocessable": ("provider_error", "invalid_request", 1, True),
    "too_large": ("context_exceeded", "request_too_large", 1, False),
    "bad_key": ("provider_error", "authentication", 1, True),
    "forbidden": ("provider_error", "permission", 1, True),
    "no_model": ("provider_error", "not_found", 1, True),
    "length": ("truncated", "max_tokens", 1, False),
    "length_empty": ("truncated", "max_tokens", 1, False),
    "refusal": ("refused", "refusal", 1, False),
    "empty": ("provider_error", "empty_answer", 2, True),
    "null_content": ("provider_error", "empty_answer", 2, True),
    "no_choices": ("provider_error", "empty_answer", 2, True),
    "error_in_200": ("provider_error", "server_error", 8, True),
    "parts": ("ok", None, 1, False),
    "no_usage": ("ok", None, 1, False),
    "no_id": ("ok", None, 1, False),
    "other_model": ("ok", None, 1, False),
    "reset": ("provider_error", "connection_lost", 3, True),
    "hang_up": ("provider_error", "connection_lost", 3, True),
    "slow": ("timeout", "timeout", 2, True),
    "drip": ("timeout", "timeout", 2, True),
    "cut_json": ("provider_error", "malformed_response", 2, True),
    "not_json": ("provider_error", "malformed_response", 2, True),
    "html_error": ("provider_error", "server_error", 8, True),
    "moved": ("provider_error", "redirected", 1, True),
    "found": ("provider_error", "redirected", 1, True),
    "endless": ("provider_error", "answer_too_large", 1, True),
    "bomb": ("provider_error", "answer_too_large", 1, True),
    "squeezed": ("ok", None, 1, False),
    "other_squeeze": ("provider_error", "malformed_response", 2, True),
    "nested": ("provider_error", "malformed_response", 2, True),
    "nested_error": ("provider_error", "invalid_request", 1, True),
    "no_http": ("provider_error", "malformed_response", 2, True),
    "no_bytes": ("provider_error", "malformed_response", 2, True),
    "empty_object": ("provider_error", "empty_answer", 2, True),
    "cut_body": ("provider_error", "connection_lost", 3, True),
}
BOTH = ("openai", "anthropic")
DELIVERY = ("provider_error", "rate_limited", "timeout")
OF_ONE_PROVIDER = {
    ("openai", "content_filter"): ("content_filtered", "answer_filtered", 1, False),
    ("anthropic", "content_filter"): ("refused", "refusal", 1, False),
    ("anthropic", "context_window"): ("context_exceeded", "context_length", 1, False),
    ("anthropic", "pause_turn"): ("truncated", "pause_turn", 1, False),
    ("anthropic", "thinking_first"): ("ok", None, 1, False),
}
CASES = {
    **{
        (provider, kind): said
        for provider in ("openai", "anthropic")
        for kind, said in EXPECTED.items()
    },
    **OF_ONE_PROVIDER,
}


def test_every_fault_of_the_server_is_tried():
    assert {kind for _, kind in CASES} == {*ERRORS, *ANSWERS, *TRANSPORT}


@pytest.mark.usefixtures("quick_retries")
@pytest.mark.parametrize(("provider", "kind"), sorted(CASES))
def test_fault(provider, kind, serve, live):
    status, error_kind, n_attempts, is_asked_again = CASES[provider, kind]
    server = serve(faults=always(*[Fault(kind, seconds=30)] * 99))
    # unpacking a bomb takes a while on a busy machine
    requests = table(
        request("a case", provider, timeout_seconds=0.6 if status == "timeout" else 30)
    )
    # the same request: how long it may take is none of it
    patient = table(request("a case", provider, timeout_seconds=30))

    [response] = answer(requests, settings=live()).to_pylist()

    assert (response["status"], response["error_kind"]) == (status, error_kind)
    assert response["n_attempts"] == n_attempts == server.total
    recorded = attempts(live().ledger_dir)
    assert recorded.column("attempt_number").to_pylist() == list(range(1, n_attempts + 1))
    assert recorded.column("is_final").to_pylist() == [False] * (n_attempts - 1) + [True]

    server.faults = None
    [again] = answer(patient, settings=live()).to_pylist()
    assert server.total == n_attempts + is_asked_again
    assert again["status"] == ("ok" if is_asked_again else status)
    assert again["n_attempts"] == server.total


@pytest.mark.usefixtures("quick_retries")
@pytest.mark.parametrize("provider", ["openai", "anthropic"])
def test_a_passing_fault_ends_in_the_answer(provider, serve, live):
    server = serve(faults=always(Fault("server_error"), Fault("rate_limit"), Fault("reset")))
    [response] = answer(table(request("a case", provider)), settings=live()).to_pylist()
    assert response["status"] == "ok"
    assert response["answer_text"] == echo(provider, server.seen[0].payload)
    assert response["n_attempts"] == 4
    kinds = attempts(live().ledger_dir).column("error_kind").to_pylist()
    assert kinds == ["server_error", "rate_limited", "connection_lost", None]


@pytest.mark.usefixtures("quick_retries")
def test_thirty_per_cent_failures_end_in_a_status_each(serve, live):
    chances = {
        **dict.fromkeys(("rate_limit", "server_error", "unavailable", "reset", "hang_up"), 0.03),
        **dict.fromkeys(("cut_json", "not_json", "empty", "refusal", "length"), 0.03),
    }
    server = serve(faults=at_random(chances, seed=3), latency=0.005)
    rows = [request(f"case {n}", p, max_concurrency=50) for n in range(500) for p in BOTH]
    responses = answer(table(*rows), settings=live(max_usd=100)).to_pylist()
    assert len(responses) == 1000
    seen = {row["status"] for row in responses}
    assert {"ok", "refused", "truncated"} <= seen <= {"ok", "refused", "truncated", *DELIVERY}
    assert sum(row["status"] == "ok" for row in responses) > 850
    assert sum(row["n_attempts"] for row in responses) == server.total


def test_truncated_answers_keep_their_text(serve, live):
    serve(answer=lambda *_: "1. Asthma 2. COPD", faults=always(Fault("length")))
    for provider in ("openai", "anthropic"):
        [response] = answer(table(request("a case", provider)), settings=live()).to_pylist()
        assert response["status"] == "truncated"
        assert response["answer_text"] == "1. Asthma 2. COPD"[:8]


def test_a_refusal_says_why(serve, live):
    serve(faults=always(Fault("refusal", text="Not this one.")))
    [said] = answer(table(request("a case", "openai")), settings=live()).to_pylist()
    assert said["answer_text"] == "Not this one."
    [said] = answer(table(request("a case", "anthropic")), settings=live()).to_pylist()
    assert said["error_message"] == "the model refused: bio: Not this one."


def test_retry_after_is_obeyed(serve, live):
    server = serve(faults=always(Fault("rate_limit", retry_after="1.2")))
    began = time.monotonic()
    [response] = answer(table(request("a case")), settings=live()).to_pylist()
    assert response["status"] == "ok"
    assert server.total == 2
    assert 1.2 <= time.monotonic() - began < 4


@pytest.mark.parametrize("kind", ["bad_key", "no_model", "insufficient_quota"])
def test_a_hopeless_model_is_not_asked_on_and_others_are(kind, serve, live):
    server = serve(
        faults=lambda seen: Fault(kind) if seen.provider == "openai" else None, latency=0.02
    )
    rows = [request(f"case {n}", p) for n in range(40) for p in ("openai", "anthropic")]
    responses = answer(table(*rows), settings=live()).to_pylist()
    failed = [r for r, row in zip(responses, rows, strict=True) if row["provider"] == "openai"]
    assert {r["status"] for r in responses if r not in failed} == {"ok"}
    assert len({(r["status"], r["error_kind"]) for r in failed}) == 1
    sent = [r for r in failed if r["n_attempts"]]
    assert len(sent) <= 8  # what was under way when the first refusal came
    assert server.total == 40 + len(sent)
    assert all("not sent" in r["error_message"] for r in failed if not r["n_attempts"])


@pytest.mark.usefixtures("quick_retries")
def test_nobody_listens(serve, live, monkeypatch):
    serve()
    monkeypatch.setenv("TEST_OPENAI_URL", "http://127.0.0.1:9/v1")
    [response] = answer(table(request("a case")), settings=live()).to_pylist()
    assert (response["status"], response["error_kind"]) == ("provider_error", "connect")
    assert response["n_attempts"] == 8
    charged = attempts(live().ledger_dir).column("charged_usd").to_pylist()
    assert not any(charged)
