"""What all live calls of one process share: a loop, the ledger's lock, limits and budgets.

dbt asks several models at once, each in a thread of its own. Their calls meet here: one event loop
runs them all, so that a model's limits and a run's budget are one, and nothing is asked twice.
"""

from __future__ import annotations

import asyncio
import gc
import math
import sys
import threading
import time
from collections import defaultdict
from collections.abc import AsyncIterator, Coroutine, Iterator
from contextlib import asynccontextmanager, contextmanager, suppress
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any

from python_llm.engine import retry
from python_llm.engine.budget import Budget, WorstCase
from python_llm.engine.errors import EngineError
from python_llm.engine.ledger import BatchStore, Ledger, Writer
from python_llm.engine.limits import Concurrency, Rates
from python_llm.engine.stopping import Stop, stop_all
from python_llm.providers import (
    FINAL,
    PROVIDERS,
    Endpoint,
    NotReady,
    Outcome,
    Provider,
    Status,
)

# What is in flight when a run is told to stop has so long to arrive; told again, it is given up.
PATIENCE_SECONDS = 30.0
LEAVING_SECONDS = 30.0  # so long clients of providers may take to close


@dataclass(frozen=True, slots=True)
class Unsent:
    """Why a request was not sent, or not again."""

    status: Status
    error_kind: str | None = None
    error_message: str | None = None


@dataclass(frozen=True, slots=True)
class LaneKey:
    """What requests must have in common to share a lane."""

    alias: str
    provider: str
    endpoint: Endpoint
    requests_per_minute: int | None
    tokens_per_minute: int | None
    requests_per_day: int | None
    tokens_per_day: int | None


@dataclass
class Lane:
    """What the requests of one model share. hopeless: set when the model will not answer any.
    is_tried: whether an attempt has come back, which tells if it keeps to its maximum of tokens.
    may_see_patients: whether an approval for patients' data holds for the address it is asked at.
    n_refusals: in a row, those that were under way together counted once; refused_at: when the last
    of them came, failing_since: when the first of nothing but failures did, seconds of
    `time.monotonic`."""

    provider: Provider
    concurrency: Concurrency
    rates: Rates
    may_see_patients: bool = False
    worst_case: WorstCase = field(default_factory=WorstCase)
    hopeless: Unsent | None = None
    opens_at: float = 0.0
    n_refusals: int = 0
    refused_at: float = -math.inf
    failing_since: float = math.inf
    is_tried: bool = False
    _trying: asyncio.Event | None = None

    def close(self, reason: Unsent) -> None:
        """Let no further request be sent, and none wait."""
        if self.hopeless is None:
            self.hopeless = reason
            self.opens_at = 0.0
            self.rates.close()

    @asynccontextmanager
    async def tried(self, *, is_billed: bool) -> AsyncIterator[None]:
        """For one attempt: alone with the model until one has come back. What a model charges that
        does not keep to its maximum of tokens is then charged once, and not as often as requests
        may be under way. is_billed: whether it charges for its answers at all."""
        while is_billed and not self.is_tried and self._trying is not None:
            await self._trying.wait()
        if not is_billed or self.is_tried:
            yield
            return
        self._trying = asyncio.Event()
        try:
            yield
        finally:
            self._trying.set()
            self._trying = None

    @property
    def is_shut(self) -> bool:
        """Whether the model has refused or failed everything for too long to go on asking."""
        return time.monotonic() - self.failing_since > retry.LONGEST_REFUSAL_SECONDS

    def learn(self, outcome: Outcome, sent: float) -> None:
        """What an outcome tells about the load the model bears. sent: when its request was,
        seconds of `time.monotonic`."""
        if outcome.error_kind in retry.DOWN:
            self.failing_since = min(self.failing_since, time.monotonic())
        elif outcome.http_status is not None:
            self.failing_since = math.inf
        if outcome.error_kind in retry.CONGESTED:
            self._refused(outcome.retry_after_seconds or 0.0, sent)
        elif outcome.http_status is not None:
            self.n_refusals = 0
            if outcome.status in FINAL:
                self.concurrency.succeeded(sent)

    def _refused(self, asked: float, sent: float) -> None:
        """The provider cannot keep up: fewer requests at a time. None for a while where it asks for
        that, and where it refuses again with nothing but refusals in between: it is then the model
        that is over its limit, not the one request that was told so."""
        now, pause = time.monotonic(), 0.0
        self.concurrency.refused(sent)
        if sent >= self.refused_at:
            self.refused_at = now
            self.n_refusals += 1
            if self.n_refusals > 1:
                pause = retry.doubled(self.n_refusals - 1)
        pause = max(pause, min(asked, retry.LONGEST_RETRY_AFTER_SECONDS))
        self.opens_at = max(self.opens_at, now + pause)

    async def opened(self) -> None:
        while (pause := self.opens_at - time.monotonic()) > 0:
            await asyncio.sleep(pause)


