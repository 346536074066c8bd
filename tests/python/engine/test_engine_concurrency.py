"""How many requests at a time: as many as the model takes, found by asking, in simulated time.

An answer takes 0.65 s in the mean, a refusal 0.02 s.
"""

from __future__ import annotations

import asyncio
import math
from statistics import median

import pytest
from simulated import OK, at_most, at_once, bucket, by_chance, changing, failed, refused, simulate

from python_llm.engine.limits import Concurrency
from python_llm.providers import Status

__all__ = ["simulate"]
ANSWER = 0.65
SEEDS = range(5)


def test_refusals_unrelated_to_load_do_not_slow_it_down(simulate):
    """Three in ten: 50 at a time, 0.7 of them answered, would take 3,000 requests in 56 s."""
    runs = [simulate(by_chance(0.3, refused()), n=3000, seed=seed) for seed in SEEDS]
    assert all(run.statuses == {Status.OK: 3000} for run in runs)
    assert median(run.seconds for run in runs) < 1.3 * 3000 / 0.7 / 50 * ANSWER


@pytest.mark.parametrize(("places", "most"), [(10, 50), (30, 50), (1, 8), (20, 200)])
def test_a_model_that_takes_so_many_at_a_time_is_given_so_many(simulate, places, most):
    run = simulate(at_most(places), most=most)
    assert run.statuses == {Status.OK: 1000}
    assert run.seconds < 1.2 * 1000 / places * ANSWER
    at_first, later = 2 * most, 0.06 if places > 1 else 0.2
    assert len(run.log) - 1000 < at_first + later * 1000


@pytest.mark.parametrize("retry_after", [None, 1.0])
def test_a_rate_is_found_and_held(simulate, retry_after):
    """20 a second, 20 of them saved up: 50 at a time would be 77 a second."""
    for seed in SEEDS:
        run = simulate(bucket(20, 20, retry_after), seed=seed)
        assert run.statuses == {Status.OK: 1000}
        assert run.seconds < 1.2 * 1000 / 20
        assert run.share_refused() < 0.12


def test_places_rest_while_nothing_is_known(simulate):
    """Answers take minutes, refusals no time: before the first answer nobody is refused twice."""
    run = simulate(at_most(10, slowness=200), n=200)
    first = min(second for second, is_refused in run.log if not is_refused)
    assert sum(second <= first for second, _ in run.log) <= 51
    assert run.statuses == {Status.OK: 200}


def test_an_outage_costs_few_requests_and_no_answers(simulate):
    outage = changing(
        (13, by_chance(0, OK)), (33, by_chance(1, refused())), (math.inf, by_chance(0, OK))
    )
    run = simulate(outage, n=2000)
    assert run.statuses == {Status.OK: 2000}
    assert len(run.log) - 2000 < 150  # what was under way, and a probe now and then
    assert run.seconds < 2000 / 50 * ANSWER + 20 + 16 + 10  # the longest pause, and doubling again


@pytest.mark.parametrize(("kind", "status"), [("connect", None), ("server_error", 500)])
def test_a_server_that_restarts_costs_no_answers(simulate, kind, status):
    down = by_chance(1, failed(kind, status))
    run = simulate(changing((5, by_chance(0, OK)), (25, down), (math.inf, by_chance(0, OK))))
    assert run.statuses == {Status.OK: 1000}


def test_errors_by_chance_rarely_cost_an_answer(simulate):
    """0.3 ** 8 of 5,000 is a third of one."""
    model = by_chance(0.3, failed("server_error", 500))
    lost = sum(simulate(model, seed=seed).statuses[Status.PROVIDER_ERROR] for seed in SEEDS)
    assert lost <= 3


@pytest.mark.parametrize(("places", "seed"), [(10, 0), (35, 0), (35, 1), (35, 2), (35, 3)])
def test_what_was_tolerated_does_not_hide_a_limit(simulate, places, seed):
    """Three in ten by chance for a while, then so many at a time and no more; of 50 at a time that
    refuses as many, or more."""
    model = changing((20, by_chance(0.3, refused())), (math.inf, at_most(places)))
    run = simulate(model, n=1000 + 120 * places, seed=seed)
    assert run.statuses[Status.OK] > 0.999 * run.statuses.total()
    assert run.seconds > 75
    assert run.share_refused(after=60) < 0.12


def test_a_limit_that_is_lifted_is_left(simulate):
    run = simulate(changing((20, at_most(10)), (math.inf, by_chance(0, OK))), n=3000)
    assert run.statuses == {Status.OK: 3000}
    assert run.seconds < 20 + 3000 / 50 * ANSWER + 30


def test_no_request_is_refused_for_ever(simulate):
    """Six in ten by chance: each request has 20 attempts at most, and nearly all are answered."""
    run = simulate(by_chance(0.6, refused()))
    assert run.statuses[Status.OK] > 990
    assert max(run.attempts.values()) <= 20


def test_a_model_that_only_fails_is_left_after_two_minutes(simulate):
    run = simulate(by_chance(1, failed("server_error", 500)), n=5000)
    assert run.statuses == {Status.PROVIDER_ERROR: 5000}
    assert 120 < run.seconds < 120 + 31
    assert len(run.log) < 1500


def test_the_refusals_of_one_round_trip_lower_the_limit_once():
    async def scenario() -> list[int]:
        concurrency, seen = Concurrency(50), []

        async def one(number: int) -> None:
            await concurrency.acquire()
            sent = asyncio.get_running_loop().time()
            is_refused = number < 20
            await at_once(OK) if is_refused else await asyncio.sleep(0.05)
            (concurrency.refused if is_refused else concurrency.succeeded)(sent)
            concurrency.release()
            seen.append(concurrency.limit)

        await asyncio.gather(*(one(number) for number in range(50)))
        return seen

    seen = asyncio.run(scenario())
    assert set(seen) == {50, 30}  # to what was let in
    assert seen == sorted(seen, reverse=True)
