"""How fast the engine is, with the bare SDK loop beside it in the same run.

    python benchmarks/engine.py            # everything
    python benchmarks/engine.py throughput durable rerun refusals

throughput: requests of 2 kB against a loopback server that answers after 500 ms, 1,000 of them 50
at a time and 10,000 of them 200 at a time; the ideal is as many each half second. durable: answers
a second when the server answers at once. rerun: 1,000,000 answered requests of 2 kB, handed over
batch by batch as dbt does it, nothing to send. refusals: 2,000 requests, 50 at a time, of a server
that answers after 500 ms and refuses after 20 ms, in each of the ways of SERVERS; it runs in the
same process and its CPU is counted with the engine's. Each measurement is a process of its own.
Prints one line each: what, the number, the target, and the CPU seconds the process took, which say
more on a machine that is shared. Importing the SDK, which costs a build half a second once, is left
out on both sides, and so is making up the requests; starting and ending the engine is not.
"""

from __future__ import annotations

import argparse
import asyncio
import hashlib
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from decimal import Decimal
from importlib import import_module
from pathlib import Path

import pyarrow as pa

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from python_llm.engine import REQUEST_SCHEMA, Settings, answer  # noqa: E402
from python_llm.engine.ledger.folder import FileLedger  # noqa: E402
from python_llm.engine.ledger.lines import closing_line  # noqa: E402
from python_llm.engine.ledger.segments import line_of  # noqa: E402
from tests.python.helpers.loopback import Fault, Faults, Loopback, at_random  # noqa: E402

SYSTEM = "You are a clinician. " * 10
TARGETS = {50: 90, 200: 92}  # per cent of the ideal
ASKED = {50: 1_000, 200: 10_000}


def batches(n: int, concurrency: int, length: int) -> Iterator[pa.RecordBatch]:
    for start in range(0, n, 1_000):
        rows = []
        for number in range(start, min(n, start + 1_000)):
            text = (f"case {number} " + "abdominal pain for three days, " * (length // 30 + 1))[
                :length
            ]
            rows.append(
                {
                    "request_key": hashlib.sha256(text.encode()).hexdigest(),
                    "model_alias": "bench",
                    "provider": "openai_compatible",
                    "api_model": "bench",
                    "base_url_env": "BENCH_URL",
                    "parameters": '{"max_tokens":50}',
                    "system_text": SYSTEM,
                    "user_text": text,
                    "repeat_number": 1,
                    "is_selected": True,
                    "is_blocked_by_policy": False,
                    "max_concurrency": concurrency,
                    "timeout_seconds": 30.0,
                    "estimated_input_tokens": length // 4,
                    "max_output_tokens": 50,
                    "input_usd_per_mtok": 0.0,
                    "output_usd_per_mtok": 0.0,
                }
            )
        yield pa.RecordBatch.from_pylist(rows, schema=REQUEST_SCHEMA)


def cpu_seconds() -> float:
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


def ask(n: int, concurrency: int, folder: str, *, latency: float) -> float:
    """Requests a second of the engine, its start and its end included."""
    import_module("python_llm.providers.openai")
    asked = list(batches(n, concurrency, 2_000))
    with Server(latency):
        settings = Settings(mode="live", ledger_dir=folder, max_usd=1, progress=False)
        began = time.monotonic()
        requests = pa.RecordBatchReader.from_batches(REQUEST_SCHEMA, asked)
        responses = answer(requests, settings=settings)
        took = time.monotonic() - began
    assert set(responses.column("status").to_pylist()) == {"ok"}
    return n / took


def bare_loop(n: int, concurrency: int) -> float:
    """Requests a second of a plain asyncio loop over the openai SDK."""
    import openai

    texts = [row["user_text"] for b in batches(n, 1, 2_000) for row in b.to_pylist()]

    async def work(client: openai.AsyncOpenAI, queue: Iterator[str]) -> None:
        for text in queue:
            messages = [{"role": "system", "content": SYSTEM}, {"role": "user", "content": text}]
            await client.chat.completions.create(model="bench", messages=messages, max_tokens=50)

    async def run() -> float:
        client = openai.AsyncOpenAI(api_key="none", base_url=os.environ["BENCH_URL"], max_retries=0)
        queue = iter(texts)
        began = time.monotonic()
        await asyncio.gather(*(work(client, queue) for _ in range(concurrency)))
        return n / (time.monotonic() - began)

    with Server(0.5):
        return asyncio.run(run())


class Server:
    """The loopback server in a process of its own."""

    def __init__(self, latency: float) -> None:
        self.latency = latency

    def __enter__(self) -> None:
        command = [
            sys.executable,
            "-m",
            "tests.python.helpers.loopback",
            "--latency",
            str(self.latency),
        ]
        self.process = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True)
        os.environ["BENCH_URL"] = json.loads(self.process.stdout.readline())["openai_url"]

    def __exit__(self, *_: object) -> None:
        self.process.terminate()
        self.process.wait()


