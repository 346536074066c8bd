"""The ledger of a team: several machines on one grid, and nothing is paid for twice."""

from __future__ import annotations

import asyncio
import gc
import json
import random
import signal
import threading
import time
import traceback
import uuid
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from datetime import UTC, datetime
from decimal import Decimal

import duckdb
import pytest
import sqlalchemy as sa
from asking import ask_in_threads, many, request, started, table
from click.testing import CliRunner
from loopback import Fault, Loopback, Seen, user_text
from postgres import PASSWORD, Server

from python_llm.console.cli import main
from python_llm.engine import ATTEMPT_SCHEMA, EngineError, answer, attempts, batches, stopping
from python_llm.engine.ledger import Taken
from python_llm.engine.ledger import postgres_tables as tables
from python_llm.engine.ledger.lines import MOST_LINE_BYTES
from python_llm.engine.ledger.postgres import TeamLedger, TeamSession
from python_llm.providers import Status

pytestmark = pytest.mark.slow

NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)


def arrivals(server: Loopback) -> Counter[str]:
    """How often each question arrived."""
    return Counter(user_text(seen.payload) for seen in list(server.seen))


def wait_until(condition: Callable[[], bool], seconds: float = 120) -> None:
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.005)


def attempt(session: TeamSession, key: str) -> dict:
    return {
        "attempt_id": uuid.uuid4().hex,
        "run_id": "run",
        "session_id": session.session_id,
        "request_key": key,
        "attempt_number": 1,
        "model_alias": "model",
        "provider": "openai",
        "api_model": "gpt",
        "started_at": NOON,
        "charged_usd": Decimal("0.25"),
    }


def answered(row: dict, **columns) -> dict:
    return {**row, "status": "ok", "ended_at": NOON, "answer_text": "\0?", **columns}


@pytest.fixture
def opened(team, tmp_path):
    """Make sessions on one ledger, each as of a machine of its own."""
    sessions: list[TeamSession] = []

    def make() -> TeamSession:
        ledger = TeamLedger(team, tmp_path / f"machine-{len(sessions)}", notify=lambda _: None)
        ledger.set_up()
        sessions.append(TeamSession(ledger, "run", uuid.uuid4().hex))
        return sessions[-1]

    yield make
    for session in sessions:
        with suppress(EngineError, RuntimeError):  # refused, or closed by the test
            session.close()


# Claims


def test_a_claim_is_one_session_s_until_it_is_given_back(opened):
    async def run() -> None:
        mine, other = opened(), opened()
        assert await mine.claim(["a", "b"]) == {}
        assert await other.claim(["b", "c"]) == {"b": Taken()}
        assert await mine.claim(["a"]) == {}  # its own
        mine.release(["b"])
        await mine.durable()
        assert await other.claim(["b"]) == {}

    asyncio.run(run())


def test_what_has_been_answered_is_nobody_s_to_ask(opened):
    async def run() -> None:
        mine, other = opened(), opened()
        await mine.claim(["a", "b"])
        for key, status in (("a", "ok"), ("b", "timeout")):
            row = attempt(mine, key)
            assert await mine.intend(row)
            await mine.append(answered(row, status=status))
        mine.release(["a", "b"])
        await mine.durable()
        # A failure is not an answer, and an answered one is not left claimed.
        assert await other.claim(["a", "b"]) == {"a": Taken(status=Status.OK)}
        assert await mine.claim(["a", "b"]) == {"a": Taken(status=Status.OK), "b": Taken()}

    asyncio.run(run())


