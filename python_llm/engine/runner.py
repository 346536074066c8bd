"""Requests in, responses out."""

from __future__ import annotations

import asyncio
import json
import math
import os
import threading
import time
import uuid
from collections import Counter, defaultdict
from collections.abc import Callable, Coroutine, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, fields, replace
from datetime import UTC, datetime, timedelta
from decimal import ROUND_UP, Decimal
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pyarrow as pa
import pyarrow.compute as pc

from python_llm.engine.budget import Budget, WorstCase, charge
from python_llm.engine.errors import EngineError
from python_llm.engine.ledger import Ledger, Segment
from python_llm.engine.limits import DAY, Admission, Concurrency, Rates
from python_llm.engine.progress import LINE_SECONDS, Progress, dollars, say
from python_llm.engine.retry import CONGESTED, HOPELESS, pause_before_retry
from python_llm.engine.schema import RESPONSE_SCHEMA, Request, checked, per_token
from python_llm.engine.settings import Mode, Settings
from python_llm.providers import FINAL, PROVIDERS, Endpoint, Outcome, Provider, Status

# Response column -> ledger column, where the names differ.
_RENAMED = {"requested_at": "started_at", "answered_at": "ended_at"}
_OF_THE_ENGINE = ("request_key", "n_attempts", "is_from_ledger")
_COPIED = [name for name in RESPONSE_SCHEMA.names if name not in _OF_THE_ENGINE]
_FROM_LEDGER = [_RENAMED.get(name, name) for name in _COPIED]
SHORTEST_SECRET = 12
_DOLLAR_PLACES = Decimal("0.000000001")


@dataclass(frozen=True, slots=True)
class Unsent:
    """Why a request was not sent, or not again."""

    status: Status
    error_kind: str | None = None
    error_message: str | None = None


NOT_ASKED = Unsent(Status.NOT_REQUESTED)
MISSING = Unsent(Status.NOT_REQUESTED, "missing_in_ledger", "the ledger has no answer to replay")
BY_POLICY = Unsent(
    Status.BLOCKED_BY_POLICY, "policy", "this model may not see this test set (contains_phi)"
)
UNPRICED = Unsent(
    Status.BLOCKED_BY_BUDGET,
    "unpriced",
    "the model has no price, so its cost cannot be capped: add a price row (0 where it is free)",
)
OVER_CAP = Unsent(
    Status.BLOCKED_BY_BUDGET, "over_cap", "its worst case does not fit under max_usd any more"
)
INTERRUPTED = Outcome(
    Status.PROVIDER_ERROR,
    error_kind="interrupted",
    error_message="the run was stopped before the answer came",
)
OVER_DAY = Unsent(
    Status.RATE_LIMITED, "requests_per_day", "the model's requests of the last 24 hours are used up"
)


def answer(requests: pa.Table | pa.RecordBatchReader, *, settings: Settings) -> pa.Table:
    """One response for every request, in their order: RESPONSE_SCHEMA for REQUEST_SCHEMA.

    A request that the ledger has a final answer to is not sent again, in any mode; in live mode
    the selected ones of the others are sent, within the limits, the cap and the policy. Every way
    a provider can misbehave ends in a status. A request whose every attempt failed keeps the
    status of the last attempt until a live run asks it again. Equal request keys are one request.

    Errors: EngineError, before anything is sent, for a request table that cannot be read, and in
    live mode for an unknown provider or a missing key or address; and when the ledger cannot be
    read or written.
    """
    table = checked(requests)
    ledger = Ledger(Path(settings.ledger_dir), notify=say)
    session_id = uuid.uuid4().hex
    unsent: dict[str, Unsent] = {}
    if settings.mode is Mode.LIVE:
        _ask_what_is_missing(table, settings, ledger, session_id, unsent)
    return _responses(table, settings, ledger, session_id, unsent)


def attempts(ledger_dir: Path | str) -> pa.Table:
    """Every attempt any run ever made, in ATTEMPT_SCHEMA, oldest first; empty without a ledger."""
    return Ledger(Path(ledger_dir), notify=say).attempts()


