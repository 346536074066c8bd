"""Requests in, responses out."""

from __future__ import annotations

import os
import uuid
from collections.abc import Mapping
from contextlib import suppress
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from python_llm.audit import secrets
from python_llm.engine import stopping
from python_llm.engine.asking import (
    BY_ADDRESS,
    ELSEWHERE,
    IN_BATCH,
    OVER_CAP,
    Asking,
    attempt_counts,
    scrubbed,
    secrets_of,
)
from python_llm.engine.batches import collect, submit
from python_llm.engine.errors import EngineError
from python_llm.engine.evidence import note_sending
from python_llm.engine.ledger import Ledger, open_ledger
from python_llm.engine.live import Live, Unsent, connected, entered
from python_llm.engine.progress import say
from python_llm.engine.records import Recorder
from python_llm.engine.requests import Requests, read_requests
from python_llm.engine.schema import RESPONSE_SCHEMA
from python_llm.engine.settings import Execution, Mode, Settings
from python_llm.engine.stopping import Stop
from python_llm.providers import FINAL, PROVIDERS, Endpoint, Outcome, Provider, Status
from python_llm.providers.hosts import fault_of, listed, site_of, wrong_names

# Response column -> ledger column, where the names differ.
_RENAMED = {"requested_at": "started_at", "answered_at": "ended_at"}
_OF_THE_ENGINE = ("request_key", "n_attempts", "is_from_ledger", "attempts")
_COPIED = [name for name in RESPONSE_SCHEMA.names if name not in _OF_THE_ENGINE]
_FROM_LEDGER = [_RENAMED.get(name, name) for name in _COPIED]

# Requests whose answers are looked up at a time: sorting them takes as much memory as they have.
ROWS_LOOKED_UP = 250_000
# What the responses need of the requests.
_TO_RESPOND = ["request_key", "is_blocked_by_policy"]

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


def answer(requests: pa.Table | pa.RecordBatchReader, *, settings: Settings) -> pa.Table:
    """One response for every distinct request, in the order of the asks: RESPONSE_SCHEMA for
    REQUEST_SCHEMA.

    A request that the ledger has a final answer to is not sent again, in any mode; in live mode
    the selected ones of the others are sent, within the limits, the cap and the policy. Every way
    a provider can misbehave ends in a status. A request whose every attempt failed keeps the
    status of the last attempt until a live run asks it again. Equal request keys are one request,
    also when two threads ask at the same time: they share a model's limits and a run's budget.

    Ctrl-C and SIGTERM stop the sending; what is in flight is waited for and kept.

    Errors: EngineError, before anything is sent, for a request table that cannot be read, and in
    live mode for an unknown provider or a missing key, address or SDK; when the ledger cannot be
    read or written; and when the run was stopped.
    """
    ledger = open_ledger(settings.ledger_dir, notify=say)
    session_id = uuid.uuid4().hex
    unsent: dict[str, Unsent] = {}
    is_live = settings.mode is Mode.LIVE
    recorder = Recorder(ledger, settings)
    with read_requests(requests, ledger.folder if is_live else None, recorder.complete) as asked:
        table = asked.table
        recorder.flush()
        if is_live:
            stopping.listen()
            with stopping.stoppable() as stop:
                _ask_what_is_missing(asked, settings, ledger, session_id, unsent, stop, recorder)
        # of a million requests the rest is as large as the answers that are read next
        table = asked.table = table.select(_TO_RESPOND)
    return _responses(table, settings, ledger, session_id, unsent)


def answered(ledger_dir: Path | str) -> pa.Table:
    """Every request that has a final answer, and would not be sent again: its request_key, and the
    model_alias, output_tokens and latency_ms of the answer.

    ledger_dir: not looked at where KERNEL29_LEDGER_URL names the team's ledger.
    """
    return open_ledger(ledger_dir, notify=say).answered()


def attempts(ledger_dir: Path | str) -> pa.Table:
    """Every attempt any run ever made, in ATTEMPT_SCHEMA, oldest first; empty without a ledger.
    ledger_dir: not looked at where KERNEL29_LEDGER_URL names the team's ledger."""
    return open_ledger(ledger_dir, notify=say).attempts()


def requests_sent(ledger_dir: Path | str) -> pa.Table:
    """The words of every request that was ever attempted and that they are known of, in
    RECORD_SCHEMA. ledger_dir: as for `attempts`."""
    return open_ledger(ledger_dir, notify=say).requests()


