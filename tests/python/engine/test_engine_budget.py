"""The cap holds whatever happens, and as much of it as can be is used."""

from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor
from decimal import Decimal

import pyarrow as pa
import pytest
from asking import many, request, table
from loopback import Fault, at_random

from python_llm.engine import answer, attempts
from python_llm.engine.budget import Budget, WorstCase, actual_cost, charge, over_maximum
from python_llm.engine.schema import Request
from python_llm.providers import Outcome, Status

# 100 prompt tokens at $1 and 50 answer tokens at $10 a million.
WORST = Decimal("0.0006")


def counted(responses: pa.Table) -> dict[str, int]:
    return {
        row["values"]: row["counts"]
        for row in responses.column("status").value_counts().to_pylist()
    }


def charged(folder) -> Decimal:
    return sum(attempts(folder).column("charged_usd").to_pylist(), Decimal(0))


def paid(server) -> Decimal:
    """What a provider with the test's prices would bill for the answers it gave."""
    prompt = sum(
        max(1, len(message["content"]) // 4)
        for seen in server.seen
        for message in seen.payload["messages"]
    )
    return (prompt * Decimal(1) + sum(server.answered.values()) * 50 * Decimal(10)) / 1_000_000


def test_the_cap_holds_at_concurrency_50(serve, live):
    """Every answer costs its worst case: 50 requests at a time, room for 100 of 400."""
    server = serve(answer=lambda *_: "x" * 200, latency=0.01)
    requests = many(400, max_concurrency=50, system_text=None, estimated_input_tokens=2)
    worst = Decimal("0.000502")
    responses = answer(requests, settings=live(max_usd=worst * 100))
    assert counted(responses) == {"ok": 100, "blocked_by_budget": 300}
    assert server.total == 100
    assert server.peak > 25
    assert charged(live().ledger_dir) <= worst * 100
    blocked = responses.filter(pa.compute.equal(responses.column("status"), "blocked_by_budget"))
    assert set(blocked.column("error_kind").to_pylist()) == {"over_cap"}


def test_a_dollar_of_a_five_dollar_grid(serve, live):
    """400 requests of at most $0.0125, asked by two threads at once, 50 at a time each, under one
    cap of $1.00; a tenth of them twice."""
    server = serve(answer=lambda *_: "x" * 200, latency=0.01)
    columns = {
        "system_text": None,
        "max_concurrency": 50,
        "estimated_input_tokens": 2,
        "input_usd_per_mtok": 0.0,
        "output_usd_per_mtok": 250.0,
    }
    rows = [request(f"case {n}", **columns) for n in range(400)]
    settings = live(max_usd=1, run_id="one-build")
    with ThreadPoolExecutor(2) as threads:
        parts = (table(*rows[:220]), table(*rows[180:]))
        both = list(threads.map(lambda part: answer(part, settings=settings), parts))
    assert sum(counted(part).get("ok", 0) for part in both) >= 80
    assert server.total == 80
    assert charged(live().ledger_dir) == Decimal(1)
    assert sum(server.answered.values()) == 80
    assert set(server.answered.values()) == {1}


@pytest.mark.usefixtures("quick_retries")
def test_the_cap_holds_under_failures(serve, live):
    """Lost connections and cut answers may have been billed: they count at their worst."""
    faults = {"hang_up": 0.1, "cut_json": 0.1, "server_error": 0.1, "no_usage": 0.1}
    server = serve(answer=lambda *_: "x" * 200, latency=0.005, faults=at_random(faults, seed=7))
    cap = WORST * 60
    responses = answer(many(300, max_concurrency=50), settings=live(max_usd=cap))
    assert set(counted(responses)) <= {"ok", "provider_error", "blocked_by_budget"}
    assert counted(responses)["blocked_by_budget"] > 200
    assert charged(live().ledger_dir) <= cap
    assert paid(server) <= cap
    log = attempts(live().ledger_dir).to_pylist()
    by_kind = {row["error_kind"]: row["charged_usd"] for row in log}
    assert by_kind["connection_lost"] == by_kind["malformed_response"] == WORST
    assert by_kind["server_error"] == 0


def test_what_requests_give_back_is_used(serve, live):
    """Answers cost a tenth of the worst case: waiting for them lets nearly all of the grid in."""
    serve(answer=lambda *_: "x" * 4, latency=0.01)
    responses = answer(many(200, max_concurrency=50), settings=live(max_usd=WORST * 20))
    assert counted(responses) == {"ok": 200}


def test_the_cap_is_one_for_all_calls_of_a_run(serve, live):
    serve(answer=lambda *_: "x" * 200)
    settings = live(max_usd=WORST * 10, run_id="build-1")
    columns = {"estimated_input_tokens": 8, "system_text": "s" * 20}
    first = answer(many(6, **columns), settings=settings)
    second = answer(many(30, "anthropic", **columns), settings=settings)
    assert counted(first) == {"ok": 6}
    assert counted(second)["blocked_by_budget"] > 15
    assert charged(live().ledger_dir) <= WORST * 10
    other_run = answer(many(30, "anthropic", **columns), settings=live(max_usd=1, run_id="build-2"))
    assert counted(other_run) == {"ok": 30}


def test_a_cap_of_nothing_sends_nothing_that_costs(serve, live):
    server = serve()
    free = request("free", "openai_compatible", input_usd_per_mtok=0, output_usd_per_mtok=0)
    responses = answer(table(request("dear"), free), settings=live(max_usd=0))
    assert responses.column("status").to_pylist() == ["blocked_by_budget", "ok"]
    assert server.total == 1


@pytest.mark.parametrize("missing", ["input_usd_per_mtok", "output_usd_per_mtok"])
def test_a_model_without_a_price_is_not_asked(missing, serve, live):
    server = serve()
    [response] = answer(many(1, **{missing: None}), settings=live()).to_pylist()
    assert (response["status"], response["error_kind"]) == ("blocked_by_budget", "unpriced")
    assert "add a price row" in response["error_message"]
    assert server.total == 0


def test_an_estimate_that_was_too_low_is_learned_from(serve, live):
    """The prompt is ten times as long as estimated. After the first answer is known, the true
    worst case is reserved, so that only what was already under way can cost more than planned."""
    serve(answer=lambda *_: "x" * 200, latency=0.005)
    columns = {"estimated_input_tokens": 100, "max_concurrency": 1, "output_usd_per_mtok": 0.0}
    texts = ["word " * 800 + str(number) for number in range(30)]  # 1,000 tokens and a little
    cap = Decimal("0.0105")
    answer(
        table(*(request(text, system_text=None, **columns) for text in texts)),
        settings=live(max_usd=cap),
    )
    assert Decimal("0.009") < charged(live().ledger_dir) <= cap


def test_a_model_over_its_maximum_is_stopped_at_once(serve, live, capsys):
    """It bills 600 tokens where 50 are the most: twelve times the cap, and once."""
    server = serve(answer=lambda *_: "x" * 2_400, latency=0.02)
    asked = many(30, max_concurrency=10, system_text=None)
    responses = answer(asked, settings=live(max_usd=Decimal("0.0005") + WORST, progress=True))
    assert counted(responses) == {"ok": 1, "blocked_by_budget": 29}
    assert server.total == 1
    kinds = set(responses.column("error_kind").to_pylist())
    assert kinds == {None, "over_maximum"}
    assert "an answer of 600 tokens, where 50 are the most" in capsys.readouterr().out
    again = answer(asked, settings=live(max_usd=1))  # another run finds out for itself, once
    assert counted(again) == {"ok": 2, "blocked_by_budget": 28}


def test_a_prompt_of_more_tokens_than_bytes_stops_a_model(serve, live, capsys):
    server = serve(faults=lambda _: Fault("absurd_usage"))
    responses = answer(many(30, max_concurrency=10), settings=live(max_usd=1, progress=True))
    assert counted(responses) == {"ok": 1, "blocked_by_budget": 29}
    assert server.total == 1
    assert set(responses.column("error_kind").to_pylist()) == {None, "over_maximum"}
    assert "a prompt billed with 2,147,483,648 tokens" in capsys.readouterr().out
    dear = a_request(user_text="el niño", system_text=None)
    most = len("el niño".encode()) + 2_048
    assert over_maximum(dear, an_outcome(input_tokens=most, output_tokens=1)) is None
    assert over_maximum(dear, an_outcome(input_tokens=most + 1, output_tokens=1))


def test_a_model_that_counts_nothing_is_stopped_by_its_text(serve, live):
    """An answer of 600 tokens, where 50 are the most, without a word of what it is billed with."""
    server = serve(answer=lambda *_: "word " * 600, faults=lambda _: Fault("no_usage"))
    responses = answer(many(30, max_concurrency=10), settings=live(max_usd=1))
    assert counted(responses) == {"ok": 1, "blocked_by_budget": 29}
    assert server.total == 1
    serve(answer=lambda *_: "word" + " " * 3_000, faults=lambda _: Fault("no_usage"))
    assert counted(answer(many(4, model_alias="other"), settings=live(max_usd=1))) == {"ok": 4}


def test_a_model_that_begins_to_lie_is_stopped_too(serve, live):
    server = serve(answer=lambda *_: "x" * (2_400 if server.total > 20 else 40), latency=0.01)
    responses = answer(many(100, max_concurrency=5), settings=live(max_usd=1))
    assert server.total <= 20 + 5
    assert counted(responses) == {"ok": server.total, "blocked_by_budget": 100 - server.total}


def test_a_few_tokens_more_are_reserved_for(serve, live):
    serve(answer=lambda *_: "x" * 240)  # 60 tokens where 50 are the most
    columns = {"system_text": None, "estimated_input_tokens": 2, "input_usd_per_mtok": 0.0}
    responses = answer(many(20, max_concurrency=1, **columns), settings=live(max_usd=0.006))
    assert counted(responses) == {"ok": 10, "blocked_by_budget": 10}
    assert charged(live().ledger_dir) <= Decimal("0.006")


def test_a_free_model_may_say_as_much_as_it_likes(serve, live):
    serve(answer=lambda *_: "x" * 2_400)
    responses = answer(many(9, output_usd_per_mtok=0.0), settings=live())
    assert counted(responses) == {"ok": 9}


def an_outcome(**columns) -> Outcome:
    return Outcome(**{"status": Status.OK, **columns})


def a_request(**columns) -> Request:
    return Request.of(request("a case", **columns))


def test_cached_tokens_cost_their_own_price():
    cached = an_outcome(input_tokens=100, cached_input_tokens=60, output_tokens=5)
    assert actual_cost(a_request(), cached) == Decimal("0.000120")  # 40·1 + 60·0.5 + 5·10
    unpriced_cache = a_request(cached_input_usd_per_mtok=None)
    assert actual_cost(unpriced_cache, cached) == Decimal("0.000150")


def test_an_unknown_cost_counts_at_its_worst():
    assert charge(a_request(), an_outcome(), WORST) == WORST
    lost = an_outcome(status=Status.TIMEOUT)
    assert charge(a_request(), lost, WORST) == WORST
    refused = an_outcome(status=Status.RATE_LIMITED, may_be_billed=False)
    assert charge(a_request(), refused, WORST) == 0


def test_prices_are_exact():
    worst_case = WorstCase()
    dear = a_request(input_usd_per_mtok=0.1, output_usd_per_mtok=0.2)
    assert worst_case.cost(dear) * 3 == Decimal("0.00006")  # 0.1 + 0.2 in doubles is not 0.3


def test_a_request_waits_only_while_waiting_can_help():
    async def scenario() -> list[bool]:
        budget = Budget(Decimal(10))
        assert await budget.reserve(Decimal(6))
        waiting = asyncio.create_task(budget.reserve(Decimal(5)))
        hopeless = await budget.reserve(Decimal(11))
        await asyncio.sleep(0)
        assert not waiting.done()
        budget.settle(Decimal(6), Decimal(3))
        assert budget.spent == 3
        return [hopeless, await waiting]

    assert asyncio.run(scenario()) == [False, True]
