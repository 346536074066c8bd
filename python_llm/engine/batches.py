"""Batches: sent in one run, collected in another."""

from __future__ import annotations

import uuid
from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Any

from python_llm.engine.budget import Budget, WorstCase, charge
from python_llm.engine.ledger import BatchStore, OpenBatch, Writer
from python_llm.engine.progress import dollars, say
from python_llm.engine.requests import Requests
from python_llm.engine.schema import Request
from python_llm.providers import Endpoint, Outcome
from python_llm.providers.batch import (
    MOST_BYTES,
    MOST_ITEMS,
    BatchError,
    BatchProvider,
    unanswered,
)

# A submission that was killed may reach the provider a moment later: so long it counts as made.
UNSURE_SECONDS = 60.0
# What a provider's batch API can end in: its own refusals, and answers that make no sense.
BATCH_ERRORS = (BatchError, KeyError, ValueError, TypeError, AttributeError)


@dataclass(frozen=True, slots=True)
class Prices:
    """US dollars per token, the batch's discount included."""

    input_price: Decimal
    cached_input_price: Decimal
    output_price: Decimal


async def collect(
    store: BatchStore,
    connect: Callable[[Mapping[str, Any]], tuple[BatchProvider, Endpoint] | str],
    writer: Writer,
    scrub: Callable[[Outcome, Endpoint], Outcome],
    session_id: str,
    collected: Callable[[str], set[str]],
) -> None:
    """Put what has come of the open batches into the ledger, and say what has not.

    connect: the provider of an intent, or why there is none now. collected: the keys of a
    batch that are in the ledger already, because a kill came before its file was closed.
    """
    for opened in store.open_batches():
        alias = opened.intent["model_alias"]
        connected = connect(opened.intent)
        if isinstance(connected, str):
            say(f"batch of {len(opened.keys):,} requests to {alias} is left alone: {connected}")
            continue
        provider, endpoint = connected
        try:
            batch: OpenBatch | None = opened
            if opened.batch_id is None:
                batch = await _reconcile(store, opened, provider)
            if batch is None or batch.batch_id is None:
                continue
            state = await provider.state(batch.batch_id)
            if not state.is_ended:
                say(
                    f"batch {batch.batch_id} of {alias} has not finished ({state.status}, "
                    f"{state.n_ended:,} of {state.n_items or len(batch.keys):,}): build again later"
                )
                continue
            results = dict(await provider.results(batch.batch_id))  # the last of a repeated id
        except BATCH_ERRORS as error:
            say(f"batches of {alias} cannot be looked at now: {error}")
            continue
        n_answered, collected_keys = 0, collected(batch.batch_id)
        for item in batch.intent["items"]:
            if item["request_key"] in collected_keys:
                continue
            outcome = results.get(item["request_key"]) or unanswered(
                f"batch_{state.status}", f"the batch ended without it: {state.status}"
            )
            n_answered += outcome.error_kind is None
            writer.write(_row(batch, item, scrub(outcome, endpoint), session_id))
        await writer.durable()
        store.close(batch)
        say(
            f"batch {batch.batch_id} of {alias}: {n_answered:,} of {len(batch.keys):,} answered, "
            "collected"
        )


async def _reconcile(
    store: BatchStore, batch: OpenBatch, provider: BatchProvider
) -> OpenBatch | None:
    """What became of a submission without a receipt; None when it never was, or is not known."""
    alias = batch.intent["model_alias"]
    batch_ids = await provider.find(
        batch.intent["intent_id"], set(batch.keys), batch.submitted_at, store.known_ids()
    )
    if len(batch_ids) == 1:
        say(f"batch {batch_ids[0]} of {alias} had been submitted when the run was killed: adopted")
        return store.receipt(batch, batch_ids[0])
    if not batch_ids and datetime.now(UTC) - batch.submitted_at > timedelta(seconds=UNSURE_SECONDS):
        store.drop(batch)
        return None
    say(
        f"a batch of {len(batch.keys):,} requests to {alias} was being submitted when a run was "
        "killed, and the provider does not tell yet whether it has it: build again in a minute"
    )
    return None


