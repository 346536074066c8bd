"""Killed at any moment, started twice, interrupted: nothing answered is lost or asked twice."""

from __future__ import annotations

import os
import random
import signal
import time
from collections import Counter
from collections.abc import Callable
from decimal import Decimal
from multiprocessing.process import BaseProcess
from pathlib import Path

import asking
import forks
import pytest
from asking import many, started
from loopback import Fault, Loopback, Seen, echo, user_text

from python_llm.engine import answer, attempts

pytestmark = pytest.mark.slow

FINAL = {"ok", "refused", "truncated", "content_filtered", "context_exceeded"}


def wait_until(condition: Callable[[], bool], process: forks.Running | BaseProcess) -> None:
    deadline = time.monotonic() + 30
    is_running = getattr(process, "is_alive", lambda: not process.is_over)
    while not condition() and is_running():
        assert time.monotonic() < deadline
        time.sleep(0.001)


def arrivals(server: Loopback) -> Counter[str]:
    """How often each question arrived."""
    return Counter(user_text(seen.payload) for seen in list(server.seen))


def answered_questions(folder: Path, by_key: dict[str, str]) -> set[str]:
    """The questions that have a final answer in the ledger."""
    log = attempts(folder).select(["request_key", "status"]).to_pylist()
    return {by_key[row["request_key"]] for row in log if row["status"] in FINAL}


def misbehave(seen: Seen) -> Fault | None:
    """Every eleventh answer is cut short, every seventh comes at the second attempt."""
    number = int(user_text(seen.payload).removeprefix("case "))
    if number % 11 == 0:
        return Fault("length")
    return Fault("server_error") if number % 7 == 0 and seen.nth == 1 else None


@pytest.mark.usefixtures("quick_retries")
def test_a_run_killed_at_random_ends_like_an_undisturbed_one(serve, live, tmp_path):
    n, concurrency, kills, draw = 1000, 40, 20, random.Random(29)
    server = serve(latency=0.05, faults=misbehave)
    folder = tmp_path / "ledger"
    questions = {row["request_key"]: row["user_text"] for row in many(n).to_pylist()}
    environment = {name: os.environ[name] for name in ("TEST_OPENAI_URL", "TEST_OPENAI_KEY")}
    at_kills = []
    for _ in range(kills):
        arguments = (str(folder), n, concurrency, "run", environment)
        process = forks.started(forks.ENGINE, asking.ask_many, arguments)
        goal = server.total + draw.randrange(5, 45)
        wait_until(lambda goal=goal: server.total >= goal, process)
        time.sleep(draw.random() * 0.03)
        process.kill()
        process.join()
        assert process.exitcode == -signal.SIGKILL
        time.sleep(0.1)  # until what was on the wire has arrived
        at_kills.append((answered_questions(folder, questions), arrivals(server)))
    wide = many(n, max_concurrency=100)
    responses = answer(wide, settings=live(max_usd=100, ledger_dir=folder))
    at_the_end = arrivals(server)
    sent = server.total

    same = ["request_key", "status", "answer_text", "finish_reason", "output_tokens"]
    undisturbed = answer(wide, settings=live(max_usd=100, ledger_dir=tmp_path / "other"))
    assert responses.select(same) == undisturbed.select(same)
    assert set(responses.column("status").to_pylist()) == {"ok", "truncated"}

    assert len(at_kills[-1][0]) > 50
    for had, arrived in at_kills:
        assert {text for text in had if at_the_end[text] != arrived[text]} == set()
    log = attempts(folder).to_pylist()
    final = [row["request_key"] for row in log if row["status"] in FINAL]
    assert len(final) == len(set(final)) == n
    # What was under way at a kill is on record too, charged at its worst case; an intent may have
    # been written and not sent.
    assert sent <= len(log) <= sent + kills * concurrency
    unseen = [row for row in log if row["error_kind"] == "interrupted"]
    assert 0 < len(unseen) <= kills * concurrency
    assert {row["charged_usd"] for row in unseen} == {Decimal("0.0006")}


def test_a_kill_loses_no_answer_that_had_arrived(serve, tmp_path):
    """The lines are in the file as soon as the answers are there, not when a buffer is full."""
    server = serve(latency=0.01)
    process = started(tmp_path, 5000)
    wait_until(lambda: server.total >= 200, process)
    process.send(signal.SIGKILL)
    process.wait()
    assert attempts(tmp_path).num_rows >= server.total - 2 * 10


def test_two_processes_pay_once(serve, live, tmp_path):
    n = 100
    server = serve(latency=1.0)
    first = started(tmp_path, n, concurrency=5, run_id="run-1")
    wait_until(lambda: server.total > 0, first)
    second = started(tmp_path, n, concurrency=5, run_id="run-2")
    wait_until(lambda: "\n" in second.printed(), second)
    assert "Waiting for run run-1 (process" in second.printed()
    server.latency = 0.005  # the first need not go on so slowly, now that the second waits
    ends = [process.wait(60) for process in (first, second)]
    printed = [end.stdout for end in ends]
    assert [end.returncode for end in ends] == [0, 0], printed
    assert f"{n} of {n} requests" in printed[0]
    assert "requests" not in printed[1]  # it found every answer in the ledger
    assert server.total == n
    assert set(arrivals(server).values()) == {1}
    shown = answer(many(n), settings=live(mode="off", ledger_dir=tmp_path)).to_pylist()
    assert {row["status"] for row in shown} == {"ok"}


def test_a_second_interrupt_does_not_wait(serve, tmp_path):
    # the first is asked alone, and answered
    server = serve(faults=lambda seen: Fault("slow", seconds=60) if seen.number > 1 else None)
    process = started(tmp_path, 50)
    wait_until(lambda: server.total >= 11, process)
    process.send(signal.SIGINT)
    time.sleep(0.5)
    assert not process.is_over
    process.send(signal.SIGINT)
    end = process.wait(5)
    assert end.returncode != 0, end.stdout
    kept = attempts(tmp_path).to_pylist()
    assert len(kept) == server.total == 11
    unseen = [row for row in kept if row["error_kind"] == "interrupted"]
    assert len(unseen) == 10
    assert "stopping: 10 answers had not come: charged at the worst case" in end.stdout
    assert {row["charged_usd"] for row in unseen} == {Decimal("0.0006")}  # may be billed


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupt_ends_soon_and_keeps_what_was_answered(number, serve, live, tmp_path):
    server = serve(latency=0.02)
    process = started(tmp_path, 5000)
    wait_until(lambda: server.total >= 100, process)
    process.send(number)
    end = process.wait(10)
    assert end.returncode != 0, end.stdout
    kept = attempts(tmp_path).to_pylist()
    assert len(kept) == server.total
    assert {row["status"] for row in kept} == {"ok"}  # what was under way was waited for
    server.faults = lambda _: Fault("bad_key")  # the lock is free, and what was kept is used
    responses = answer(many(100), settings=live(ledger_dir=tmp_path)).to_pylist()
    texts = {echo("openai", {"messages": [{"content": f"case {n}"}]}) for n in range(100)}
    assert {row["answer_text"] for row in responses} - texts <= {None}
    assert sum(row["status"] == "ok" for row in responses) >= 80
