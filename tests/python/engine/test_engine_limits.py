"""Limits: concurrency that adapts, windows that slide, retries that wait as long as they should."""

from __future__ import annotations

import asyncio
import time
from datetime import UTC, datetime
from functools import partial

import pytest
from asking import many, request, table
from loopback import Fault

from python_llm.engine import answer, attempts, limits, retry
from python_llm.engine.limits import Concurrency, Rates
from python_llm.engine.live import Lane
from python_llm.engine.retry import (
    LONGEST_RETRY_AFTER_SECONDS,
    RETRIES,
    pause_before_retry,
)
from python_llm.providers import Outcome, Status
from python_llm.providers.base import retry_after


def test_never_more_at_a_time_than_the_model_allows(serve, live):
    server = serve(latency=0.01)
    answer(many(60, max_concurrency=7), settings=live())
    assert server.peak == 7


@pytest.mark.usefixtures("quick_retries")
def test_congestion_lowers_concurrency_and_success_raises_it(serve, live):
    """A server that takes four at a time and refuses more: nearly everything is answered, and the
    refusals are far fewer than 16 at a time would provoke."""
    server = serve(latency=0.01)
    server.faults = lambda _: Fault("rate_limit") if server.in_flight >= 4 else None
    responses = answer(many(200, max_concurrency=16), settings=live(max_attempts=10))
    assert responses.column("status").to_pylist().count("ok") >= 198
    assert server.total - 200 < 120


def test_retry_after_holds_back_the_whole_model_and_no_other(serve, live):
    """The first request to be refused is told to wait 1.2 s: so do all that come after it."""
    server = serve(latency=0.02)
    refused_at: list[float] = []
    arrived: list[tuple[float, str]] = []

    def refuse_once(seen) -> Fault | None:
        now = time.monotonic()
        arrived.append((now, seen.provider))
        if seen.provider == "openai" and not refused_at:
            refused_at.append(now)
            return Fault("rate_limit", retry_after="1.2")
        return None

    server.faults = refuse_once
    rows = [request(f"case {n}", p) for n in range(60) for p in ("openai", "anthropic")]
    responses = answer(table(*rows), settings=live())
    assert set(responses.column("status").to_pylist()) == {"ok"}
    refused = refused_at[0]
    # What was sent before the refusal was heard may still arrive.
    assert "openai" not in [p for at, p in arrived if refused + 0.2 < at < refused + 1.2]
    assert "anthropic" in [p for at, p in arrived if refused < at < refused + 1.2]
    before = [at for at, p in arrived if p == "openai" and at <= refused + 0.2]
    assert len(before) <= 16


def test_refusals_in_a_row_close_a_model_longer_and_longer():
    lane = Lane(None, Concurrency(64), Rates())

    def closed_for(kind: str | None, **columns) -> float:
        outcome = Outcome(Status.RATE_LIMITED if kind else Status.OK, error_kind=kind, **columns)
        lane.opens_at = 0.0
        lane.learn(outcome, time.monotonic())
        return max(0.0, round(lane.opens_at - time.monotonic(), 2))

    refused = partial(closed_for, "rate_limited", http_status=429)
    assert refused() == 0  # it may have been chance
    assert [refused() for _ in range(8)] == [0.5, 1, 2, 4, 8, 16, 30, 30]
    before = time.monotonic() - 1
    lane.opens_at = 0.0
    lane.learn(failed("overloaded", http_status=529), before)  # was under way with the others
    assert lane.opens_at < time.monotonic()
    assert closed_for(None, http_status=200) == 0
    assert refused(retry_after_seconds=7.0) == 7
    assert closed_for("overloaded", http_status=503, retry_after_seconds=0.0) == 0.5
    assert closed_for("timeout") == 0  # it says nothing about refusals
    assert refused() == 1
    assert closed_for("server_error", http_status=500) == 0
    assert refused() == 0


@pytest.mark.usefixtures("quick_retries")
def test_a_model_that_refuses_too_long_is_left_for_a_later_run(serve, live, monkeypatch):
    monkeypatch.setattr(retry, "LONGEST_REFUSAL_SECONDS", 0.4)
    server = serve(faults=lambda seen: Fault("unavailable") if seen.provider == "openai" else None)
    rows = [request(f"case {n}", p) for n in range(60) for p in ("openai", "anthropic")]
    responses = answer(table(*rows), settings=live(max_attempts=99)).to_pylist()
    of_it = [row for row in responses if row["error_kind"]]
    assert len(of_it) == 60
    assert {(row["status"], row["error_kind"]) for row in of_it} == {
        ("provider_error", "overloaded")
    }
    assert any(row["n_attempts"] == 0 for row in of_it)
    assert sum(row["n_attempts"] for row in of_it) < 60
    server.faults = None
    again = answer(table(*rows), settings=live())
    assert set(again.column("status").to_pylist()) == {"ok"}


