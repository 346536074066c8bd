"""Every fault in every phase: nothing that was answered is lost or paid for again, what is served
is one build, and the next run ends as if nothing had been."""

from __future__ import annotations

import multiprocessing
import os
import signal

import duckdb
import faulty
import forks
import pytest

from python_llm.audit import trail
from python_llm.engine import attempts
from python_llm.engine.ledger import open_ledger

pytestmark = pytest.mark.slow

ASKING = ("start", "generation", "judging", "compaction")
FAULTS = ("kill", "interrupt", "full_disk", "clock")
ENDS = {
    "kill": {-signal.SIGKILL},
    "interrupt": {faulty.STOPPED, faulty.BROKEN, 0},
    "full_disk": {faulty.BROKEN, 0},
    "clock": {0},
    "connection": {faulty.BROKEN, 0},
}


def struck(phase: str, fault: str, folder) -> int:
    """The exit code of a process that meets the fault in the phase."""
    names = ("TEST_", "KERNEL29_")
    environment = {name: value for name, value in os.environ.items() if name.startswith(names)}
    listener, told = multiprocessing.Pipe(duplex=False)
    arguments = (phase, fault, str(folder), environment, told)
    process = forks.started(forks.ENGINE, faulty.work, arguments)
    process.join(300)
    if process.is_alive():
        process.kill()
        pytest.fail(f"{phase}, {fault}: it did not end")
    sentence = listener.recv() if listener.poll() else ""
    assert process.exitcode in ENDS[fault], sentence
    if process.exitcode == faulty.BROKEN:
        assert "Error: " in sentence
    return process.exitcode


@pytest.mark.parametrize("fault", FAULTS)
@pytest.mark.parametrize("phase", ASKING)
@pytest.mark.usefixtures("each_ledger")
def test_a_fault_costs_no_answer(phase, fault, serve, live, tmp_path, monkeypatch):
    monkeypatch.setenv("KERNEL29_AUDIT_DIR", str(tmp_path / "audit"))
    is_database = "KERNEL29_LEDGER_URL" in os.environ
    check(phase, fault, serve, live, tmp_path, is_database=is_database)


@pytest.mark.parametrize("phase", ASKING)
@pytest.mark.usefixtures("team")
def test_a_lost_database_costs_no_answer(phase, serve, live, tmp_path, monkeypatch):
    monkeypatch.setenv("KERNEL29_AUDIT_DIR", str(tmp_path / "audit"))
    check(phase, "connection", serve, live, tmp_path, is_database=True)


def check(phase, fault, serve, live, folder, *, is_database):
    """What holds after a fault in a phase of a live run, and after the run that follows."""
    server = serve(latency=0.01)
    named = f"{phase} of a database" if is_database and phase == "compaction" else phase
    code = struck(named, fault, folder)
    before = {
        row["attempt_id"]: row
        for row in attempts(folder / "ledger").to_pylist()
        if row["status"] == "ok"
    }

    settings = live(run_id="r", max_usd=9)
    responses = [*faulty.generated(settings), *faulty.judged(settings)]
    assert {row["status"] for row in responses} == {"ok"}
    n_again = server.total - 2 * faulty.N
    # what was under way when it died, and no more
    assert 0 <= n_again <= (0 if code == 0 else faulty.CONCURRENCY)
    after = {row["attempt_id"]: row for row in attempts(folder / "ledger").to_pylist()}
    assert {name: after[name] for name in before} == before
    assert [row["status"] for row in after.values()].count("ok") == 2 * faulty.N
    assert open_ledger(folder / "ledger").verify().damage == []
    assert trail.read().damage == []


@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_while_publishing_leaves_one_build(fault, tmp_path):
    faulty.published(3, tmp_path)
    code = struck("publish", fault, tmp_path)
    counts = served(tmp_path)
    assert counts in ({3}, {7})
    assert counts == {7} or code != 0
    faulty.published(9, tmp_path)
    assert served(tmp_path) == {9}
    assert not list((tmp_path / "serve").glob(".publishing-*"))


@pytest.mark.parametrize("fault", FAULTS)
@pytest.mark.usefixtures("each_ledger")
def test_a_fault_while_marts_are_built(fault, serve, live, tmp_path, monkeypatch):
    monkeypatch.setenv("KERNEL29_AUDIT_DIR", str(tmp_path / "audit"))
    monkeypatch.chdir(tmp_path)  # and back
    check_marts(fault, serve, live, tmp_path)


@pytest.mark.usefixtures("team")
def test_a_database_lost_while_marts_are_built(serve, live, tmp_path, monkeypatch):
    monkeypatch.setenv("KERNEL29_AUDIT_DIR", str(tmp_path / "audit"))
    monkeypatch.chdir(tmp_path)
    check_marts("connection", serve, live, tmp_path)


def check_marts(fault, serve, live, folder):
    """Neither the ledger nor what was served before has anything of it; the next build ends."""
    server, settings = serve(), live(run_id="r", max_usd=9)
    faulty.generated(settings)
    alone = faulty.project(folder)
    faulty.built(alone)
    assert served(folder) == {faulty.N}
    faulty.judged(settings)
    before = attempts(folder / "ledger")

    code = struck("marts", fault, folder)
    counts = served(folder)
    assert counts in ({faulty.N}, {2 * faulty.N})
    assert counts == {2 * faulty.N} or code != 0
    faulty.built(alone)
    assert served(folder) == {2 * faulty.N}
    assert attempts(folder / "ledger").equals(before)
    assert server.total == 2 * faulty.N
    assert open_ledger(folder / "ledger").verify().damage == []


def served(folder) -> set[int]:
    """How many rows tables and Parquet files have."""
    with duckdb.connect(str(folder / "serve" / "kernel29.duckdb"), read_only=True) as database:
        rows = [
            database.execute(f"select count(*) from {name}").fetchone() for name in faulty.MARTS
        ]
    files = [folder / "serve" / "parquet" / f"{name}.parquet" for name in faulty.MARTS]
    rows += [duckdb.sql(f"select count(*) from '{file}'").fetchone() for file in files]
    return {n for (n,) in rows}
