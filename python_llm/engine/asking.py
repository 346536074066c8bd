"""One live call: each of its requests is asked until it has a final answer or nothing is left to
try."""

from __future__ import annotations

import asyncio
import math
import time
import uuid
from collections import Counter, defaultdict, deque
from collections.abc import Collection, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, fields, replace
from datetime import UTC, datetime, timedelta
from decimal import ROUND_UP, Decimal
from typing import Any
from urllib.parse import urlsplit

from python_llm.audit import secrets
from python_llm.engine.bounds import bounded
from python_llm.engine.budget import actual_cost, charge, over_maximum
from python_llm.engine.errors import EngineError
from python_llm.engine.evidence import note_sending
from python_llm.engine.ledger import Ledger
from python_llm.engine.limits import DAY, Admission
from python_llm.engine.live import PATIENCE_SECONDS, Lane, LaneKey, Live, Unsent
from python_llm.engine.progress import LINE_SECONDS, Progress, dollars, say
from python_llm.engine.records import Recorder
from python_llm.engine.requests import Requests
from python_llm.engine.retry import (
    CONGESTED,
    DOWN,
    HOPELESS,
    REFUSALS_BEFORE_OTHERS,
    pause_before_retry,
)
from python_llm.engine.schema import Request, per_token
from python_llm.engine.settings import Settings
from python_llm.providers import FINAL, Endpoint, Outcome, Status

_DOLLAR_PLACES = Decimal("0.000000001")

INTERRUPTED = Outcome(
    Status.PROVIDER_ERROR,
    error_kind="interrupted",
    error_message="the run was stopped before the answer came",
)
OVER_CAP = Unsent(
    Status.BLOCKED_BY_BUDGET, "over_cap", "its worst case does not fit under max_usd any more"
)
OVER_MAXIMUM = Unsent(
    Status.BLOCKED_BY_BUDGET,
    "over_maximum",
    "not sent: an earlier answer was billed with more tokens than the model's maximum, so no worst "
    "case of it holds; check max_output_tokens and the server",
)
OVER_DAY = Unsent(
    Status.RATE_LIMITED,
    "day_is_full",
    "the model's requests or tokens of 24 hours (requests_per_day, tokens_per_day) are used up",
)
BY_ADDRESS = Unsent(
    Status.BLOCKED_BY_POLICY,
    "address",
    "the model is approved for patients' data, but not at this address: it must begin with https, "
    "its host be named in full among the model's `hosts`, and approved_by and reviewed_by in "
    "seeds/calls/llm_models.csv name two people",
)
IN_BATCH = Unsent(
    Status.NOT_REQUESTED, "in_batch", "it is in a batch that has not finished: build again later"
)
ELSEWHERE = Unsent(
    Status.NOT_REQUESTED, "asked_elsewhere", "another call is asking it: build again later"
)
STOPPED = Unsent(Status.NOT_REQUESTED, "stopped", "the run was stopped before it was sent")
# How often it is looked whether another machine has come to an end with a request.
ELSEWHERE_SECONDS = 1.0
LIMITS = ["requests_per_minute", "tokens_per_minute", "requests_per_day", "tokens_per_day"]


@dataclass
class Tried:
    """The attempts at a request in this call: how many failed of each kind, how the last did."""

    kinds: Counter[str | None] = field(default_factory=Counter)
    status: Status | None = None


