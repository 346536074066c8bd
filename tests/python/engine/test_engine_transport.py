"""The way to the team's database: encrypted, to the right server, with no needless right."""

from __future__ import annotations

import asyncio
import re
import time
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest
import sqlalchemy as sa
from asking import many
from click.testing import CliRunner
from lacking import lacking
from postgres import PASSWORD, NoPostgres, Server, running

from python_llm import paths
from python_llm.console.cli import main
from python_llm.engine import EngineError, answer
from python_llm.engine.ledger import Taken
from python_llm.engine.ledger.postgres import TeamLedger, TeamSession
from python_llm.engine.ledger.transport import protection

pytestmark = pytest.mark.slow

NAME = "database.hospital.example"


@pytest.fixture(scope="module")
def encrypted() -> Iterator[tuple[Server, Path]]:
    """A server that takes no connection in the clear, and the authority that vouches for it."""
    try:
        with running() as server:
            server.stop()
            authority = server.demand_tls(NAME)
            server.start()
            yield server, authority
    except NoPostgres as error:
        lacking("PostgreSQL", str(error))


def address(server: Server, database: str, name: str = NAME, login: str = "", **query) -> str:
    """Under a name that is another machine's, though the numbers are this one's."""
    login = login or f"kernel29:{PASSWORD}"
    options = "&".join(f"{key}={value}" for key, value in query.items())
    return f"postgresql://{login}@{name}:{server.port}/{database}?hostaddr=127.0.0.1&{options}"


def said_of(url: str, folder: Path) -> str:
    """What using a ledger there is refused with."""
    with pytest.raises(EngineError) as error:
        TeamLedger(url, folder).check()
    return str(error.value)


def test_a_run_is_encrypted_and_knows_the_server(serve, live, encrypted, tmp_path, monkeypatch):
    server, authority = encrypted
    database = server.new_database().rpartition("/")[2]
    monkeypatch.setenv("KERNEL29_LEDGER_URL", address(server, database, sslrootcert=authority))
    monkeypatch.setenv("PGSSLMODE", "disable")
    serve()
    responses = answer(many(20), settings=live()).column("status").to_pylist()
    assert responses == ["ok"] * 20
    ledger = TeamLedger(address(server, database, sslrootcert=authority), tmp_path)
    with ledger.connected() as connection:
        [version] = connection.execute(
            sa.text("select version from pg_stat_ssl where pid = pg_backend_pid()")
        ).one()
    assert version in ("TLSv1.2", "TLSv1.3")


def test_nobody_else_is_talked_to(encrypted, postgres, tmp_path, monkeypatch):
    """Neither a server without TLS, nor another that says it is the one, nor one under a name that
    is not its own."""
    server, authority = encrypted
    query = {"sslrootcert": authority}
    assert "does not support SSL" in said_of(address(postgres, "postgres", **query), tmp_path)
    wrong_name = address(server, "postgres", "other.hospital.example", **query)
    assert "does not match host name" in said_of(wrong_name, tmp_path)
    for unknown in ({}, {"sslrootcert": "system"}):
        assert "certificate verify failed" in said_of(
            address(server, "postgres", **unknown), tmp_path
        )
    plain = server.url("postgres") + "?sslmode=disable"
    assert "no encryption" in said_of(plain, tmp_path)  # the server's own rule
    assert PASSWORD not in said_of(plain, tmp_path)


@pytest.mark.parametrize(
    "mode", ["disable", "allow", "prefer", "VERIFY-FULL", "require&sslmode=allow"]
)
def test_nothing_goes_to_another_machine_in_the_clear(mode, tmp_path):
    url = f"postgresql://user:the-password@db.example/database?sslmode={mode}"
    with pytest.raises(EngineError, match="in the clear") as error:
        TeamLedger(url, tmp_path)
    assert "the-password" not in str(error.value)


@pytest.mark.parametrize(
    ("url", "environment", "is_protected"),
    [
        ("//127.0.0.1/d", {}, False),
        ("//localhost/d", {}, False),
        ("//[::1]:5432/d", {}, False),
        ("///d", {}, False),
        ("///d?host=/var/run/postgresql", {}, False),
        ("//db.example/d", {"PGSSLMODE": "disable"}, True),
        ("//localhost.example/d", {}, True),
        ("//10.0.0.7/d", {}, True),
        ("//localhost/d?hostaddr=10.0.0.7", {}, True),
        ("//localhost/d", {"PGHOSTADDR": "10.0.0.7"}, True),
        ("///d", {"PGHOST": "db.example"}, True),
        ("///d?host=localhost:1&host=db.example:2", {}, True),
        ("///d?service=hospital", {}, True),
        ("///d", {"PGSERVICE": "hospital"}, True),
    ],
)
def test_what_leaves_the_machine_is_protected(url, environment, is_protected, tmp_path):
    options = protection(sa.make_url(f"postgresql+psycopg:{url}"), environment, tmp_path)
    assert options.get("sslmode") == ("verify-full" if is_protected else None)