@pytest.mark.usefixtures("quick_retries")
def test_requests_that_are_always_refused_hold_up_no_other(serve, live, monkeypatch):
    """As many of them as the model has places, and first in the queue: in each run again."""
    monkeypatch.setattr(retry, "LONGEST_REFUSAL_SECONDS", 0.6)
    serve(faults=lambda seen: Fault("unavailable") if "refused" in str(seen.payload) else None)
    rows = [request(f"refused {n}", max_concurrency=2) for n in range(4)]
    rows += [request(f"case {n}", max_concurrency=2) for n in range(30)]
    responses = answer(table(*rows), settings=live(max_attempts=99)).to_pylist()
    assert [row["status"] for row in responses] == ["provider_error"] * 4 + ["ok"] * 30
    assert all(row["n_attempts"] >= 3 for row in responses[:4])


def test_places_are_given_on_and_not_lost_with_cancelled_tasks():
    async def scenario() -> None:
        concurrency = Concurrency(1)
        await concurrency.acquire()
        first = asyncio.create_task(concurrency.acquire())
        second = asyncio.create_task(concurrency.acquire())
        await asyncio.sleep(0)
        concurrency.release()  # offers the place to the first,
        first.cancel()  # which goes away before it takes it
        await asyncio.wait_for(second, 1)
        assert concurrency.in_use == 1

    asyncio.run(scenario())