def _row(
    batch: OpenBatch, item: Mapping[str, Any], outcome: Outcome, session_id: str
) -> dict[str, Any]:
    intent, ended = batch.intent, datetime.now(UTC)
    prices = Prices(*(Decimal(price) for price in intent["prices"]))
    charged = charge(prices, outcome, Decimal(item["worst_usd"]))
    return {
        "attempt_id": uuid.uuid4().hex,
        "run_id": intent["run_id"],
        "session_id": session_id,
        "request_key": item["request_key"],
        "attempt_number": item["attempt_number"],
        "model_alias": intent["model_alias"],
        "provider": intent["provider"],
        "api_model": intent["api_model"],
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
        "started_at": batch.submitted_at,
        "ended_at": ended,
        "charged_usd": charged,
        "answer_text": outcome.answer_text,
        "raw_response": outcome.raw_response,
        "execution": "batch",
        "batch_id": batch.batch_id,
    }


@dataclass(frozen=True, slots=True)
class Unsubmitted:
    """Keys of requests that are in no batch: those over the cap, and those the provider did not
    take, with what it said."""

    over_cap: list[str]
    refused: dict[str, str]


async def submit(
    store: BatchStore,
    requests: Requests,
    rows: list[int],
    run_id: str,
    budget: Budget,
    factor: Decimal,
    provider: BatchProvider,
    environment: Mapping[str, str | None],
    attempts_before: Mapping[str, int],
    before_sending: Callable[[Request], Awaitable[None]],
) -> Unsubmitted:
    """Submit the requests of one model in as many batches as it takes.

    factor: what the batch multiplies prices by. environment: the names of the variables with its
    key and address. before_sending: is awaited with each request.

    Errors: EngineError when the ledger cannot be written.
    """
    left = Unsubmitted([], {})
    worst_case = WorstCase()
    for chunk in _chunks(map(requests.get, rows)):
        items, reserved = [], Decimal(0)
        for request in chunk:
            worst = worst_case.cost(request) * factor
            if not budget.take(worst):
                left.over_cap.append(request.request_key)
                continue
            reserved += worst
            items.append((request, worst))
        if not items:
            continue
        for request, _ in items:
            await before_sending(request)
        try:
            await _submit(store, items, run_id, factor, provider, environment, attempts_before)
        except BatchError as error:
            budget.give_back(reserved)
            left.refused.update((request.request_key, str(error)) for request, _ in items)
    return left


async def _submit(
    store: BatchStore,
    items: list[tuple[Request, Decimal]],
    run_id: str,
    factor: Decimal,
    provider: BatchProvider,
    environment: Mapping[str, str | None],
    attempts_before: Mapping[str, int],
) -> None:
    """Errors: BatchError when the provider surely has not taken it."""
    first = items[0][0]
    prices = (first.input_price, first.cached_input_price, first.output_price)
    batch = store.intend(
        {
            "intent_id": uuid.uuid4().hex,
            "run_id": run_id,
            "submitted_at": datetime.now(UTC).isoformat(),
            "model_alias": first.model_alias,
            "provider": first.provider,
            "api_model": first.api_model,
            **environment,
            "prices": [str(price * factor) for price in prices],
            "items": [
                {
                    "request_key": request.request_key,
                    "attempt_number": attempts_before.get(request.request_key, 0) + 1,
                    "worst_usd": str(worst),
                }
                for request, worst in items
            ],
        }
    )
    questions = [(request.request_key, request.question) for request, _ in items]
    of_what = f"batch of {len(items):,} requests to {first.model_alias}"
    try:
        batch_id = await provider.submit(questions, batch.intent_id)
    except BATCH_ERRORS as error:
        if isinstance(error, BatchError) and not error.in_doubt:
            store.drop(batch)
            say(f"{of_what} was not taken ({error}): build again, or leave execution=batch out")
            raise
        # Whether it arrived is not certain: the next run asks the provider.
        say(f"{of_what}: whether it was taken is not known yet ({error}), build again in a minute")
        return
    store.receipt(batch, batch_id)
    worst = sum((worst for _, worst in items), Decimal(0))
    say(f"{of_what} submitted, at most {dollars(worst)}: a later build collects it")


def _chunks(requests: Iterable[Request]) -> Iterable[list[Request]]:
    chunk: list[Request] = []
    size = 0
    for request in requests:
        question = request.question
        length = len(question.user_text.encode()) + len((question.system_text or "").encode())
        if chunk and (len(chunk) >= MOST_ITEMS or size + length > MOST_BYTES):
            yield chunk
            chunk, size = [], 0
        chunk.append(request)
        size += length + 1_000
    if chunk:
        yield chunk
