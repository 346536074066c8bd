"""A whole live build with judges on a team's ledger, by two machines, of which one is killed."""

from __future__ import annotations

import os
import signal
import time
from collections import Counter
from pathlib import Path

from lacking import lacking
from loopback import Loopback, user_text
from postgres import NoPostgres, running
from scratch import Scratch, addresses, clinician

from python_llm.audit import trail
from python_llm.engine import attempts

N_CASES = 12
VARIABLES = (
    "{mode: live, models: gpt4o, test_sets: simulated_rare_200, prompts: dxgpt_standard, "
    f"limit: '{N_CASES}', judges: claude_sonnet45_judge, judge_runs: live, max_usd: 50}}"
)
# the most that a machine can have under way: calls of two threads, each with its lanes
UNDER_WAY = 40


def test_one_of_two_machines_is_killed_while_judges_are_asked(groundwork, tmp_path, monkeypatch):
    try:
        with running() as server, Loopback(answer=clinician, latency=0.3) as provider:
            check(server.new_database(), provider, groundwork, tmp_path, monkeypatch)
    except NoPostgres as error:
        lacking("PostgreSQL", str(error))


def check(database: str, provider: Loopback, groundwork, folder: Path, monkeypatch) -> None:
    """Both build; the first is killed once a judge has answered; the second ends, and a build that
    follows on the first machine sends nothing and has the same verdicts."""
    build = (
        *("build", "--select", "+fct_answer", "+fct_judge_vote", *groundwork.exclude),
        *("--exclude-resource-type", "test", "unit_test", "--vars", VARIABLES),
    )
    machines = []
    for name in ("first", "second"):
        machine = Scratch.make(folder / name, **addresses(provider))
        machine.folder.mkdir()
        groundwork.copy_to(machine.folder)
        machine.environment["KERNEL29_LEDGER_URL"] = database
        machines.append(machine)
    first, second = machines
    processes = [machine.start_dbt(*build) for machine in machines]
    while not any("LIST BEGINS" in user_text(seen.payload) for seen in list(provider.seen)):
        for process in processes:
            assert process.poll() is None, process.communicate()[0]
        time.sleep(0.02)
    os.kill(processes[0].pid, signal.SIGKILL)
    processes[0].communicate(timeout=60)
    printed = processes[1].communicate(timeout=900)[0]
    assert processes[1].returncode == 0, printed

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