class Clock:
    """Time that passes only when somebody waits."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.now = 1000.0
        clock = self

        class Timeout:
            def __init__(self, seconds: float) -> None:
                self.seconds = seconds

            async def __aenter__(self) -> None:
                clock.now += self.seconds
                raise TimeoutError

            async def __aexit__(self, *_: object) -> None: ...

        monkeypatch.setattr(limits.asyncio, "timeout", Timeout)

    def __call__(self) -> float:
        return self.now


def test_no_minute_holds_more_requests_than_allowed(monkeypatch):
    clock = Clock(monkeypatch)

    async def scenario() -> list[float]:
        rates = Rates(requests_per_minute=5, clock=clock)
        return [(await rates.admit(1)).at for _ in range(23)]

    times = asyncio.run(scenario())
    for at in times:
        assert sum(at - 60 < other <= at for other in times) <= 5
    assert times[-1] - times[0] == pytest.approx(4 * 60, abs=0.1)  # and not fewer


def test_tokens_are_reserved_and_given_back(monkeypatch):
    clock = Clock(monkeypatch)

    async def scenario() -> list[float]:
        rates = Rates(tokens_per_minute=1000, clock=clock)
        first = await rates.admit(600)
        rates.correct(first, 100)
        second = await rates.admit(600)  # fits only because the first gave 500 back
        third = await rates.admit(600)
        larger_than_any_minute = await rates.admit(5000)
        return [a.at - 1000 for a in (first, second, third, larger_than_any_minute)]

    assert asyncio.run(scenario()) == pytest.approx([0, 0, 60, 120], abs=0.1)


def test_the_minute_before_the_run_counts(monkeypatch):
    clock = Clock(monkeypatch)

    async def scenario() -> float:
        history = [(10.0, 5), (50.0, 5), (70.0, 5)]
        rates = Rates(requests_per_minute=2, history=history, clock=clock)
        return (await rates.admit(1)).at

    assert asyncio.run(scenario()) == pytest.approx(1010, abs=0.1)


def test_no_day_holds_more_tokens_than_allowed(monkeypatch):
    clock = Clock(monkeypatch)

    async def scenario() -> list[bool]:
        history = [(3_600.0, 400), (90_000.0, 5_000)]  # an hour and a day ago
        rates = Rates(tokens_per_day=1000, history=history, clock=clock)
        first = await rates.admit(500)
        refused = await rates.admit(200)
        rates.correct(first, 300)  # what it did not use is the day's again
        fits = await rates.admit(300)
        full = await rates.admit(1)
        clock.now += 86_400 - 3_600  # the hour before the run is a day ago
        tomorrow = await rates.admit(400)
        return [one is not None for one in (first, refused, fits, full, tomorrow)]

    assert asyncio.run(scenario()) == [True, False, True, False, True]


def test_a_day_of_no_tokens_lets_nobody_through():
    assert asyncio.run(Rates(tokens_per_day=0).admit(1)) is None


def test_the_tokens_of_earlier_runs_count_for_the_day(serve, live):
    server = serve()
    # at 150 tokens of a worst case each, and far fewer of an answer, two fit beside nothing else
    first = answer(many(2, tokens_per_day=320), settings=live())
    assert first.column("status").to_pylist() == ["ok", "ok"]
    spent = sum(row["input_tokens"] + row["output_tokens"] for row in first.to_pylist())
    later = answer(many(4, tokens_per_day=spent + 149), settings=live(run_id="later"))
    assert later.column("status").to_pylist() == ["ok", "ok", "rate_limited", "rate_limited"]
    assert {row["error_kind"] for row in later.to_pylist()[2:]} == {"day_is_full"}
    assert server.total == 2


def test_the_day_counts_attempts_of_earlier_runs(serve, live):
    server = serve()
    responses = answer(many(5, requests_per_day=3), settings=live())
    assert responses.column("status").to_pylist().count("ok") == 3
    later = answer(many(5, requests_per_day=4), settings=live(run_id="later"))
    assert later.column("status").to_pylist().count("ok") == 4
    [blocked] = [row for row in later.to_pylist() if row["status"] != "ok"]
    assert (blocked["status"], blocked["error_kind"]) == ("rate_limited", "day_is_full")
    assert blocked["n_attempts"] == 0
    assert server.total == 4


def test_a_hopeless_model_does_not_wait_for_its_next_minute(serve, live):
    serve(faults=lambda _: Fault("bad_key"), latency=0.02)
    began = time.monotonic()
    answer(many(30, requests_per_minute=4), settings=live())
    assert time.monotonic() - began < 10


def test_models_do_not_wait_for_each_other(serve, live):
    server = serve(latency=0.2)
    rows = [
        request(f"case {n}", p, max_concurrency=1)
        for n in range(3)
        for p in ("openai", "anthropic")
    ]
    answer(table(*rows), settings=live())
    log = attempts(live().ledger_dir).to_pylist()
    began = min(row["started_at"] for row in log)
    assert server.peak == 2
    assert (max(row["ended_at"] for row in log) - began).total_seconds() < 1.0


def failed(kind: str, **columns) -> Outcome:
    return Outcome(Status.PROVIDER_ERROR, error_kind=kind, **columns)


def pauses(outcome: Outcome, draw: float, max_attempts: int = 4) -> list[float | None]:
    return [
        pause_before_retry(outcome, attempts=n, same_kind=n, max_attempts=max_attempts, draw=draw)
        for n in range(1, max_attempts + 1)
    ]


def test_pauses_double_with_jitter():
    assert pauses(failed("server_error"), draw=0.0) == [0.25, 0.5, 1.0, None]
    assert pauses(failed("server_error"), draw=0.999)[:3] == pytest.approx([0.5, 1, 2], rel=0.01)
    outlasting = pauses(failed("connect"), draw=0.0, max_attempts=20)[:8]
    assert outlasting == [0.25, 0.5, 1, 2, 4, 8, 15, None]


def test_pauses_after_refusals_do_not_double():
    """It is the model that is asked less."""
    for kind in ("rate_limited", "overloaded"):
        assert pauses(failed(kind), draw=0.0, max_attempts=20) == [0.25] * 19 + [None]


def test_retry_after_is_obeyed_up_to_a_cap():
    asked = failed("rate_limited", retry_after_seconds=7.0)
    assert pauses(asked, draw=0.0)[0] == 7.0
    assert 7.0 < pauses(asked, draw=0.9)[0] < 7.2
    for_ever = failed("rate_limited", retry_after_seconds=9999.0)
    assert pauses(for_ever, draw=0.0)[0] == LONGEST_RETRY_AFTER_SECONDS


def test_what_may_have_been_billed_is_rarely_sent_again():
    assert pauses(failed("timeout"), 0.5)[1] is None
    assert pauses(failed("connection_lost"), 0.5)[2] is None
    for kind in ("invalid_request", "authentication", "permission", "not_found", "unexpected"):
        assert kind not in RETRIES
        assert pauses(failed(kind), 0.5)[0] is None


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({}, None),
        ({"retry-after": "3"}, 3.0),
        ({"retry-after": "1.5"}, 1.5),
        ({"retry-after-ms": "250", "retry-after": "3"}, 0.25),
        ({"retry-after": "Wed, 21 Oct 2026 07:28:30 GMT"}, 30.0),
        ({"retry-after": "Wed, 21 Oct 2026 07:27:00 GMT"}, 0.0),
        ({"retry-after": "soon"}, None),
        ({"retry-after": "-5"}, None),
        ({"retry-after": "inf"}, None),
        ({"retry-after": "nan"}, None),
    ],
)
def test_retry_after_in_all_its_forms(headers, seconds):
    assert retry_after(headers, datetime(2026, 10, 21, 7, 28, tzinfo=UTC)) == seconds