def fill(folder: str, n: int, length: int) -> None:
    """A ledger that has an answer to every request."""
    now = datetime.now(UTC)
    path = Path(folder) / "segments" / "filled.jsonl"
    path.parent.mkdir(parents=True)
    with path.open("wb") as lines:
        for batch in batches(n, 1, length):
            for number, key in enumerate(batch.column("request_key").to_pylist()):
                row = {
                    "attempt_id": key[:32],
                    "run_id": "earlier",
                    "session_id": "earlier",
                    "request_key": key,
                    "attempt_number": 1,
                    "model_alias": "bench",
                    "provider": "openai_compatible",
                    "api_model": "bench",
                    "status": "ok",
                    "answer_text": f"{number}. " + "A differential diagnosis. " * 20,
                    "raw_response": "{}" * 300,
                    "input_tokens": 700,
                    "output_tokens": 100,
                    "started_at": now,
                    "ended_at": now,
                    "charged_usd": Decimal(0),
                }
                lines.write(line_of(row))
        lines.write(closing_line(n))
    with FileLedger(Path(folder)).writing("earlier", "filling"):
        pass  # compacted on the way in


def again(n: int, length: int, folder: str) -> tuple[float, float]:
    """Seconds and peak gigabytes of a live run over n answered requests."""
    settings = Settings(mode="live", ledger_dir=folder, max_usd=1, progress=False)
    os.environ["BENCH_URL"] = "http://127.0.0.1:9/v1"  # whatever is sent fails
    began = time.monotonic()
    making = 0.0

    def made() -> Iterator[pa.RecordBatch]:
        nonlocal making
        source = batches(n, 10, length)
        while True:
            start = time.monotonic()
            batch = next(source, None)
            making += time.monotonic() - start
            if batch is None:
                return
            yield batch

    requests = pa.RecordBatchReader.from_batches(REQUEST_SCHEMA, made())
    responses = answer(requests, settings=settings)
    took = time.monotonic() - began - making
    assert responses.num_rows == n
    assert responses.column("status").value_counts().to_pylist()[0] == {"values": "ok", "counts": n}
    return took, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20


def at_most(places: int, server: Loopback) -> Faults:
    """Refuses what is more than so many at a time."""
    return lambda _: Fault("rate_limit") if server.in_flight >= places else None


def a_second(rate: float, retry_after: str | None) -> Faults:
    """Refuses what is more than so many a second; a second's worth may be saved up."""
    tokens, filled = rate, time.monotonic()

    def choose(_seen: object) -> Fault | None:
        nonlocal tokens, filled
        now = time.monotonic()
        tokens, filled = min(rate, tokens + (now - filled) * rate), now
        if tokens < 1:
            return Fault("rate_limit", retry_after=retry_after)
        tokens -= 1
        return None

    return choose


def outage(begins: float, ends: float, kind: str) -> Faults:
    """Refuses everything between two seconds of the run."""
    began = time.monotonic()
    return lambda _: Fault(kind) if begins <= time.monotonic() - began < ends else None