class Live:
    """The shared part. `answered` and `asking`: keys, while more than one call is here."""

    def __init__(self, ledger: Ledger, run_id: str, session_id: str, stop: Stop) -> None:
        self.ledger = ledger
        self.users = 0
        self.asking: dict[str, asyncio.Event] = {}
        self.answered: dict[str, Status] = {}
        self._lanes: dict[LaneKey, Lane] = {}
        self._budgets: dict[str, Budget] = {}
        self._counting = threading.Lock()
        self.batches: BatchStore = ledger.batches
        self._batch_turn = asyncio.Lock()
        self._writing = ledger.writing(run_id, session_id, lambda: stop.is_set)
        self.writer: Writer = self._writing.__enter__()
        self.loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self.loop.run_forever, name="engine", daemon=True)
        self._thread.start()

    def budget(self, run_id: str, cap: Decimal) -> Budget:
        """The one budget of a run."""
        with self._counting:  # calls come from their own threads, and the ledger takes its time
            if run_id not in self._budgets:
                promised = [b for b in self.batches.open_batches() if b.intent["run_id"] == run_id]
                spent = self.ledger.spent(run_id) + sum(batch.worst_case for batch in promised)
                self._budgets[run_id] = Budget(cap, spent)
            return self._budgets[run_id]

    def lane(self, key: LaneKey, history: list[tuple[float, int]]) -> Lane:
        """The one lane of a model. Errors: EngineError when its provider cannot be asked."""
        if key not in self._lanes:
            entry = PROVIDERS[key.provider]
            provider = connected(key.alias, key.provider, key.endpoint)
            self._lanes[key] = Lane(
                provider,
                Concurrency(key.endpoint.max_connections),
                Rates(
                    key.requests_per_minute,
                    key.tokens_per_minute,
                    key.requests_per_day,
                    history,
                    tokens_per_day=key.tokens_per_day,
                ),
                entry.may_see_patients(provider, key.endpoint),
            )
            # dbt and the SDKs keep so much that one full collection stops the loop for longer than
            # a hundred requests take. What there is now outlives the asking: it is left out.
            gc.freeze()
        return self._lanes[key]

    def promised(self) -> set[str]:
        """Keys of the requests that an open batch has."""
        return {key for batch in self.batches.open_batches() for key in batch.keys}

    @asynccontextmanager
    async def batch_turn(self) -> AsyncIterator[None]:
        """Alone with the open batches, among the calls of this process and all others."""
        async with self._batch_turn, self.writer.batch_turn():
            yield

    def run(self, work: Coroutine[Any, Any, None], stop: Stop) -> None:
        """Wait in this thread for work on the shared loop. An interrupt of this thread stops all
        live calls, and is raised once what was in flight has been kept."""
        future = asyncio.run_coroutine_threadsafe(work, self.loop)
        try:
            future.result()
        except KeyboardInterrupt:
            if not future.done():
                if not stop.is_set:  # by a handler that is not ours
                    stop_all()
                with suppress(BaseException):
                    future.result(PATIENCE_SECONDS + 5)
            raise

    def close(self) -> None:
        """Errors: EngineError when the ledger cannot be written."""
        try:
            asyncio.run_coroutine_threadsafe(self._leave(), self.loop).result()
        finally:
            self.loop.call_soon_threadsafe(self.loop.stop)
            self._thread.join()
            self.loop.close()
            gc.unfreeze()
            self._writing.__exit__(*sys.exc_info())

    async def _leave(self) -> None:
        with suppress(EngineError):  # which closing the writer raises again
            await self.writer.durable()
        # a ledger that is away has its own patience; a client that does not close has this one
        with suppress(TimeoutError):
            async with asyncio.timeout(LEAVING_SECONDS):
                for lane in self._lanes.values():
                    with suppress(Exception):
                        await lane.provider.close()


def connected(alias: str, provider: str, endpoint: Endpoint) -> Provider:
    """The provider of a model. Errors: EngineError when it cannot be asked, or not there."""
    try:
        return PROVIDERS[provider].connect(endpoint)
    except NotReady as error:
        raise EngineError(f"{alias} cannot be asked. {error}") from error


_OPEN: dict[str, Live] = {}
_DOORS: dict[str, threading.Lock] = defaultdict(threading.Lock)


@contextmanager
def entered(ledger: Ledger, run_id: str, session_id: str, stop: Stop) -> Iterator[Live]:
    """The process's live part for one ledger; the first to come opens it, the last closes it.
    Errors: EngineError when the ledger cannot be written, or when told to stop while waiting."""
    name = ledger.identity
    with _DOORS[name]:
        live = _OPEN.get(name)
        if live is None:
            live = _OPEN[name] = Live(ledger, run_id, session_id, stop)
        live.users += 1
    try:
        yield live
    finally:
        with _DOORS[name]:
            live.users -= 1
            if not live.users:
                del _OPEN[name]
                live.close()
