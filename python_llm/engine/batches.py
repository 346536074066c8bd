"""Batches: sent in one run, collected in another.

    <ledger>/batches/<intent>.jsonl          one open batch
    <ledger>/batches/closed/<intent>.jsonl   one whose every item is in the ledger

The first line of a file is the intent: what is about to be submitted, item by item with its worst
case. A receipt with the provider's id follows once it is submitted. A file without a receipt is
what a kill in between leaves; the provider's list of batches tells whether there is one. As long as
the file is open, nobody else asks for its items.
"""

from __future__ import annotations

import json
import os
import uuid
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

from python_llm.engine.budget import Budget, WorstCase, charge
from python_llm.engine.errors import EngineError
from python_llm.engine.ledger import Writer
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


@dataclass(frozen=True)
class OpenBatch:
    """intent: what was to be submitted; batch_id: the provider's name, None without a receipt."""

    intent: Mapping[str, Any]
    batch_id: str | None

    @property
    def intent_id(self) -> str:
        return self.intent["intent_id"]

    @property
    def keys(self) -> list[str]:
        return [item["request_key"] for item in self.intent["items"]]

    @property
    def worst_case(self) -> Decimal:
        return sum((Decimal(item["worst_usd"]) for item in self.intent["items"]), Decimal(0))

    @property
    def submitted_at(self) -> datetime:
        return datetime.fromisoformat(self.intent["submitted_at"])


class BatchStore(ABC):
    """The open batches of one ledger. Writers hold its lock, or have the turn. Errors: EngineError
    when the ledger cannot be written."""

    @abstractmethod
    def open_batches(self) -> list[OpenBatch]:
        """In the order of their submission."""

    @abstractmethod
    def intend(self, intent: Mapping[str, Any]) -> OpenBatch:
        """Say what is about to be submitted. Its requests are the batch's from then on."""

    @abstractmethod
    def receipt(self, batch: OpenBatch, batch_id: str) -> OpenBatch:
        """Write down the name the provider gave it."""

    @abstractmethod
    def close(self, batch: OpenBatch) -> None:
        """Every item of it is in the ledger."""

    @abstractmethod
    def drop(self, batch: OpenBatch) -> None:
        """Of a submission that never was."""

    @abstractmethod
    def known_ids(self) -> set[str]:
        """The provider's ids of all batches with a receipt."""


class BatchFolder(BatchStore):
    """Files in a folder of the ledger."""

    def __init__(self, ledger_folder: Path) -> None:
        self.folder = ledger_folder / "batches"

    def open_batches(self) -> list[OpenBatch]:
        found = []
        for path in sorted(self.folder.glob("*.jsonl")):
            batch = _batch_of(path)
            if batch is None:
                path.unlink()  # of a submission that was killed before it began
            else:
                found.append(batch)
        return sorted(found, key=lambda batch: batch.intent["submitted_at"])

    def all_batches(self) -> Iterator[tuple[OpenBatch, bool]]:
        """Every batch that ever was, and whether it is closed."""
        closed = ((path, True) for path in self.folder.glob("closed/*.jsonl"))
        for path, is_closed in [*((path, False) for path in self.folder.glob("*.jsonl")), *closed]:
            if batch := _batch_of(path):
                yield batch, is_closed

    def intend(self, intent: Mapping[str, Any]) -> OpenBatch:
        batch = OpenBatch(intent, None)
        self._append(self._path(batch), intent)
        return batch

    def receipt(self, batch: OpenBatch, batch_id: str) -> OpenBatch:
        self._append(self._path(batch), {"batch_id": batch_id})
        return OpenBatch(batch.intent, batch_id)

    def close(self, batch: OpenBatch) -> None:
        closed = self.folder / "closed"
        closed.mkdir(exist_ok=True)
        os.replace(self._path(batch), closed / self._path(batch).name)

    def drop(self, batch: OpenBatch) -> None:
        self._path(batch).unlink()

    def known_ids(self) -> set[str]:
        files = [*self.folder.glob("*.jsonl"), *self.folder.glob("closed/*.jsonl")]
        lines = (line for path in files for line in path.read_text().splitlines()[1:])
        return {json.loads(line)["batch_id"] for line in lines if line.endswith("}")}

    def _path(self, batch: OpenBatch) -> Path:
        return self.folder / f"{batch.intent_id}.jsonl"

    def _append(self, path: Path, line: Mapping[str, Any]) -> None:
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            with path.open("ab") as file:
                file.write(json.dumps(line).encode() + b"\n")
                file.flush()
                os.fsync(file.fileno())
        except OSError as error:
            raise EngineError(
                f"The ledger could not be written ({error.strerror}: {path}): make room, or give "
                "another ledger folder."
            ) from error


def _batch_of(path: Path) -> OpenBatch | None:
    """The batch of a file; None where not even its first line is whole."""
    lines = [
        json.loads(line)
        for line in path.read_bytes().splitlines(keepends=True)
        if line.endswith(b"\n")
    ]
    if not lines:
        return None
    receipts = [line["batch_id"] for line in lines[1:]]
    return OpenBatch(lines[0], receipts[-1] if receipts else None)


async def collect(
    store: BatchStore,
    connect: Callable[[Mapping[str, Any]], tuple[BatchProvider, Endpoint] | None],
    writer: Writer,
    scrub: Callable[[Outcome, Endpoint], Outcome],
    session_id: str,
    collected: Callable[[str], set[str]],
) -> None:
    """Put what has come of the open batches into the ledger, and say what has not.

    connect: the provider of an intent, None where its key is not there. collected: the keys of a
    batch that are in the ledger already, because a kill came before its file was closed.
    """
    for batch in store.open_batches():
        alias = batch.intent["model_alias"]
        connected = connect(batch.intent)
        if connected is None:
            say(f"batch of {len(batch.keys):,} requests to {alias}: its key is absent, left alone")
            continue
        provider, endpoint = connected
        try:
            if batch.batch_id is None:
                batch = await _reconcile(store, batch, provider)
            if batch is None or batch.batch_id is None:
                continue
            state = await provider.state(batch.batch_id)
            if not state.is_ended:
                say(
                    f"batch {batch.batch_id} of {alias} has not finished ({state.said}, "
                    f"{state.n_ended:,} of {state.n_items or len(batch.keys):,}): build again later"
                )
                continue
            results = dict(await provider.results(batch.batch_id))  # the last of a repeated id
        except BATCH_ERRORS as error:
            say(f"batches of {alias} cannot be looked at now: {error}")
            continue
        n_answered, had = 0, collected(batch.batch_id)
        for item in batch.intent["items"]:
            if item["request_key"] in had:
                continue
            outcome = results.get(item["request_key"]) or unanswered(
                f"batch_{state.said}", f"the batch ended without it: {state.said}"
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
    found = await provider.find(
        batch.intent["intent_id"], set(batch.keys), batch.submitted_at, store.known_ids()
    )
    if len(found) == 1:
        say(f"batch {found[0]} of {alias} had been submitted when the run was killed: adopted")
        return store.receipt(batch, found[0])
    if not found and datetime.now(UTC) - batch.submitted_at > timedelta(seconds=UNSURE_SECONDS):
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
) -> Unsubmitted:
    """Submit the requests of one model in as many batches as it takes. factor: what the batch
    multiplies prices by. environment: the names of the variables with its key and address.

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