def _ask_what_is_missing(
    table: pa.Table,
    settings: Settings,
    ledger: Ledger,
    session_id: str,
    unsent: dict[str, Unsent],
) -> None:
    """Send what may be sent and has no final answer; why another is not sent goes to `unsent`."""
    rows = _to_send(table, ledger, unsent)
    if not rows:
        if settings.progress:
            say(f"nothing to send for {len(table):,} requests: the rest is in the ledger")
        return
    endpoints = _endpoints(table, rows)
    with ledger.writing(settings.run_id, session_id) as segment:
        # Another run may have answered some of them while this one waited for the ledger.
        rows = _to_send(table, ledger, unsent)
        if rows:
            run = _Run(table, settings, session_id, ledger, segment, endpoints, unsent)
            _run_to_end(lambda: run.ask(rows))


def _to_send(table: pa.Table, ledger: Ledger, unsent: dict[str, Unsent]) -> list[int]:
    """Row numbers of the requests to send, one for each request key."""
    keys = table.column("request_key")
    status = ledger.counting(keys, ["status"]).column("status")
    answered = pc.is_in(status, pa.array(sorted(FINAL), pa.string()))
    may_be_sent = pc.and_not(table.column("is_selected"), table.column("is_blocked_by_policy"))
    wanted = pc.and_not(may_be_sent, answered)
    priced = pc.and_(
        table.column("input_usd_per_mtok").is_valid(),
        table.column("output_usd_per_mtok").is_valid(),
    )
    for key in keys.filter(pc.and_not(wanted, priced)).to_pylist():
        unsent[key] = UNPRICED
    rows = pc.indices_nonzero(pc.and_(wanted, priced))
    by_key = zip(keys.take(rows).to_pylist(), rows.to_pylist(), strict=True)
    return list({key: row for key, row in reversed(list(by_key))}.values())[::-1]


def _endpoints(table: pa.Table, rows: list[int]) -> dict[str, tuple[str, Endpoint]]:
    """Provider name and endpoint of every model that is about to be asked. Errors: EngineError."""
    names = ["model_alias", "provider", "base_url_env", "api_key_env", "max_concurrency"]
    found: dict[str, tuple[str, Endpoint]] = {}
    models = table.select(names).take(pa.array(rows, pa.int64())).group_by(names).aggregate([])
    for model in models.to_pylist():
        alias, provider = model["model_alias"], model["provider"]
        if alias in found:
            raise EngineError(
                f"The requests of {alias} do not agree on its provider, address, key or "
                "concurrency: give the model one row in the registry."
            )
        if provider not in PROVIDERS:
            raise EngineError(
                f"Unknown provider {provider!r} of {alias}: use one of {', '.join(PROVIDERS)}."
            )
        key = _from_environment(model["api_key_env"])
        # a server of one's own may or may not ask for a key
        if model["api_key_env"] and not key and provider != "openai_compatible":
            raise EngineError(
                f"The key of {alias} is absent: set the environment variable "
                f"{model['api_key_env']}, or leave the model out."
            )
        if key and not (key.isascii() and key.isprintable() and " " not in key):
            raise EngineError(
                f"The key in {model['api_key_env']} has a space, a line break or a character that "
                "no key has: set it again."
            )
        url = _from_environment(model["base_url_env"])
        if url is None and provider == "openai_compatible":
            raise EngineError(
                f"The address of {alias} is absent: set the environment variable "
                f"{model['base_url_env'] or '(base_url_env in the registry)'}, such as "
                "http://127.0.0.1:8080/v1."
            )
        if url is not None and urlsplit(url).scheme not in ("http", "https"):
            raise EngineError(
                f"The address in {model['base_url_env']} is not a URL that starts with http:// or "
                "https://: set it again."
            )
        found[alias] = provider, Endpoint(key, url, max(1, model["max_concurrency"]))
    return found


def _from_environment(name: str | None) -> str | None:
    return (os.environ.get(name, "").strip() or None) if name else None