class Asking:
    """One live call of the engine. Runs on the shared loop."""

    def __init__(
        self,
        requests: Requests,
        rows: list[int],
        settings: Settings,
        session_id: str,
        live: Live,
        endpoints: Mapping[str, tuple[str, Endpoint]],
        unsent: dict[str, Unsent],
        recorder: Recorder,
    ) -> None:
        self._requests = requests
        self._settings = settings
        self._session_id = session_id
        self._live = live
        self._writer = live.writer
        self._endpoints = endpoints
        self._unsent = unsent
        self._recorder = recorder
        self._budget = live.budget(settings.run_id, settings.max_usd)
        self._secrets = secrets_of(endpoint for _, endpoint in endpoints.values())
        self._stopped = asyncio.Event()
        self._impatient = asyncio.Event()
        self._sending: set[asyncio.Task[Any]] = set()
        # What the ledger is asked for is asked here: the loop is not to wait for it.
        self._n_rows = len(rows)
        self._by_alias = _by_alias(requests, rows)
        self._queues: dict[str, deque[int]] = {}
        self._gave_way: dict[str, Tried] = {}
        self._history = _history(live.ledger)
        self._attempts_before = attempt_counts(live.ledger, requests, rows)
        if settings.progress:
            say(self._estimate(self._by_alias))

    def stop(self) -> None:
        """Send nothing more and keep what is in flight; told twice, do not wait for that either."""
        if self._stopped.is_set():
            self._impatient.set()
        self._stopped.set()

    async def ask(self) -> None:
        """Send the requests, and return when each has ended.

        Errors: EngineError when the ledger cannot be written, and when told to stop.
        """
        lanes = {alias: self._lane(alias, rows[0]) for alias, rows in self._by_alias.items()}
        await asyncio.to_thread(self._note, lanes)
        totals = {alias: len(rows) for alias, rows in sorted(self._by_alias.items())}
        self._progress = Progress(
            totals, lambda: self._budget.spent, self._budget.cap, self._settings.progress
        )
        ticker = asyncio.create_task(self._tick())
        rows_of, told = self._by_alias, False
        try:
            while rows_of and not self._stopped.is_set():
                self._elsewhere: dict[str, list[int]] = defaultdict(list)
                await self._ask(lanes, rows_of)
                if rows_of := self._elsewhere:
                    told = told or self._tell_of(rows_of)
                    with suppress(TimeoutError):
                        async with asyncio.timeout(ELSEWHERE_SECONDS):
                            await self._stopped.wait()
        finally:
            ticker.cancel()
            self._progress.close()
        if self._stopped.is_set():
            raise EngineError(
                f"The run was stopped: {self._progress.done:,} of {self._n_rows:,} requests had "
                "ended and are kept. Run it again for the rest."
            )

    async def _ask(self, lanes: Mapping[str, Lane], rows_of: Mapping[str, list[int]]) -> None:
        """Settle these requests, but for those that another session is asking: they are left in
        `_elsewhere`."""
        workers = []
        for alias, rows in rows_of.items():
            self._queues[alias] = deque(rows)
            for _ in range(min(lanes[alias].concurrency.most, len(rows))):
                workers.append(asyncio.create_task(self._work(lanes[alias], self._queues[alias])))
        await self._finish(workers)

    def _tell_of(self, rows_of: Mapping[str, list[int]]) -> bool:
        n_rows = sum(map(len, rows_of.values()))
        if self._settings.progress:
            say(f"another machine is asking {n_rows:,} of these requests: waiting for its answers")
        return True

    async def _finish(self, workers: list[asyncio.Task[None]]) -> None:
        """Wait for the workers, until one fails or somebody says stop."""
        working = asyncio.create_task(asyncio.wait(workers, return_when=asyncio.FIRST_EXCEPTION))
        stopped = asyncio.create_task(self._stopped.wait())
        try:
            await asyncio.wait({working, stopped}, return_when=asyncio.FIRST_COMPLETED)
            if self._stopped.is_set():
                for worker in workers:
                    if worker not in self._sending:
                        worker.cancel()
                await self._be_patient()
        finally:
            for task in (working, stopped, *workers):
                task.cancel()
            ended = await asyncio.gather(*workers, return_exceptions=True)
        for outcome in ended:
            if isinstance(outcome, Exception):
                raise outcome

    async def _be_patient(self) -> None:
        if not self._sending:
            return
        on_the_wire = set(self._sending)
        if self._settings.progress:
            say(
                f"stopping: waiting up to {PATIENCE_SECONDS:g} s for {_answers(on_the_wire)}; "
                "stop again to leave what has not come"
            )
        arriving = asyncio.create_task(asyncio.wait(on_the_wire, timeout=PATIENCE_SECONDS))
        impatient = asyncio.create_task(self._impatient.wait())
        await asyncio.wait({arriving, impatient}, return_when=asyncio.FIRST_COMPLETED)
        for task in (arriving, impatient):
            task.cancel()
        left = {task for task in on_the_wire if not task.done()}
        if left and self._settings.progress:
            say(
                f"stopping: {_answers(left)} had not come: charged at the worst case, as the "
                "provider may bill it, and asked again by the next run"
            )

    def _estimate(self, by_alias: Mapping[str, list[int]]) -> str:
        """What is about to be sent and what it may cost."""
        typical = self._live.ledger.typical_output()
        expected = most = Decimal(0)
        for alias, rows in by_alias.items():
            columns = self._requests.take(
                rows,
                [
                    "estimated_input_tokens",
                    "max_output_tokens",
                    "input_usd_per_mtok",
                    "output_usd_per_mtok",
                ],
            )
            grouped = columns.group_by(["input_usd_per_mtok", "output_usd_per_mtok"]).aggregate(
                [("estimated_input_tokens", "sum"), ("max_output_tokens", "sum"), ([], "count_all")]
            )
            for group in grouped.to_pylist():
                prompt = group["estimated_input_tokens_sum"] * per_token(
                    group["input_usd_per_mtok"]
                )
                price = per_token(group["output_usd_per_mtok"])
                longest = group["max_output_tokens_sum"]
                usual = typical.get(alias)
                answers = longest if usual is None else min(longest, usual * group["count_all"])
                expected += prompt + math.ceil(answers) * price
                most += prompt + longest * price
        total = sum(map(len, by_alias.values()))
        models = ", ".join(f"{alias} {len(rows):,}" for alias, rows in sorted(by_alias.items()))
        left = self._budget.cap - self._budget.spent
        spent = f", {dollars(left)} of it left" if self._budget.spent else ""
        return (
            f"{total:,} requests to send ({models}), estimated {dollars(expected)}, at most "
            f"{dollars(most)}, cap {dollars(self._budget.cap)}{spent}"
        )

    def _lane(self, alias: str, row: int) -> Lane:
        provider, endpoint = self._endpoints[alias]
        limits = self._requests.take([row], LIMITS).to_pylist()[0]
        key = LaneKey(alias, provider, endpoint, **limits)
        return self._live.lane(key, self._history.get(alias, []))

    def _note(self, lanes: Mapping[str, Lane]) -> None:
        """Put into the trail of audit what may go where, before anything goes."""
        for alias, rows in self._by_alias.items():
            lane = lanes[alias]
            note_sending(
                self._settings.run_id,
                alias,
                lane.provider.address,
                self._requests,
                rows,
                without_patients=not lane.may_see_patients,
            )

    async def _tick(self) -> None:
        while True:
            await asyncio.sleep(LINE_SECONDS)
            self._progress.line()

    async def _work(self, lane: Lane, queue: deque[int]) -> None:
        while queue and not self._stopped.is_set():
            row = queue.popleft()
            request = self._requests.get(row)
            status = await self._settle_once(lane, request)
            if status is None and request.request_key in self._gave_way:
                queue.append(row)
            elif status is None:
                self._elsewhere[request.model_alias].append(row)
            else:
                self._progress.ended(request.model_alias, status)

    async def _settle_once(self, lane: Lane, request: Request) -> Status | None:
        """Settle a request, unless another call of this process does so or has just done so; None
        when another session is at it."""
        key, asking = request.request_key, self._live.asking
        while (other := asking.get(key)) is not None:
            await other.wait()
        if key in self._live.answered:
            return self._live.answered[key]
        asking[key] = asyncio.Event()
        try:
            status = await self._settle_claimed(lane, request)
            if status in FINAL and self._live.users > 1:
                self._live.answered[key] = status
            return status
        finally:
            asking.pop(key).set()

    async def _settle_claimed(self, lane: Lane, request: Request) -> Status | None:
        """Settle a request that no other session is at or has answered."""
        key = request.request_key
        if request.words["contains_phi"] and not lane.may_see_patients:
            self._unsent[key] = BY_ADDRESS
            return BY_ADDRESS.status
        taken = (await self._writer.claim([key])).get(key)
        if taken is not None:
            if taken.in_batch:
                self._unsent[key] = IN_BATCH
                return IN_BATCH.status
            return taken.status
        try:
            return await self._settle(lane, request)
        finally:
            self._writer.release([key])

    async def _settle(self, lane: Lane, request: Request) -> Status | None:
        """Ask until there is a final answer or nothing more to try; the status it ends with. None
        when its claim was lost, or when it gives way to those that were not asked yet."""
        tried = self._gave_way.pop(request.request_key, None) or Tried()
        number, kinds = self._attempts_before.get(request.request_key, 0), tried.kinds
        while True:
            async with lane.tried(is_billed=request.output_price > 0):
                result = await self._attempt(lane, request, number + kinds.total() + 1)
            if result is ELSEWHERE:
                return None
            if isinstance(result, Unsent):
                if tried.status is None:
                    self._unsent[request.request_key] = result
                    tried.status = result.status
                return tried.status
            tried.status = result.status
            kinds[result.error_kind] += 1
            is_shut = result.error_kind in DOWN and lane.is_shut
            if (result.error_kind in HOPELESS or is_shut) and lane.hopeless is None:
                lane.close(_hopeless(result))
                if self._settings.progress:
                    say(
                        f"{request.model_alias}: {result.error_kind} "
                        f"({result.http_status or 'no answer'}), the rest of this run does not ask "
                        "it"
                    )
            pause = pause_before_retry(
                result,
                attempts=kinds.total(),
                same_kind=kinds[result.error_kind],
                max_attempts=self._settings.max_attempts,
            )
            if pause is None or self._stopped.is_set():
                return tried.status
            await asyncio.sleep(pause)
            if self._queues[request.model_alias] and _gives_way(result, kinds):
                self._gave_way[request.request_key] = tried
                return None

    async def _attempt(self, lane: Lane, request: Request, number: int) -> Outcome | Unsent:
        """One attempt within concurrency, budget and rates, recorded durably."""
        await lane.opened()
        await lane.concurrency.acquire()
        try:
            if lane.hopeless is not None:
                return lane.hopeless
            worst = lane.worst_case.cost(request)
            if not await self._budget.reserve(worst):
                return OVER_CAP
            charged = Decimal(0)
            try:
                await lane.opened()
                admission = await lane.rates.admit(lane.worst_case.tokens(request))
                await lane.opened()
                if lane.hopeless is not None:
                    return lane.hopeless
                if admission is None:
                    return OVER_DAY
                if self._stopped.is_set():
                    return STOPPED
                await self._recorder.before_sending(request, self._writer)
                row = self._attempt_row(request, number, worst)
                if not await self._writer.intend(row):
                    lane.rates.correct(admission, 0)
                    return ELSEWHERE
                charged = worst
                outcome, charged = await self._send(lane, request, row, worst, admission)
                return outcome
            finally:
                self._budget.settle(worst, charged)
        finally:
            lane.concurrency.release()

    async def _send(
        self,
        lane: Lane,
        request: Request,
        row: dict[str, Any],
        worst: Decimal,
        admission: Admission,
    ) -> tuple[Outcome, Decimal]:
        """The outcome of one attempt and what it takes from the budget, both on record."""
        began, clock = datetime.now(UTC), time.monotonic()
        row, ended = {**row, "started_at": began}, None
        if (task := asyncio.current_task()) is None:
            raise RuntimeError("an attempt is made in a task, which can be waited for")
        self._sending.add(task)
        try:
            with self._progress.sending(request.model_alias):
                answer = await lane.provider.ask(request.question)
            outcome = scrubbed(answer, self._secrets)
            charged = charge(request, outcome, worst)
            is_known = actual_cost(request, outcome) is not None
            self._progress.answered(
                request.model_alias, _tokens(outcome), charged, is_known=is_known
            )
            self._learn(lane, request, outcome, admission, clock)
            ended = {**row, **_told(outcome, began, charged)}
            await self._writer.append(ended)
            return outcome, charged
        except asyncio.CancelledError:
            if ended is None:  # otherwise it is written, and only not known to be durable
                # The provider may go on and bill it.
                with suppress(EngineError):
                    self._writer.write({**row, **_told(INTERRUPTED, began, worst)})
            raise
        finally:
            self._sending.discard(task)

    def _learn(
        self, lane: Lane, request: Request, outcome: Outcome, admission: Admission, sent: float
    ) -> None:
        """What an outcome tells about the estimate, the tokens left and the concurrency. A model
        that does not keep to its maximum of tokens is closed before anything is waited for."""
        lane.is_tried = True
        lane.worst_case.learn(request, outcome)
        if (billed := over_maximum(request, outcome)) and lane.hopeless is None:
            lane.close(OVER_MAXIMUM)
            if self._settings.progress:
                say(f"{request.model_alias}: {billed}, the rest of this run does not ask it")
        used = _tokens(outcome)
        if used or not outcome.may_be_billed:
            lane.rates.correct(admission, used)
        lane.learn(outcome, sent)

    def _attempt_row(self, request: Request, number: int, charged: Decimal) -> dict[str, Any]:
        """What is known of an attempt before it is sent; charged: its worst case."""
        return {
            "attempt_id": uuid.uuid4().hex,
            "run_id": self._settings.run_id,
            "session_id": self._session_id,
            "request_key": request.request_key,
            "attempt_number": number,
            "model_alias": request.model_alias,
            "provider": request.provider,
            "api_model": request.api_model,
            "started_at": datetime.now(UTC),
            "charged_usd": charged.quantize(_DOLLAR_PLACES, ROUND_UP),
        }