# name -> how the server refuses, seconds within which the rest can be answered at best
SERVERS: dict[str, tuple[Callable[[Loopback], Faults | None], float]] = {
    "none": (lambda _: None, 20),
    "30 % at random 429": (lambda _: at_random({"rate_limit": 0.3}), 20),
    "30 % at random 500": (lambda _: at_random({"server_error": 0.3}), 20),
    "15 % at random 500, 15 % cut": (
        lambda _: at_random({"server_error": 0.15, "reset": 0.15}),
        20 / 0.85,
    ),
    "above 10 at a time 429": (lambda server: at_most(10, server), 100),
    "above 20 a second 429, Retry-After": (lambda _: a_second(20, "1"), 99),
    "above 20 a second 429": (lambda _: a_second(20, None), 99),
    "all for 20 s 503": (lambda _: outage(8, 28, "unavailable"), 40),
    "all for 20 s 500": (lambda _: outage(8, 28, "server_error"), 40),
}


def refusals(name: str, folder: str) -> str:
    """What the requests to a server came to."""
    import_module("python_llm.providers.openai")
    asked = list(batches(2_000, 50, 2_000))
    faults, ideal = SERVERS[name]
    with Loopback(latency=0.5, refusal_latency=0.02, record=False) as server:
        os.environ["BENCH_URL"] = server.openai_url
        settings = Settings(mode="live", ledger_dir=folder, max_usd=1, progress=False)
        requests = pa.RecordBatchReader.from_batches(REQUEST_SCHEMA, asked)
        began, server.faults = time.monotonic(), faults(server)
        responses = answer(requests, settings=settings)
        took = time.monotonic() - began
    statuses = Counter(responses.column("status").to_pylist())
    in_vain = 1 - statuses["ok"] / server.total
    return (
        f"{name:35} {took:6.1f} s (at best {ideal:3.0f}), {server.total:,} attempts, "
        f"{in_vain:5.1%} in vain, {2_000 - statuses['ok']} requests without an answer"
    )


def measure(what: str) -> None:
    before = cpu_seconds()
    _measure(what)
    if not what.startswith("fill"):
        print(f"  {cpu_seconds() - before:.2f} s CPU", flush=True)


def _measure(what: str) -> None:
    with tempfile.TemporaryDirectory() as folder:
        name, _, detail = what.partition(":")
        if name == "bare":
            concurrency = int(detail)
            rate = bare_loop(ASKED[concurrency], concurrency)
            print(
                f"bare SDK loop, concurrency {concurrency:3}   {rate:7.0f}/s  "
                f"{rate / concurrency * 50:4.0f} % of the ideal"
            )
        elif name == "engine":
            concurrency = int(detail)
            rate = ask(ASKED[concurrency], concurrency, folder, latency=0.5)
            print(
                f"engine,        concurrency {concurrency:3}   {rate:7.0f}/s  "
                f"{rate / concurrency * 50:4.0f} % of the ideal  "
                f"(target {TARGETS[concurrency]} %)"
            )
        elif name == "durable":
            rate = ask(5_000, 64, folder, latency=0.0)
            print(f"durable answers               {rate:7.0f}/s  (target 1,000/s)")
        elif name == "refusals":
            print(refusals(detail, folder))
        elif name == "fill":
            n, length, where = detail.split(",")
            fill(where, int(n), int(length))
        elif name == "again":
            n, length, where = detail.split(",")
            took, peak = again(int(n), int(length), where)
            print(
                f"{int(n):,} answered of {length} B      {took:6.1f} s, peak {peak:.2f} GB  "
                "(target under 10 s and 1.5 GB)"
            )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    everything = ["throughput", "durable", "rerun", "refusals"]
    parser.add_argument("what", nargs="*", default=everything)
    parser.add_argument("--only", help="one measurement, in this process")
    options = parser.parse_args()
    if options.only:
        measure(options.only)
        return

    def run(what: str) -> None:
        subprocess.run([sys.executable, __file__, "--only", what], check=True)

    for what in options.what:
        if what == "throughput":
            for concurrency in TARGETS:
                run(f"bare:{concurrency}")
                run(f"engine:{concurrency}")
        elif what == "durable":
            run("durable")
        elif what == "refusals":
            for name in SERVERS:
                run(f"refusals:{name}")
        else:
            with tempfile.TemporaryDirectory() as folder:
                run(f"fill:1000000,2000,{folder}/ledger")
                print("the words of the requests are written down where they lack:", flush=True)
                run(f"again:1000000,2000,{folder}/ledger")
                print("and then are there:", flush=True)
                run(f"again:1000000,2000,{folder}/ledger")


if __name__ == "__main__":
    main()