def _responses(
    table: pa.Table,
    settings: Settings,
    ledger: Ledger,
    session_id: str,
    unsent: Mapping[str, Unsent],
) -> pa.Table:
    """A response for every row: what policy says, else what the ledger says, else why not."""
    keys = table.column("request_key")
    known = ledger.counting(keys, [*_FROM_LEDGER, "session_id"])
    by_name = {name: known.column(_RENAMED.get(name, name)) for name in _COPIED}
    by_name["request_key"] = keys
    by_name["n_attempts"] = pc.fill_null(known.column("n_attempts"), 0)
    by_name["is_from_ledger"] = pc.fill_null(
        pc.not_equal(known.column("session_id"), session_id), False
    )
    del known
    blocked = table.column("is_blocked_by_policy")
    if pc.any(blocked).as_py():
        for name in _COPIED:
            by_name[name] = pc.if_else(blocked, None, by_name[name])
        by_name["n_attempts"] = pc.if_else(blocked, 0, by_name["n_attempts"])
        by_name["is_from_ledger"] = pc.and_not(by_name["is_from_ledger"], blocked)
    absent = by_name["status"].is_null()
    default = MISSING if settings.mode is Mode.REPLAY else NOT_ASKED
    reasons = [
        BY_POLICY if is_blocked else unsent.get(key, default)
        for key, is_blocked in zip(
            keys.filter(absent).to_pylist(), blocked.filter(absent).to_pylist(), strict=True
        )
    ]
    for name in ("status", "error_kind", "error_message"):
        said = pa.array([getattr(reason, name) for reason in reasons], pa.string())
        by_name[name] = pc.replace_with_mask(
            by_name[name].combine_chunks(), absent.combine_chunks(), said
        )
    columns = [by_name[field.name].cast(field.type) for field in RESPONSE_SCHEMA]
    return pa.table(columns, schema=RESPONSE_SCHEMA)