def test_an_authority_of_one_s_own_is_used(tmp_path):
    url = sa.make_url("postgresql+psycopg://db.example/d")
    assert protection(url, {}, tmp_path)["sslrootcert"] == "system"
    assert "sslrootcert" not in protection(url, {"PGSSLROOTCERT": "file"}, tmp_path)
    (tmp_path / ".postgresql").mkdir()
    (tmp_path / ".postgresql" / "root.crt").touch()
    assert "sslrootcert" not in protection(url, {}, tmp_path)


@pytest.fixture
def roles(encrypted, tmp_path, monkeypatch) -> Iterator[dict[str, str]]:
    """The addresses of the two roles that the docs make, in a database the docs make."""
    server, authority = encrypted
    text = (paths.project_root() / "docs" / "operations.md").read_text()
    teams = text.split("## Teams")[1].split("\n## ")[0]
    by_administrator, by_owner = re.findall(r"```sql\n(.*?)```", teams, re.DOTALL)
    for statement in by_administrator.split(";\n"):
        if statement.strip():
            server.execute(statement)
    query = {"sslrootcert": authority}
    urls = {
        name: address(server, "evaluation", login=f"kernel29_{name}:{password}", **query)
        for name, password in (("owner", "OWNER"), ("run", "RUN"))
    }
    TeamLedger(urls["owner"], tmp_path, print).tidy()
    with psycopg.connect(urls["owner"], autocommit=True) as connection:
        connection.execute(by_owner)
    yield urls
    server.execute("drop database evaluation with (force)")
    server.execute("drop role kernel29_run, kernel29_owner")


def test_a_run_s_role_takes_the_claims_of_the_dead(roles, tmp_path):
    async def run() -> None:
        mine, other = (
            TeamSession(TeamLedger(roles["run"], tmp_path, print), "run", name) for name in "ab"
        )
        assert await mine.claim(["key"]) == {}
        assert await other.claim(["key"]) == {"key": Taken()}
        mine._disconnect()
        end = time.monotonic() + 60  # the server ends the session a moment after its connection
        while (taken := await other.claim(["key"])) and time.monotonic() < end:
            await asyncio.sleep(0.01)
        assert taken == {}
        for session in (mine, other):
            session.close()

    asyncio.run(run())


def test_a_run_needs_no_more_than_its_role(roles, serve, live, monkeypatch, tmp_path):
    """It asks, takes over, submits batches and learns that a text is personal; it removes and
    changes nothing that was answered."""
    server = serve()
    monkeypatch.setenv("KERNEL29_LEDGER_URL", roles["run"])
    assert answer(many(10), settings=live()).column("status").to_pylist() == ["ok"] * 10
    again = answer(many(10, contains_phi=True), settings=live()).column("n_attempts").to_pylist()
    assert (again, server.total) == ([1] * 10, 10)
    batch = live(execution="batch", run_id="batch")
    for _ in range(2):
        answer(many(12, accepts_batch=True, batch_factor=0.5), settings=batch)

    with psycopg.connect(roles["run"], autocommit=True) as connection:
        for statement in (
            "delete from kernel29_attempt",
            "truncate kernel29_attempt",
            "update kernel29_attempt set answer_text = 'another'",
            "update kernel29_attempt set cost_usd = 0",
            "update kernel29_request set model_alias = 'another'",
            "update kernel29_request set user_text = 'another', contains_phi = true",
            "update kernel29_request set contains_phi = false",
            "delete from kernel29_request",
            "delete from kernel29_batch",
            "alter table kernel29_attempt disable trigger all",
            "drop table kernel29_claim",
            "create table own (id int)",
            "create temporary table own (id int)",
            "create role other",
            "copy kernel29_attempt to program 'cat'",
        ):
            with pytest.raises(psycopg.Error):
                connection.execute(statement)
    prune = ["ledger", "prune", "--before", "2100-01-01", "--answers", "--yes"]
    refused = CliRunner().invoke(main, prune)
    assert refused.exit_code == 1
    assert "permission denied for table kernel29_attempt" in refused.output
    monkeypatch.setenv("KERNEL29_LEDGER_URL", roles["owner"])
    assert CliRunner().invoke(main, prune).exit_code == 0
