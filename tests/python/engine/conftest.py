from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
from asking import ANTHROPIC_KEY, OPENAI_KEY
from lacking import lacking
from loopback import Loopback
from postgres import NoPostgres, Server, running

from python_llm.engine import Settings, retry
from python_llm.engine.ledger.contract import _memory
from python_llm.providers import batch


@pytest.fixture(scope="session", autouse=True)
def _one_thread() -> None:
    """To split a ledger of a few rows among all cores takes twice as much again of the processor.
    The ledgers of live builds, in other folders of tests, are read by all."""
    _memory().execute("set global threads = 1")


@pytest.fixture
def serve(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., Loopback]]:
    """Start a loopback server and point the test models at it; it stops with the test."""
    with ExitStack() as stack:

        def start(**options: Any) -> Loopback:
            server = stack.enter_context(Loopback(**options))
            monkeypatch.setenv("TEST_OPENAI_URL", server.openai_url)
            monkeypatch.setenv("TEST_ANTHROPIC_URL", server.anthropic_url)
            monkeypatch.setenv("TEST_OPENAI_KEY", OPENAI_KEY)
            monkeypatch.setenv("TEST_ANTHROPIC_KEY", ANTHROPIC_KEY)
            return server

        yield start


@pytest.fixture
def live(tmp_path: Path) -> Callable[..., Settings]:
    """Settings of a live run on this test's own ledger."""

    def make(**options: Any) -> Settings:
        return Settings(
            **{"mode": "live", "ledger_dir": tmp_path / "ledger", "progress": False, **options}
        )

    return make


@pytest.fixture
def quick_retries(monkeypatch: pytest.MonkeyPatch) -> None:
    """Retries as in earnest, with pauses that a test can wait for."""
    monkeypatch.setattr(retry, "FIRST_PAUSE_SECONDS", 0.005)
    monkeypatch.setattr(retry, "LONGEST_PAUSE_SECONDS", 0.04)
    monkeypatch.setattr(batch, "PAUSES", (0.005, 0.005, 0.005))


@pytest.fixture(scope="session")
def postgres() -> Iterator[Server]:
    """A database server on loopback."""
    try:
        with running() as server:
            yield server
    except NoPostgres as error:
        lacking("PostgreSQL", str(error))


@pytest.fixture
def team(postgres: Server, monkeypatch: pytest.MonkeyPatch) -> str:
    """The URL of an empty team's ledger, which every run of this test uses."""
    url = postgres.new_database()
    monkeypatch.setenv("KERNEL29_LEDGER_URL", url)
    return url


@pytest.fixture(params=["folder", "database"])
def each_ledger(request: pytest.FixtureRequest) -> None:
    """A test that holds for every kind of ledger."""
    if request.param == "database":
        request.getfixturevalue("team")
