"""The engine's asking in simulated time: a model is a coroutine, hours pass in a second, nothing is
written. What is simulated is the loop's clock, the provider and the ledger; all else is real."""

from __future__ import annotations

import asyncio
import random
import selectors
from collections import Counter
from collections.abc import Awaitable, Callable
from decimal import Decimal
from types import SimpleNamespace
from typing import Any

import pyarrow as pa
import pytest
from asking import many

from python_llm.engine import asking, limits, live
from python_llm.engine.asking import Asking
from python_llm.engine.budget import Budget
from python_llm.engine.limits import Concurrency, Rates
from python_llm.engine.live import Lane
from python_llm.engine.requests import read_requests
from python_llm.engine.settings import Settings
from python_llm.providers import Outcome, Status

OK = Outcome(Status.OK, http_status=200)
Model = Callable[[float], Awaitable[Outcome]]


def refused(retry_after: float | None = None) -> Outcome:
    return Outcome(
        Status.RATE_LIMITED,
        error_kind="rate_limited",
        http_status=429,
        retry_after_seconds=retry_after,
        may_be_billed=False,
    )


def failed(kind: str, http_status: int | None) -> Outcome:
    return Outcome(
        Status.PROVIDER_ERROR, error_kind=kind, http_status=http_status, may_be_billed=False
    )


class Loop(asyncio.SelectorEventLoop):
    """Time passes only when everybody waits."""

    def __init__(self) -> None:
        self.now = 1000.0
        loop = self

        class Selector(selectors.DefaultSelector):
            def select(self, timeout: float | None = None) -> list[Any]:
                if timeout is None:
                    raise RuntimeError("everybody waits, and for nothing")
                loop.now += timeout
                return super().select(0)

        super().__init__(Selector())

    def time(self) -> float:
        return self.now

    def run_in_executor(self, _executor: Any, call: Callable[..., Any], *arguments: Any) -> Any:
        """At once: while a thread worked, nobody would wait, and no time would pass."""
        done = self.create_future()
        done.set_result(call(*arguments))
        return done


class Writer:
    """A ledger that takes everything at once."""

    async def claim(self, _keys: list[str]) -> dict[str, Any]:
        return {}

    async def intend(self, _row: dict[str, Any]) -> bool:
        return True

    async def append(self, _row: dict[str, Any]) -> None: ...

    def release(self, _keys: list[str]) -> None: ...


class Run:
    """What came of a run. seconds: how long it took. sent: attempts. log: (second, whether it was
    refused or failed) of each. attempts: how many each request had. statuses: how many requests
    ended with each."""

    def __init__(self) -> None:
        self.log: list[tuple[float, bool]] = []
        self.attempts: Counter[str] = Counter()
        self.statuses: Counter[Status] = Counter()
        self.seconds = 0.0

    def share_refused(self, after: float = 0.0) -> float:
        late = [is_refused for at, is_refused in self.log if at >= after]
        return sum(late) / len(late)


@pytest.fixture
def simulate(monkeypatch: pytest.MonkeyPatch) -> Callable[..., Run]:
    """simulate(model, n, most, seed): n requests, `most` at a time at most. model(second) is an
    attempt that begins so many seconds into the run."""

    def run(model: Model, *, n: int = 1000, most: int = 50, seed: int = 0) -> Run:
        loop, seen = Loop(), Run()
        clock = SimpleNamespace(monotonic=loop.time)
        for module in (asking, limits, live):
            monkeypatch.setattr(module, "time", clock)
        random.seed(seed)
        began = loop.now

        async def ask(question: Any) -> Outcome:
            outcome = await model(loop.now - began)
            seen.log.append((loop.now - began, outcome.status is not Status.OK))
            seen.attempts[question.user_text] += 1
            return outcome

        def counting(keys: pa.ChunkedArray, _columns: list[str]) -> pa.Table:
            return pa.table({"n_attempts": pa.nulls(len(keys), pa.int64())})

        lane = Lane(SimpleNamespace(ask=ask, address=""), Concurrency(most), Rates())
        budget = Budget(Decimal(10**6), Decimal(0))
        shared = SimpleNamespace(
            writer=Writer(),
            ledger=SimpleNamespace(recent=lambda _: pa.table({}), counting=counting),
            asking={},
            answered={},
            users=1,
            budget=lambda *_: budget,
            lane=lambda *_: lane,
        )
        settings = Settings(mode="live", progress=False)
        with read_requests(many(n, max_concurrency=most), None) as requests:
            rows = list(range(n))
            endpoint = SimpleNamespace(api_key=None, base_url=None)
            endpoints = {"openai_model": ("openai", endpoint)}
            recorder = SimpleNamespace(before_sending=unrecorded)
            asked = Asking(requests, rows, settings, "s", shared, endpoints, {}, recorder)
            settle = asked._settle

            async def settled(lane: Lane, request: Any) -> Status | None:
                status = await settle(lane, request)
                if status is not None:  # otherwise it gives way, and is asked again
                    seen.statuses[status] += 1
                return status

            monkeypatch.setattr(asked, "_settle", settled)
            loop.run_until_complete(asked.ask())
        seen.seconds = loop.now - began
        loop.close()
        return seen

    return run


async def unrecorded(request: Any, writer: Any) -> None:
    """No words are kept of what is only simulated."""


async def answered() -> Outcome:
    await asyncio.sleep(random.uniform(0.3, 1.0))
    return OK


async def at_once(outcome: Outcome) -> Outcome:
    await asyncio.sleep(0.02)
    return outcome


def by_chance(share: float, outcome: Outcome) -> Model:
    """So large a share ends so, whatever the load."""

    async def model(_second: float) -> Outcome:
        return await (at_once(outcome) if random.random() < share else answered())

    return model


def at_most(places: int, slowness: float = 1.0) -> Model:
    """Refuses at once what is more than so many at a time."""
    busy = 0

    async def model(_second: float) -> Outcome:
        nonlocal busy
        if busy >= places:
            return await at_once(refused())
        busy += 1
        await asyncio.sleep(slowness * random.uniform(0.3, 1.0))
        busy -= 1
        return OK

    return model


def bucket(per_second: float, holds: float, retry_after: float | None = None) -> Model:
    """A token bucket."""
    tokens, filled = holds, 0.0

    async def model(second: float) -> Outcome:
        nonlocal tokens, filled
        tokens, filled = min(holds, tokens + (second - filled) * per_second), second
        if tokens < 1:
            return await at_once(refused(retry_after))
        tokens -= 1
        return await answered()

    return model


def changing(*models: tuple[float, Model]) -> Model:
    """Each model until its second."""

    async def model(second: float) -> Outcome:
        return await next(model for until, model in models if second < until)(second)

    return model