def test_a_dead_session_loses_its_claims_and_keeps_its_intents(opened, team, tmp_path):
    ledger = TeamLedger(team, tmp_path)

    async def run() -> None:
        mine, other = opened(), opened()
        await mine.claim(["a", "b"])
        row = attempt(mine, "a")
        assert await mine.intend(row)
        assert await other.claim(["a"]) == {"a": Taken()}
        assert ledger.attempts().num_rows == 0  # under way, and none yet
        mine._thread.submit(mine._disconnect).result()  # as a kill does
        wait_until(lambda: ledger.attempts().num_rows == 1)
        assert await other.claim(["a", "b"]) == {}
        [lost] = ledger.attempts().to_pylist()
        assert (lost["attempt_id"], lost["error_kind"]) == (row["attempt_id"], "interrupted")
        assert ledger.spent("run") == Decimal("0.25")
        # It lives after all: what it has not sent yet it must not send, what it did is kept.
        assert not await mine.intend(attempt(mine, "b"))
        await mine.append(answered(row, charged_usd=Decimal("0.125")))
        [kept] = ledger.attempts().to_pylist()
        assert (kept["status"], kept["answer_text"]) == ("ok", "\ufffd?")
        assert ledger.spent("run") == Decimal("0.125")

    asyncio.run(run())


def test_a_session_that_comes_back_keeps_what_nobody_took(opened):
    async def run() -> None:
        mine = opened()
        await mine.claim(["a"])
        mine._thread.submit(mine._disconnect).result()
        assert await mine.intend(attempt(mine, "a"))

    asyncio.run(run())