def _gives_way(result: Outcome, kinds: Counter[str | None]) -> bool:
    """Whether it is time to ask others: a server that always refuses these few requests would
    otherwise never be asked the rest, because each of its places waits with one of them."""
    is_refused = result.error_kind in CONGESTED
    return is_refused and kinds[result.error_kind] % REFUSALS_BEFORE_OTHERS == 0


def _tokens(outcome: Outcome) -> int:
    return (outcome.input_tokens or 0) + (outcome.output_tokens or 0)


def _told(outcome: Outcome, began: datetime, charged: Decimal) -> dict[str, Any]:
    """What an outcome adds to the row of its attempt."""
    ended = datetime.now(UTC)
    return {
        "status": outcome.status,
        "http_status": outcome.http_status,
        "finish_reason": outcome.finish_reason,
        "returned_model": outcome.returned_model,
        "response_id": outcome.response_id,
        "error_kind": outcome.error_kind,
        "error_message": outcome.error_message,
        "input_tokens": outcome.input_tokens,
        "cached_input_tokens": outcome.cached_input_tokens,
        "cache_write_tokens": outcome.cache_write_tokens,
        "output_tokens": outcome.output_tokens,
        "usage_json": outcome.usage_json,
        "latency_ms": (ended - began) / timedelta(milliseconds=1),
        "ended_at": ended,
        "charged_usd": charged.quantize(_DOLLAR_PLACES, ROUND_UP),
        "answer_text": outcome.answer_text,
        "raw_response": outcome.raw_response,
    }