def _run_to_end(start: Callable[[], Coroutine[Any, Any, None]]) -> None:
    """Run a coroutine on a loop of its own, also in a thread whose loop is already running. An
    interrupt cancels the coroutine and is raised once it has ended."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        asyncio.run(start())
        return
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever, name="engine")
    thread.start()
    ending = asyncio.run_coroutine_threadsafe(start(), loop)
    try:
        ending.result()
    except BaseException:
        ending.cancel()
        raise
    finally:
        loop.call_soon_threadsafe(loop.stop)
        thread.join()
        loop.close()


@dataclass
class _Lane:
    """What the requests of one model share. hopeless: set when the model will not answer any."""

    provider: Provider
    concurrency: Concurrency
    rates: Rates
    worst_case: WorstCase = field(default_factory=WorstCase)
    hopeless: Unsent | None = None


class _Run:
    """One live call of the engine."""

    def __init__(
        self,
        table: pa.Table,
        settings: Settings,
        session_id: str,
        ledger: Ledger,
        segment: Segment,
        endpoints: Mapping[str, tuple[str, Endpoint]],
        unsent: dict[str, Unsent],
    ) -> None:
        self._table = table
        self._settings = settings
        self._session_id = session_id
        self._ledger = ledger
        self._segment = segment
        self._endpoints = endpoints
        self._unsent = unsent
        self._budget = Budget(settings.max_usd, ledger.spent(settings.run_id))
        self._secrets = _secrets(endpoint for _, endpoint in endpoints.values())

    async def ask(self, rows: list[int]) -> None:
        """Send the requests of these rows, and return when each has ended."""
        by_alias = _by_alias(self._table, rows)
        if self._settings.progress:
            say(self._estimate(by_alias))
        history = _history(self._ledger)
        self._attempts_before = _attempt_counts(self._ledger, self._table, rows)
        self._progress = Progress(len(rows), lambda: self._budget.spent, self._settings.progress)
        lanes = {alias: self._lane(alias, rows[0], history) for alias, rows in by_alias.items()}
        ticker = asyncio.create_task(self._tick())
        try:
            async with asyncio.TaskGroup() as group:
                for alias, lane in lanes.items():
                    queue = iter(by_alias[alias])
                    for _ in range(min(lane.concurrency.most, len(by_alias[alias]))):
                        group.create_task(self._work(lane, queue))
        except BaseExceptionGroup as errors:
            raise errors.exceptions[0] from None
        finally:
            ticker.cancel()
            for lane in lanes.values():
                with suppress(Exception):
                    await lane.provider.close()
            self._progress.close()

    def _estimate(self, by_alias: Mapping[str, list[int]]) -> str:
        """What is about to be sent and what it may cost."""
        typical = self._ledger.typical_output()
        expected = most = Decimal(0)
        for alias, rows in by_alias.items():
            columns = self._table.select(
                [
                    "estimated_input_tokens",
                    "max_output_tokens",
                    "input_usd_per_mtok",
                    "output_usd_per_mtok",
                ]
            ).take(pa.array(rows, pa.int64()))
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

    def _lane(self, alias: str, row: int, history: Mapping[str, list[tuple[float, int]]]) -> _Lane:
        provider, endpoint = self._endpoints[alias]
        limits = self._table.slice(row, 1).to_pylist()[0]
        return _Lane(
            PROVIDERS[provider](endpoint),
            Concurrency(endpoint.max_connections),
            Rates(
                limits["requests_per_minute"],
                limits["tokens_per_minute"],
                limits["requests_per_day"],
                history.get(alias, ()),
            ),
        )

    async def _tick(self) -> None:
        while True:
            await asyncio.sleep(LINE_SECONDS)
            self._progress.line()

    async def _work(self, lane: _Lane, queue: Iterable[int]) -> None:
        for row in queue:
            request = Request.of(self._table.slice(row, 1).to_pylist()[0])
            self._progress.ended(await self._settle(lane, request))

    async def _settle(self, lane: _Lane, request: Request) -> Status:
        """Ask until there is a final answer or nothing more to try; the status it ends with."""
        status: Status | None = None
        number = self._attempts_before.get(request.request_key, 0)
        kinds: Counter[str | None] = Counter()
        while True:
            result = await self._attempt(lane, request, number + kinds.total() + 1)
            if isinstance(result, Unsent):
                if status is None:
                    self._unsent[request.request_key] = result
                    status = result.status
                return status
            status = result.status
            kinds[result.error_kind] += 1
            if result.error_kind in HOPELESS and lane.hopeless is None:
                lane.hopeless = _hopeless(request, result)
                lane.rates.close()
                if self._settings.progress:
                    say(
                        f"{request.model_alias}: {result.error_kind} ({result.http_status}), the "
                        "rest of this run does not ask it"
                    )
            pause = pause_before_retry(
                result,
                attempts=kinds.total(),
                same_kind=kinds[result.error_kind],
                max_attempts=self._settings.max_attempts,
            )
            if pause is None:
                return status
            await asyncio.sleep(pause)

    async def _attempt(self, lane: _Lane, request: Request, number: int) -> Outcome | Unsent:
        """One attempt within concurrency, budget and rates, recorded durably."""
        await lane.concurrency.acquire()
        try:
            if lane.hopeless is not None:
                return lane.hopeless
            worst = lane.worst_case.cost(request)
            if not await self._budget.reserve(worst):
                return OVER_CAP
            charged = Decimal(0)
            try:
                admission = await lane.rates.admit(lane.worst_case.tokens(request))
                if lane.hopeless is not None:
                    return lane.hopeless
                if admission is None:
                    return OVER_DAY
                began, clock = datetime.now(UTC), time.monotonic()
                try:
                    outcome = self._scrubbed(await lane.provider.ask(request.question))
                except asyncio.CancelledError:
                    # The provider may go on and bill it.
                    with suppress(EngineError):
                        self._segment.write(self._row(request, INTERRUPTED, number, began, worst))
                    raise
                charged = charge(request, outcome, worst)
                self._learn(lane, request, outcome, admission, clock)
                await self._segment.append(self._row(request, outcome, number, began, charged))
                return outcome
            finally:
                self._budget.settle(worst, charged)
        finally:
            lane.concurrency.release()

    @staticmethod
    def _learn(
        lane: _Lane, request: Request, outcome: Outcome, admission: Admission, sent: float
    ) -> None:
        """What an outcome tells about the estimate, the tokens left and the concurrency."""
        lane.worst_case.learn(request, outcome)
        used = (outcome.input_tokens or 0) + (outcome.output_tokens or 0)
        if used or not outcome.may_be_billed:
            lane.rates.correct(admission, used)
        if outcome.error_kind in CONGESTED:
            lane.concurrency.congested(sent)
        elif outcome.status in FINAL:
            lane.concurrency.succeeded()

    def _row(
        self,
        request: Request,
        outcome: Outcome,
        number: int,
        began: datetime,
        charged: Decimal,
    ) -> dict[str, Any]:
        ended = datetime.now(UTC)
        return {
            "attempt_id": uuid.uuid4().hex,
            "run_id": self._settings.run_id,
            "session_id": self._session_id,
            "request_key": request.request_key,
            "attempt_number": number,
            "model_alias": request.model_alias,
            "provider": request.provider,
            "api_model": request.api_model,
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
            "started_at": began,
            "ended_at": ended,
            "charged_usd": charged.quantize(_DOLLAR_PLACES, ROUND_UP),
            "answer_text": outcome.answer_text,
            "raw_response": outcome.raw_response,
        }

    def _scrubbed(self, outcome: Outcome) -> Outcome:
        """The outcome without any key that a server or a proxy repeated, and as valid Unicode."""
        said = {
            field.name: text
            for field in fields(outcome)
            if type(text := getattr(outcome, field.name)) is str
        }
        clean = {name: _without(_unicode(text), self._secrets) for name, text in said.items()}
        return outcome if clean == said else replace(outcome, **clean)


def _hopeless(request: Request, outcome: Outcome) -> Unsent:
    message = (
        f"not sent: the model answered an earlier request of this run with {outcome.error_kind}"
    )
    return Unsent(outcome.status, outcome.error_kind, message)


def _secrets(endpoints: Iterable[Endpoint]) -> list[str]:
    """Keys, and passwords in addresses; as they are and as JSON text writes them. Not what is too
    short to be one: local servers are given keys such as `none`, a word that answers may use."""
    plain = set()
    for endpoint in endpoints:
        plain.add(endpoint.api_key)
        plain.add(urlsplit(endpoint.base_url).password if endpoint.base_url else None)
    found = {secret for secret in plain if secret and len(secret) >= SHORTEST_SECRET}
    return sorted(found | {json.dumps(secret)[1:-1] for secret in found}, key=len, reverse=True)


def _without(text: str, secrets: Iterable[str]) -> str:
    for secret in secrets:
        text = text.replace(secret, "[key]")
    return text


def _unicode(text: str) -> str:
    """JSON may escape half of a surrogate pair, which no UTF-8 file can hold."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text


def _by_alias(table: pa.Table, rows: list[int]) -> dict[str, list[int]]:
    aliases = table.column("model_alias").take(pa.array(rows, pa.int64())).to_pylist()
    found: dict[str, list[int]] = defaultdict(list)
    for alias, row in zip(aliases, rows, strict=True):
        found[alias].append(row)
    return found


def _history(ledger: Ledger) -> dict[str, list[tuple[float, int]]]:
    """What earlier runs sent in the last day: (seconds ago, tokens) by model."""
    found: dict[str, list[tuple[float, int]]] = defaultdict(list)
    for attempt in ledger.recent(DAY).to_pylist():
        found[attempt["model_alias"]].append((attempt["seconds_ago"], attempt["tokens"]))
    return found


def _attempt_counts(ledger: Ledger, table: pa.Table, rows: list[int]) -> dict[str, int]:
    """How often each of the requests was attempted in earlier runs, where it was."""
    keys = table.column("request_key").take(pa.array(rows, pa.int64()))
    counts = ledger.counting(keys, ["status"]).column("n_attempts").to_pylist()
    return {key: n for key, n in zip(keys.to_pylist(), counts, strict=True) if n}