def _ask_what_is_missing(
    requests: Requests,
    settings: Settings,
    ledger: Ledger,
    session_id: str,
    unsent: dict[str, Unsent],
    stop: Stop,
    recorder: Recorder,
) -> None:
    """Send what may be sent and has no final answer; why another is not sent goes to `unsent`."""
    rows = _to_send(requests.table, ledger, unsent)
    if not rows:
        if settings.progress and pc.any(requests.table.column("is_selected")).as_py():
            say(_why_nothing(requests.table, unsent))
        return
    endpoints = _endpoints(requests.table, rows)
    _check_no_keys(requests.table, rows, secrets_of(endpoint for _, endpoint in endpoints.values()))
    with entered(ledger, settings.run_id, session_id, stop) as live:
        live.run(_collect(live, session_id), stop)
        # A batch, or another run while this one waited, may have answered some of them.
        rows = _to_send(requests.table, ledger, unsent)
        if promised := live.promised():
            keys = requests.take(rows, ["request_key"]).column(0).to_pylist()
            unsent.update((key, IN_BATCH) for key in keys if key in promised)
            rows = [row for row, key in zip(rows, keys, strict=True) if key not in promised]
        if settings.execution is Execution.BATCH and rows:
            now = _batched(requests, rows)
            work = _submit(live, requests, now, settings, endpoints, unsent, recorder)
            live.run(work, stop)
            rows = sorted(set(rows) - {row for batch in now.values() for row in batch})
        if rows and not stop.is_set:
            asking = Asking(requests, rows, settings, session_id, live, endpoints, unsent, recorder)
            stop.tell(lambda: _stop(live, asking))
            live.run(asking.ask(), stop)


def _stop(live: Live, asking: Asking) -> None:
    """Let a call end, unless all has ended and only the ledger is being put in order."""
    with suppress(RuntimeError):  # its loop is closed
        live.loop.call_soon_threadsafe(asking.stop)


def _without_patients(requests: Requests, rows: list[int], unsent: dict[str, Unsent]) -> list[int]:
    """The rows without a patient's data, for a model that is not approved for it at its address."""
    kept = []
    for row, ask in zip(
        rows, requests.take(rows, ["request_key", "contains_phi"]).to_pylist(), strict=True
    ):
        if ask["contains_phi"]:
            unsent[ask["request_key"]] = BY_ADDRESS
        else:
            kept.append(row)
    return kept


async def _collect(live: Live, session_id: str) -> None:
    """What has come of the batches of earlier runs."""
    providers: list[Provider] = []

    def connect(intent: Mapping[str, Any]) -> tuple[Any, Endpoint] | str:
        key = _from_environment(intent["api_key_env"])
        if PROVIDERS[intent["provider"]].needs_key and key is None:
            return "its key is absent"
        url = _from_environment(intent["base_url_env"])
        endpoint = Endpoint(key, url, 2, listed(intent.get("hosts")))
        if url is not None and (fault := fault_of(url)):
            return f"The address in {intent['base_url_env']} {fault}"
        try:
            providers.append(connected(intent["model_alias"], intent["provider"], endpoint))
        except EngineError as error:
            return str(error)
        return providers[-1], endpoint

    def scrub(outcome: Outcome, endpoint: Endpoint) -> Outcome:
        return scrubbed(outcome, secrets_of([endpoint]))

    async with live.batch_turn():
        try:
            await collect(
                live.batches, connect, live.writer, scrub, session_id, live.ledger.keys_of_batch
            )
        finally:
            for provider in providers:
                await provider.close()


def _batched(requests: Requests, rows: list[int]) -> dict[str, list[int]]:
    """The rows that go through a batch API, by model; the user is told of the others."""
    columns = requests.take(rows, ["model_alias", "provider", "accepts_batch"]).to_pylist()
    rows_of_model: dict[str, list[int]] = {}
    for row, model in zip(rows, columns, strict=True):
        if model["accepts_batch"] and PROVIDERS[model["provider"]].has_batches:
            rows_of_model.setdefault(model["model_alias"], []).append(row)
    others = {model["model_alias"] for model in columns} - set(rows_of_model)
    if others:
        say(f"no batch API: {', '.join(sorted(others))}, asked directly")
    return rows_of_model