def _hopeless(outcome: Outcome) -> Unsent:
    message = f"not sent: an earlier request of this run ended with {outcome.error_kind}"
    return Unsent(outcome.status, outcome.error_kind, message)


def secrets_of(endpoints: Iterable[Endpoint]) -> secrets.Redactor:
    """Keys, passwords in addresses, and what else the environment keeps secret."""
    own = set(secrets.of_environment().exact)
    for endpoint in endpoints:
        own.add(endpoint.api_key or "")
        own.add((urlsplit(endpoint.base_url).password if endpoint.base_url else "") or "")
    return secrets.redactor(tuple(sorted(own - {""})))


def scrubbed(outcome: Outcome, redactor: secrets.Redactor) -> Outcome:
    """The outcome without any key that a server or a proxy repeated, as valid Unicode, and no
    longer than the ledger has room for."""
    texts: dict[str, Any] = {
        field.name: text
        for field in fields(outcome)
        if type(text := getattr(outcome, field.name)) is str
    }
    clean: dict[str, Any] = {
        name: redactor.redacted(_unicode(text)) for name, text in texts.items()
    }
    return bounded(outcome if clean == texts else replace(outcome, **clean))


def _unicode(text: str) -> str:
    """JSON may escape half of a surrogate pair, which no UTF-8 file can hold."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text


def _answers(tasks: Collection[asyncio.Task[Any]]) -> str:
    return "1 answer" if len(tasks) == 1 else f"{len(tasks):,} answers"


def _by_alias(requests: Requests, rows: list[int]) -> dict[str, list[int]]:
    aliases = requests.take(rows, ["model_alias"]).column(0).to_pylist()
    rows_of: dict[str, list[int]] = defaultdict(list)
    for alias, row in zip(aliases, rows, strict=True):
        rows_of[alias].append(row)
    return rows_of


def _history(ledger: Ledger) -> dict[str, list[tuple[float, int]]]:
    """What earlier runs sent in the last day: (seconds ago, tokens) by model."""
    recent: dict[str, list[tuple[float, int]]] = defaultdict(list)
    for attempt in ledger.recent(DAY).to_pylist():
        recent[attempt["model_alias"]].append((attempt["seconds_ago"], attempt["tokens"]))
    return recent


def attempt_counts(ledger: Ledger, requests: Requests, rows: list[int]) -> dict[str, int]:
    """How often each of the requests was attempted in earlier runs, where it was."""
    keys = requests.take(rows, ["request_key"]).column(0)
    counts = ledger.counting(keys, ["status"]).column("n_attempts").to_pylist()
    return {key: n for key, n in zip(keys.to_pylist(), counts, strict=True) if n}
