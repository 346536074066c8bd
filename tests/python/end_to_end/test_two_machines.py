"""A live run with judges on a team's ledger, by two machines, of which one is killed."""

from __future__ import annotations

import signal
import time
from collections import Counter
from pathlib import Path

from lacking import lacking
from loopback import Loopback, user_text
from postgres import NoPostgres, running
from scratch import Scratch, addresses, clinician, copied

from python_llm.audit import trail
from python_llm.engine import attempts

N_CASES = 12
VARIABLES = (
    "{mode: live, models: gpt4o, test_sets: simulated_rare_200, prompts: dxgpt_standard, "
    f"limit: '{N_CASES}', judges: claude_sonnet45_judge, judge_runs: live, max_usd: 50}}"
)
# the most that a machine can have under way: calls of two threads, each with its lanes
UNDER_WAY = 40


def test_one_of_two_machines_is_killed_while_judges_are_asked(built, tmp_path, monkeypatch):
    try:
        with running() as server, Loopback(answer=clinician, latency=0.3) as provider:
            check(server.new_database(), provider, built[0].warehouse, tmp_path, monkeypatch)
    except NoPostgres as error:
        lacking("PostgreSQL", str(error))


def check(database: str, provider: Loopback, warehouse: Path, folder: Path, monkeypatch) -> None:
    """Both build what comes of requests, on what the live build made and a ledger without an
    answer; the first is killed once a judge has answered; the second ends, and a build that follows
    on the first machine sends nothing and has the same verdicts."""
    asks = "int_experiments__generation_asks+"
    build = (
        *("run", "--select", f"{asks},+fct_answer", f"{asks},+fct_judge_vote"),
        *("--vars", VARIABLES),
    )
    machines = []
    for name in ("first", "second"):
        machine = Scratch.make(folder / name, **addresses(provider))
        machine.folder.mkdir()
        copied(warehouse, machine.folder)
        machine.environment["KERNEL29_LEDGER_URL"] = database
        machines.append(machine)
    first, second = machines
    processes = [machine.start_dbt(*build) for machine in machines]
    while not any("LIST BEGINS" in user_text(seen.payload) for seen in list(provider.seen)):
        for process in processes:
            assert not process.is_over, process.printed()
        time.sleep(0.02)
    processes[0].send(signal.SIGKILL)
    processes[0].wait(60)
    done = processes[1].wait()
    assert done.returncode == 0, done.stdout

    asked = Counter(user_text(seen.payload) for seen in list(provider.seen))
    judged = [text for text in asked if "LIST BEGINS" in text]
    assert len(judged) > 1
    sent = provider.total
    code, printed = first.dbt(*build)
    assert code == 0, printed
    assert provider.total == sent
    for table in ("fct_answer", "fct_judge_vote"):
        assert first.content(table) == second.content(table), table
    votes = second.rows("select count(*), count(label) from fct_judge_vote")
    assert votes[0][0] >= votes[0][1] > N_CASES

    monkeypatch.setenv("KERNEL29_LEDGER_URL", database)
    log = attempts(folder / "unused").to_pylist()
    answered = Counter(row["request_key"] for row in log if row["status"] == "ok")
    assert set(answered.values()) == {1}
    assert len(answered) <= provider.total <= len(answered) + UNDER_WAY
    for machine in machines:
        assert trail.read(machine.folder / "audit").damage == []