async def _submit(
    live: Live,
    requests: Requests,
    batches: Mapping[str, list[int]],
    settings: Settings,
    endpoints: Mapping[str, tuple[str, Endpoint]],
    unsent: dict[str, Unsent],
    recorder: Recorder,
) -> None:
    """Submit one or more batches for each model."""
    budget = live.budget(settings.run_id, settings.max_usd)
    for alias, rows in batches.items():
        provider_name, endpoint = endpoints[alias]
        provider: Any = connected(alias, provider_name, endpoint)  # one of those with batches
        model = requests.take(rows[:1], ["base_url_env", "hosts", "api_key_env", "batch_factor"])
        if not PROVIDERS[provider_name].may_see_patients(provider, endpoint):
            rows = _without_patients(requests, rows, unsent)
        note_sending(settings.run_id, alias, provider.address, requests, rows, is_batch=True)
        environment = model.to_pylist()[0]
        factor = environment.pop("batch_factor")
        before = attempt_counts(live.ledger, requests, rows)
        keys = requests.take(rows, ["request_key"]).column(0).to_pylist()
        claimed: list[str] = []
        try:
            async with live.batch_turn():
                # Another call, of this process or of another, may have been quicker.
                promised = live.promised()
                claimed = [key for key in keys if key not in live.asking and key not in promised]
                free = set(claimed) - set(await live.writer.claim(claimed))
                ours = [row for row, key in zip(rows, keys, strict=True) if key in free]
                left = await submit(
                    live.batches,
                    requests,
                    ours,
                    settings.run_id,
                    budget,
                    Decimal(1) if factor is None else Decimal(repr(factor)),
                    provider,
                    environment,
                    before,
                    lambda request: recorder.before_sending(request, live.writer),
                )
        finally:
            live.writer.release(claimed)  # what the batch has is no longer this session's
            await provider.close()
        promised = live.promised()
        unsent.update((key, IN_BATCH if key in promised else ELSEWHERE) for key in keys)
        unsent.update((key, OVER_CAP) for key in left.over_cap)
        for key, refusal in left.refused.items():
            unsent[key] = Unsent(Status.PROVIDER_ERROR, "batch_refused", refusal)


def _to_send(table: pa.Table, ledger: Ledger, unsent: dict[str, Unsent]) -> list[int]:
    """Row numbers of the requests to send."""
    keys = table.column("request_key")
    may_be_sent = pc.and_not(table.column("is_selected"), table.column("is_blocked_by_policy"))
    wanted = pc.and_not(may_be_sent, _has_answer(keys, ledger))
    priced = pc.and_(
        table.column("input_usd_per_mtok").is_valid(),
        table.column("output_usd_per_mtok").is_valid(),
    )
    for key in keys.filter(pc.and_not(wanted, priced)).to_pylist():
        unsent[key] = UNPRICED
    return pc.indices_nonzero(pc.and_(wanted, priced)).to_pylist()


def _has_answer(keys: pa.ChunkedArray, ledger: Ledger) -> pa.ChunkedArray:
    status = ledger.counting(keys, ["status"]).column("status")
    return pc.is_in(status, pa.array(sorted(FINAL), pa.string()))


def _why_nothing(table: pa.Table, unsent: Mapping[str, Unsent]) -> str:
    """Why a live run sends none of its requests."""
    is_selected, is_blocked = table.column("is_selected"), table.column("is_blocked_by_policy")
    chosen = pc.and_not(is_selected, is_blocked)
    unpriced = pc.is_in(table.column("request_key"), pa.array(sorted(unsent), pa.string()))
    counts = {
        "answered before": pc.and_not(chosen, unpriced),
        "without a price": pc.and_(chosen, unpriced),
        "blocked by policy": pc.and_(is_selected, is_blocked),
        "not part of this run": pc.invert(is_selected),
    }
    numbers = ((pc.sum(rows).as_py() or 0, reason) for reason, rows in counts.items())
    reasons = ", ".join(f"{n:,} {reason}" for n, reason in numbers if n)
    return f"nothing to send for {len(table):,} requests" + (f": {reasons}" if reasons else "")