def test_many_claim_the_same_at_once(opened):
    """No request has two owners, and nobody waits for anybody for ever."""
    keys = [f"key-{n:03}" for n in range(300)]
    owners: Counter[str] = Counter()

    async def claim(session: TeamSession, draw: random.Random) -> None:
        wanted = draw.sample(keys, len(keys))
        for place in range(0, len(wanted), 7):
            some = wanted[place : place + 7]
            taken = await session.claim(some)
            got = [key for key in some if key not in taken]
            owners.update(got)
            for key in got:
                row = attempt(session, key)
                assert await session.intend(row)
                await session.append(answered(row))
            session.release(got)

    sessions = [opened() for _ in range(4)]
    threads = [
        threading.Thread(target=lambda n=n, s=s: asyncio.run(claim(s, random.Random(n))))
        for n, s in enumerate(sessions)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert owners == Counter(keys)


# Runs


def test_it_is_a_ledger_like_the_other(serve, live, team, tmp_path, monkeypatch):
    def misbehave(seen: Seen) -> Fault | None:
        kinds = {"case 1": "length", "case 2": "refusal", "case 3": "bad_gateway"}
        return Fault(kinds[user_text(seen.payload)]) if user_text(seen.payload) in kinds else None

    def run(**options) -> list[dict]:
        rows = answer(many(6), settings=live(max_attempts=2, **options)).to_pylist()
        times = {"requested_at", "answered_at", "latency_ms", "response_id", "attempts"}
        return [{name: row[name] for name in row if name not in times} for row in rows]

    server = serve(faults=misbehave)
    first, shown = run(), run(mode="off")
    log = attempts("nowhere")
    assert server.total == 7
    monkeypatch.delenv("KERNEL29_LEDGER_URL")
    assert [first, shown] == [run(), run(mode="off")]
    ours = attempts(live().ledger_dir)
    assert log.schema == ours.schema == ATTEMPT_SCHEMA
    same = ["request_key", "status", "charged_usd", "answer_text", "error_kind", "is_final"]
    order = [("request_key", "ascending"), ("status", "ascending")]
    assert log.select(same).sort_by(order) == ours.select(same).sort_by(order)


def test_two_machines_share_a_grid(serve, live, team, tmp_path):
    n = 400
    server = serve(latency=0.05)
    machines = [started(tmp_path / f"machine-{k}", n, 10, f"run-{k}") for k in (1, 2)]
    ends = [machine.wait(100) for machine in machines]
    printed = [end.stdout for end in ends]
    assert [end.returncode for end in ends] == [0, 0], printed
    assert len(arrivals(server)) == n
    assert set(arrivals(server).values()) == {1}
    by_run = Counter(attempts("nowhere").column("run_id").to_pylist())
    assert by_run.total() == n
    assert min(by_run["run-1"], by_run["run-2"]) > n / 10, printed
    responses = answer(many(n), settings=live(mode="off"))
    assert set(responses.column("status").to_pylist()) == {"ok"}


def test_two_calls_of_one_process_write_together(serve, live, team):
    """dbt asks two judges in two threads: one opens the ledger, and both have their answers."""
    n = 40
    server = serve(latency=0.05)
    stuck = threading.Timer(30, stopping.stop_all)
    stuck.start()
    both = ask_in_threads(n, 4, live(run_id="build"), ["openai", "anthropic"])
    stuck.cancel()
    for responses in both:
        assert set(responses.column("status").to_pylist()) == {"ok"}
        assert not any(responses.column("is_from_ledger").to_pylist())
    assert server.total == 2 * n
    log = attempts("nowhere").to_pylist()
    assert Counter(row["status"] for row in log) == {"ok": 2 * n}
    assert TeamLedger(team, live().ledger_dir).living() == []


def test_what_a_second_call_asks_is_under_way(serve, live, team):
    """Its open attempts are those of a living session, and no reader takes them for lost."""
    server = serve(latency=0.3)
    asked = threading.Thread(
        target=ask_in_threads, args=(5, 4, live(run_id="build"), ["openai", "anthropic"])
    )
    asked.start()
    wait_until(lambda: server.in_flight == 8)  # after the first of each
    assert attempts("nowhere").num_rows == 2
    asked.join()
    assert attempts("nowhere").num_rows == 10


@pytest.mark.usefixtures("quick_retries")
def test_a_killed_machine_with_two_calls(serve, live, team, tmp_path):
    """The other machine takes over what both its calls had claimed."""
    n, providers = 150, ("openai", "anthropic")
    server = serve(latency=0.05)
    doomed = started(tmp_path / "doomed", n, 10, "doomed", *providers)
    steady = started(tmp_path / "steady", n, 10, "steady", *providers)
    wait_until(lambda: server.total >= 60)
    doomed.send(signal.SIGKILL)
    doomed.wait()
    end = steady.wait(100)
    assert end.returncode == 0, end.stdout
    log = attempts("nowhere").to_pylist()
    final = [row["request_key"] for row in log if row["status"] == "ok"]
    assert len(final) == len(set(final)) == 2 * n
    unseen = [row for row in log if row["error_kind"] == "interrupted"]
    assert {row["run_id"] for row in unseen} <= {"doomed"}
    assert server.total <= 2 * n + len(unseen)


def test_a_request_is_forgotten_with_all_its_attempts(serve, live, team, tmp_path):
    serve()
    answer(many(3), settings=live())
    ledger = TeamLedger(team, tmp_path)
    first, *others = sorted(ledger.attempted_keys().to_pylist())
    assert ledger.forget([first]) == 1
    assert set(ledger.attempted_keys().to_pylist()) == set(others)
    assert first not in ledger.requests().column("request_key").to_pylist()
    assert ledger.forget([first]) == 0
    text = ledger.attempts().column("raw_response").to_pylist()[0]
    assert ledger.mentions([text]) & set(others)
    assert ledger.mentions(["no such words"]) == set()


def test_texts_too_long_to_read_are_passed_over(serve, live, team, run, monkeypatch):
    serve(answer=lambda *_: "x" * 3_000)
    answer(many(2, output_usd_per_mtok=0.0), settings=live())
    monkeypatch.setattr(tables, "BEARABLE", tables.BEARABLE.replace(str(MOST_LINE_BYTES), "1000"))
    small = tables.EMPTY_GIANTS.text.replace(str(MOST_LINE_BYTES), "1000")
    monkeypatch.setattr(tables, "EMPTY_GIANTS", sa.text(small))
    assert attempts("nowhere").num_rows == 0
    assert "An attempt of openai_model for request" in run("verify").output
    assert "2 attempts lost texts" in run("repair").output
    assert run("verify").exit_code == 0
    kinds = attempts("nowhere").column("error_kind").to_pylist()
    assert kinds == ["answer_too_large"] * 2


@pytest.mark.usefixtures("quick_retries")
def test_a_killed_machine_costs_the_others_only_time(serve, live, team, tmp_path):
    n, concurrency, draw = 600, 20, random.Random(4)
    server = serve(latency=0.05)
    steady = started(tmp_path / "steady", n, concurrency, "steady")
    questions = {row["request_key"]: row["user_text"] for row in many(n).to_pylist()}
    at_kills = []
    for k in range(5):
        doomed = started(tmp_path / "doomed", n, concurrency, f"doomed-{k}")
        goal = server.total + draw.randrange(20, 60)
        wait_until(lambda goal=goal: server.total >= goal or steady.is_over)
        doomed.send(signal.SIGKILL)
        doomed.wait()
        time.sleep(0.1)  # until what was on the wire has arrived
        log = attempts("nowhere").to_pylist()
        had = {questions[row["request_key"]] for row in log if row["status"] == "ok"}
        at_kills.append((had, arrivals(server)))
    end = steady.wait(100)
    assert end.returncode == 0, end.stdout
    at_the_end = arrivals(server)
    for had, arrived in at_kills:
        assert {text for text in had if at_the_end[text] != arrived[text]} == set()
    log = attempts("nowhere").to_pylist()
    final = [row["request_key"] for row in log if row["status"] == "ok"]
    assert len(final) == len(set(final)) == n
    unseen = [row for row in log if row["error_kind"] == "interrupted"]
    assert {row["charged_usd"] for row in unseen} <= {Decimal("0.0006")}
    assert server.total <= n + len(unseen)
    assert not any(row["run_id"] == "steady" for row in unseen)


def test_a_broken_connection_is_made_anew(serve, live, team, postgres):
    """Nothing is lost, and nothing that had been sent is sent again."""
    server = serve(latency=0.05)
    name = team.rpartition("/")[2]
    cut = (
        "select pg_terminate_backend(pid) from pg_stat_activity "
        f"where datname = '{name}' and pid <> pg_backend_pid()"
    )

    def disturb() -> None:
        for goal in (40, 120, 200):
            wait_until(lambda goal=goal: server.total >= goal)
            postgres.execute(cut)

    disturber = threading.Thread(target=disturb)
    disturber.start()
    responses = answer(many(300, max_concurrency=20), settings=live(max_usd=10))
    disturber.join()
    assert set(responses.column("status").to_pylist()) == {"ok"}
    assert set(arrivals(server).values()) == {1}
    assert attempts("nowhere").num_rows == 300


def test_a_failed_session_keeps_all_before_its_loop_ends(opened, monkeypatch):
    """What answers other requests while the database refuses one is still on its way to the file
    when the failure is known."""

    is_refusing, has_come = threading.Event(), threading.Event()

    def refuse(works: list) -> None:
        is_refusing.set()
        assert has_come.wait(30)
        raise sa.exc.OperationalError("insert", {}, OSError("the server has gone away"))

    monkeypatch.setattr("python_llm.engine.ledger.postgres.RECONNECT_SECONDS", 0.0)
    session = opened()
    monkeypatch.setattr(session, "_transact", refuse)

    async def run() -> None:
        refused = asyncio.create_task(session.append(answered(attempt(session, "a"))))
        assert await asyncio.to_thread(is_refusing.wait, 30)
        session.write(answered(attempt(session, "b")))
        has_come.set()
        for failing in (refused, session.durable()):
            with pytest.raises(EngineError, match="could not be written"):
                await failing
        assert asyncio.all_tasks() == {asyncio.current_task()}
        assert len(session.undelivered.read_bytes().splitlines()) == 2

    asyncio.run(run())


def test_a_server_that_goes_away_loses_no_answer(serve, live, team, postgres, monkeypatch):
    server = serve(latency=0.3)
    monkeypatch.setattr("python_llm.engine.ledger.postgres.RECONNECT_SECONDS", 1.0)

    def disturb() -> None:
        wait_until(lambda: server.total >= 24)
        postgres.stop()

    disturber = threading.Thread(target=disturb)
    disturber.start()
    try:
        with pytest.raises(EngineError, match="could not be written") as refused:
            answer(many(200), settings=live())
        disturber.join()
        with pytest.raises(EngineError, match="cannot be used") as unreachable:
            attempts(live().ledger_dir)
    finally:
        disturber.join()
        postgres.start()
    for error in (refused, unreachable):
        assert PASSWORD not in str(error.value)
        assert "127.0.0.1/test_" in str(error.value)
    sent = arrivals(server)
    assert list(live().ledger_dir.glob("undelivered/*.jsonl"))
    server.latency = 0.0
    responses = answer(many(200), settings=live())
    assert set(responses.column("status").to_pylist()) == {"ok"}
    assert not list(live().ledger_dir.glob("undelivered/*.jsonl"))
    log = attempts("nowhere").to_pylist()
    # Only what was given up when the run ended is asked again, and is on record.
    again = {text for text, times in arrivals(server).items() if times > 1}
    assert len(again) <= 8
    assert len(log) == server.total
    assert len([row for row in log if row["error_kind"] == "interrupted"]) == len(again)
    assert sent.total() >= 24


def test_an_outage_is_told_while_it_lasts(serve, live, team, postgres, monkeypatch, capfd):
    server = serve(latency=0.1)
    monkeypatch.setattr("python_llm.engine.ledger.postgres.QUIET_SECONDS", 0.0)

    def disturb() -> None:
        wait_until(lambda: server.total >= 12)
        postgres.stop()
        try:
            time.sleep(1)
        finally:
            postgres.start()

    disturber = threading.Thread(target=disturb)
    disturber.start()
    responses = answer(many(60), settings=live())
    disturber.join()
    assert set(responses.column("status").to_pylist()) == {"ok"}
    assert max(arrivals(server).values()) == 1
    told = capfd.readouterr().out
    assert told.count("is out of reach (") == told.count("The team's ledger is back.") == 1
    assert "nothing is sent until it is back" in told
    assert PASSWORD not in told


# Batches


def some(n: int, provider: str):
    rows = (request(f"case {k}", provider, accepts_batch=True, batch_factor=0.5) for k in range(n))
    return table(*rows)


def statuses(responses) -> list[tuple[str, str | None]]:
    return [(row["status"], row["error_kind"]) for row in responses.to_pylist()]


def test_what_one_machine_put_into_a_batch_no_other_asks(serve, live, team, tmp_path):
    server = serve()
    asked = some(5, "openai")
    batch = live(execution="batch")
    assert statuses(answer(asked, settings=batch)) == [("not_requested", "in_batch")] * 5
    for settings in (batch, live()):
        elsewhere = {"ledger_dir": tmp_path / "other"}
        other = live(mode=settings.mode, execution=settings.execution, **elsewhere)
        assert statuses(answer(asked, settings=other)) == [("not_requested", "in_batch")] * 5
    assert len(server.batches.made) == 1
    server.batches.finish()
    settings = live(ledger_dir=tmp_path / "other")
    assert statuses(answer(asked, settings=settings)) == [("ok", None)] * 5
    assert statuses(answer(asked, settings=batch)) == [("ok", None)] * 5
    assert server.total == 0
    assert attempts("nowhere").num_rows == 5


def test_a_request_that_entered_a_batch_is_not_asked_directly(opened, live, serve, team):
    """Between reading the ledger and asking, another machine may have submitted a batch."""
    server = serve()
    asked = some(3, "openai")
    answer(asked.slice(0, 1), settings=live(execution="batch"))

    async def run() -> None:
        keys = asked.column("request_key").to_pylist()
        assert await opened().claim(keys) == {keys[0]: Taken(in_batch=True)}

    asyncio.run(run())
    assert server.total == 0


def test_a_lost_batch_is_submitted_again(serve, live, team, monkeypatch):
    server = serve()
    asked = some(4, "openai")
    server.batches.after_submit = "abort"
    answer(asked, settings=live(execution="batch"))
    server.batches.after_submit = ""
    [name] = server.batches.made
    del server.batches.made[name]  # it never arrived
    assert statuses(answer(asked, settings=live())) == [("not_requested", "in_batch")] * 4
    monkeypatch.setattr(batches, "UNSURE_SECONDS", 0.0)
    assert statuses(answer(asked, settings=live())) == [("ok", None)] * 4


def test_one_at_a_time_is_at_the_batches(opened):
    order: list[str] = []

    async def one(session: TeamSession, name: str) -> None:
        async with session.batch_turn():
            order.append(name)
            await asyncio.sleep(0.3)
            order.append(name)

    async def run() -> None:
        await asyncio.gather(one(opened(), "a"), one(opened(), "b"))

    asyncio.run(run())
    assert order in (["a", "a", "b", "b"], ["b", "b", "a", "a"])


# The command


@pytest.fixture
def run(live, monkeypatch):
    monkeypatch.setenv("KERNEL29_LEDGER_DIR", str(live().ledger_dir))
    return lambda *words: CliRunner().invoke(main, ["ledger", *words])


@pytest.mark.usefixtures("quick_retries")
def test_the_command_works_on_it(serve, live, team, run, tmp_path):
    assert "empty" in run("show").output
    assert "0 attempts can be read" in run("verify").output
    assert "0 attempts would be removed" in run("prune", "--before", "2999-01-01").output
    server = serve(faults=lambda seen: Fault("server_error") if seen.nth == 1 else None)
    answer(many(5), settings=live())
    [shown] = json.loads(run("show", "--json").output)
    assert (shown["attempts"], shown["answers"]) == (10, 5)
    assert "10 attempts can be read, 0 places" in run("verify").output
    assert run("export", str(tmp_path / "all.parquet")).exit_code == 0
    [(n,)] = duckdb.sql(f"select count(*) from '{tmp_path}/all.parquet'").fetchall()
    assert n == 10
    assert "10 attempts, nobody is asking" in run("compact").output
    assert "5 attempts would be removed" in run("prune", "--before", "2999-01-01").output
    assert "5 attempts removed" in run("prune", "--before", "2999-01-01", "--yes").output
    assert attempts("nowhere").column("status").to_pylist() == ["ok"] * 5
    sent = server.total
    answer(many(5), settings=live())
    assert server.total == sent


def test_nothing_is_removed_while_somebody_writes(opened, run):
    session = opened()
    for words in (["compact"], ["prune", "--before", "2999-01-01", "--yes"]):
        said = run(*words)
        assert said.exit_code == 1
        assert "in use by run run (process" in said.output
    session.close()
    assert run("compact").exit_code == 0


def test_a_folder_is_shared_with_the_team(serve, live, team, run, tmp_path, monkeypatch):
    server = serve()
    folder = str(tmp_path / "mine")
    assert "is not a ledger" in run("share", folder).output
    monkeypatch.delenv("KERNEL29_LEDGER_URL")
    answer(many(5), settings=live(ledger_dir=folder))
    batch = some(2, "anthropic")
    answer(batch, settings=live(ledger_dir=folder, execution="batch"))
    assert "set KERNEL29_LEDGER_URL" in run("share", folder).output
    monkeypatch.setenv("KERNEL29_LEDGER_URL", team)
    assert "5 attempts and 1 batches copied" in run("share", folder).output
    assert "0 attempts and 0 batches copied" in run("share", folder).output
    responses = answer(many(8), settings=live())
    assert set(responses.column("status").to_pylist()) == {"ok"}
    assert server.total == 8
    assert statuses(answer(batch, settings=live())) == [("not_requested", "in_batch")] * 2
    server.batches.finish()
    assert statuses(answer(batch, settings=live())) == [("ok", None)] * 2


# Errors


@pytest.mark.parametrize(
    "url",
    [
        "mysql://user:the-password@host/database",
        "postgresql://user:the-p@ssword@host/database",
        "postgresql://user:the-password@host",
        "postgresql://user:the-password@host:port/database",
        "the-password",
    ],
)
def test_an_address_that_is_none(url, monkeypatch, run):
    monkeypatch.setenv("KERNEL29_LEDGER_URL", url)
    said = run("show")
    assert said.exit_code == 1
    assert "KERNEL29_LEDGER_URL is not the address of a PostgreSQL database" in said.output
    for word in ("the-p", "@ssword"):
        assert word not in said.output


def test_a_wrong_password_stays_secret(
    serve, live, postgres: Server, monkeypatch, run, capsys, caplog
):
    server = serve()
    url = postgres.url("postgres", password="a-wrong-secret-123")
    monkeypatch.setenv("KERNEL29_LEDGER_URL", url)
    with pytest.raises(EngineError, match="password authentication failed") as refused:
        answer(many(1), settings=live(progress=True))
    said = "".join([*traceback.format_exception(refused.value), run("show").output, caplog.text])
    said += "".join(capsys.readouterr())
    assert "a-wrong-secret-123" not in said
    assert server.total == 0


def test_without_the_extra_it_is_said_what_to_install(monkeypatch, team, run):
    monkeypatch.setattr("python_llm.engine.ledger.opening.find_spec", lambda name: None)
    assert "pip install 'kernel29[team]'" in run("show").output


def test_a_row_that_is_refused_is_not_repeated_in_the_error(opened, team):
    """PostgreSQL names the values of a row it refuses: they may be of a patient."""
    session = opened()
    row = attempt(session, "a") | {"answer_text": "a patient's name", "ended_at": NOON}
    with pytest.raises(EngineError, match="null value in column") as refused:
        asyncio.run(session.append(row))  # without a status
    assert "patient" not in str(refused.value)
    assert "a patient's name" in session.undelivered.read_text()
    # What can never be written is not thrown away either.
    said: list[str] = []
    ledger = TeamLedger(team, session.undelivered.parents[1], notify=said.append)
    ledger.deliver()
    assert any(f"line 1 of {session.undelivered}" in sentence for sentence in said)
    assert session.undelivered.exists()


def test_a_failed_write_ends_the_run_and_leaves_nobody_waiting(opened):
    async def run() -> None:
        session = opened()
        row = attempt(session, "a") | {"answer_text": object()}
        async with asyncio.timeout(10):
            with pytest.raises(TypeError, match="has no place in a ledger"):
                await session.append(answered(row, answer_text=object()))

    asyncio.run(run())


def test_another_encoding_is_refused(postgres, monkeypatch, live, serve):
    serve()
    name = f"latin_{uuid.uuid4().hex[:8]}"
    postgres.execute(f"create database {name} encoding 'LATIN1' locale 'C' template template0")
    monkeypatch.setenv("KERNEL29_LEDGER_URL", postgres.url(name))
    with pytest.raises(EngineError, match="encoding UTF8"):
        answer(many(1), settings=live())


def test_a_call_leaves_no_connection_behind(serve, live, team, tmp_path):
    serve()
    gc.disable()  # nothing is closed because it happened to be collected
    try:
        for _ in range(3):
            answer(many(2), settings=live())
        count = sa.text(
            "select count(*) from pg_stat_activity where application_name = 'kernel29' "
            "and datname = current_database() and pid != pg_backend_pid()"
        )
        with TeamLedger(team, tmp_path).connected() as connection:
            wait_until(lambda: connection.scalar(count) == 0)
    finally:
        gc.enable()


def test_a_read_takes_one_connection(serve, live, team, tmp_path):
    """A server forks a process for each, and proves the password of each."""
    serve()
    answer(many(2), settings=live())
    ledger, connections = TeamLedger(team, tmp_path), []
    sa.event.listen(ledger.engine, "connect", lambda *_: connections.append(1))
    assert ledger.records().num_rows == 2
    assert len(connections) == 1