def _endpoints(table: pa.Table, rows: list[int]) -> dict[str, tuple[str, Endpoint]]:
    """Provider name and endpoint of every model that is about to be asked. Errors: EngineError."""
    names = ["model_alias", "provider", "base_url", "base_url_env", "hosts", "api_key_env"]
    names += ["max_concurrency", "is_phi_reviewed"]
    endpoints: dict[str, tuple[str, Endpoint]] = {}
    models = table.select(names).take(pa.array(rows, pa.int64())).group_by(names).aggregate([])
    for model in models.to_pylist():
        alias, provider = model["model_alias"], model["provider"]
        if alias in endpoints:
            raise EngineError(
                f"The requests of {alias} do not agree on its provider, address, key or "
                "concurrency: give the model one row in the registry."
            )
        if provider not in PROVIDERS:
            raise EngineError(
                f"Unknown provider {provider!r} of {alias}: use one of {', '.join(PROVIDERS)}."
            )
        key = _from_environment(model["api_key_env"])
        entry = PROVIDERS[provider]
        # a server of one's own may or may not ask for a key
        if model["api_key_env"] and not key and entry.needs_key:
            raise EngineError(
                f"The key of {alias} is absent: set the environment variable "
                f"{model['api_key_env']}, or leave the model out."
            )
        if key and not (key.isascii() and key.isprintable() and " " not in key):
            raise EngineError(
                f"The key in {model['api_key_env']} has a space, a line break or a character that "
                "no key has: set it again."
            )
        url = model["base_url"] or _from_environment(model["base_url_env"])
        if url is None and entry.needs_address:
            raise EngineError(
                f"The address of {alias} is absent: set the environment variable "
                f"{model['base_url_env'] or '(base_url_env in the registry)'}, such as "
                "http://127.0.0.1:8080/v1."
            )
        hosts = _hosts(alias, model)
        if url is not None and (fault := fault_of(url)):
            where = model["base_url_env"] or "its file"
            raise EngineError(f"The address of {alias} in {where} {fault}")
        # what an experiment's file says of an address was reviewed by nobody
        seen = (*entry.hosts, *listed(model["hosts"])) if model["is_phi_reviewed"] else ()
        endpoint = Endpoint(key, url, max(1, model["max_concurrency"]), hosts, seen)
        endpoints[alias] = provider, endpoint
    return endpoints


def _hosts(alias: str, model: Mapping[str, Any]) -> tuple[str, ...]:
    """The hosts a model may be asked at besides its provider's own: those of the registry, and the
    one of an address in place. Errors: EngineError for a name that is none."""
    hosts = listed(model["hosts"])
    if wrong := wrong_names(hosts):
        raise EngineError(
            f"The hosts of {alias} have {wrong[0]!r}, which is no name of a host: write it as in "
            "llm.example.org, without https:// and port."
        )
    site = site_of(model["base_url"]) if model["base_url"] else None
    return (*hosts, site.host) if site else hosts


def _check_no_keys(table: pa.Table, rows: list[int], redactor: secrets.Redactor) -> None:
    """What tells one model from another is in every table and log. Errors: EngineError, which does
    not repeat it."""
    for name in ("model_alias", "api_model", "parameters"):
        for text in pc.unique(table.column(name).take(rows)).drop_null().to_pylist():
            if redactor.redacted(text) != text:
                raise EngineError(
                    f"The {name} of a model has a key in it, which tables and logs would repeat: "
                    "take it out of the registry or the file of the experiment, and change the key."
                )


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
    slices = [
        keys.slice(start, ROWS_LOOKED_UP) for start in range(0, max(1, len(keys)), ROWS_LOOKED_UP)
    ]
    known = pa.concat_tables(
        ledger.counting(some, [*_FROM_LEDGER, "session_id"]) for some in slices
    )
    by_name = {name: known.column(_RENAMED.get(name, name)) for name in _COPIED}
    by_name["request_key"] = keys
    attempts = pa.concat_tables(pa.table([ledger.attempted(some)], ["attempts"]) for some in slices)
    by_name["attempts"] = attempts.column("attempts")
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
        texts = pa.array([getattr(reason, name) for reason in reasons], pa.string())
        by_name[name] = pc.replace_with_mask(
            by_name[name].combine_chunks(), absent.combine_chunks(), texts
        )
    columns = [by_name[field.name].cast(field.type) for field in RESPONSE_SCHEMA]
    return pa.table(columns, schema=RESPONSE_SCHEMA)
