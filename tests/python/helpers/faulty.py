"""A process in which something goes wrong at one point of its work, for the matrix of faults.

`work(phase, fault, folder, environment, told)` is what a build does in a phase, on a ledger in the
folder or in the database that the environment names. At the point of the phase the fault strikes:

kill        SIGKILL
interrupt   SIGINT, as Ctrl-C
full_disk   from then on no file of this process grows
clock       the clock jumps back by three days
connection  the database's server ends every connection of this process
"""

from __future__ import annotations

import asyncio
import importlib
import inspect
import os
import resource
import signal
import sys
from collections.abc import Callable
from datetime import datetime, timedelta
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

import duckdb
import psycopg
from alone import Alone
from asking import many
from dbt_common.exceptions import DbtBaseException

from python_llm.engine import EngineError, Settings, answer
from python_llm.engine.ledger import open_ledger
from python_llm.errors import UserError
from python_llm.job.serving.publish import publish

N = 20
CONCURRENCY = 4
STOPPED, BROKEN, UNEXPECTED = 3, 4, 5
# Where the fault strikes: module, function, at its how-manieth call.
POINTS = {
    "start": ("python_llm.engine.runner:entered", 1),
    "generation": ("python_llm.engine.asking:Asking._settle_claimed", 8),
    "judging": ("python_llm.engine.asking:Asking._settle_claimed", 8),
    # a part is written, and has not taken the place of its segment
    "compaction": ("python_llm.engine.ledger.parts:digest_of_file", 1),
    "compaction of a database": ("python_llm.engine.ledger.postgres_tables:reap_dead_sessions", 1),
    "publish": ("python_llm.job.serving.publish:os.replace", 1),
    # one of two tables is made, and the other written and not committed
    "marts": ("dbt.adapters.duckdb.environments.local:DuckDBCursorWrapper.execute", 22),
}
CLOCKS = ("asking", "records", "batches", "ledger.parts", "ledger.folder")
MARTS = ("fct_a", "dim_b")


def generated(settings: Settings) -> list[dict[str, Any]]:
    return answer(many(N, max_concurrency=CONCURRENCY), settings=settings).to_pylist()


def judged(settings: Settings) -> list[dict[str, Any]]:
    """The same, asked as a judge is: other words, another task."""
    asks = many(N, max_concurrency=CONCURRENCY, response_schema='{"type": "object"}')
    return answer(asks, settings=settings).to_pylist()


def published(n: int, folder: Path) -> None:
    """Serve a build whose tables all have n rows."""
    with duckdb.connect() as session:
        rows = session.sql(f"select range as id from range({n})")
        publish(session, dict.fromkeys(MARTS, rows), [], folder / "serve")


# A build that is all marts: what the ledger has, two tables of it, and their publication.
MODELS = {
    "attempts.py": """
from pathlib import Path
from python_llm.engine import attempts

def model(dbt, session):
    return attempts(Path("ledger").absolute()).select(["request_key", "status"])
""",
    "fct_a.sql": "select * from {{ ref('attempts') }} where status = 'ok'",
    "dim_b.sql": "select distinct request_key from {{ ref('fct_a') }}",
    "publication.py": """
from pathlib import Path
from python_llm.job.serving.publish import publish

def model(dbt, session):
    marts = {"fct_a": dbt.ref("fct_a"), "dim_b": dbt.ref("dim_b")}
    return publish(session, marts, [], Path("serve").absolute())
""",
}


def project(folder: Path) -> Alone:
    """The dbt project of these in a folder, which becomes the working directory."""
    os.chdir(folder)
    alone = Alone(folder)
    for name, text in MODELS.items():
        (folder / "models" / name).write_text(text)
    return alone


def built(alone: Alone) -> None:
    """Build all of it. Raises UserError where dbt says what failed."""
    try:
        alone.dbt("run")
    except (DbtBaseException, duckdb.Error) as error:
        raise UserError(str(error)) from error
    if failed := [result.message for result in alone.results if result.status != "success"]:
        raise UserError(str(failed[0]))


def work(
    phase: str, fault: str, folder: str, environment: dict[str, str], told: Connection
) -> None:
    """`told` gets the sentence that it ended with. What it prints goes nowhere, for a full disk is
    not that of the terminal."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    for descriptor in (1, 2):
        os.dup2(nowhere, descriptor)
    os.environ.update(environment)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    settings = Settings(mode="live", ledger_dir=Path(folder) / "ledger", run_id="r", max_usd=9)
    if phase in ("judging", "compaction of a database"):
        generated(settings)
    alone = project(Path(folder)) if phase == "marts" else None
    _arm(phase, STRIKES[fault])
    try:
        if phase == "publish":
            published(7, Path(folder))
        elif alone:
            built(alone)
        elif phase == "compaction of a database":
            open_ledger(settings.ledger_dir).tidy()
        else:
            (judged if phase == "judging" else generated)(settings)
    except (EngineError, UserError, OSError) as error:
        told.send(f"{type(error).__name__}: {error}")
        sys.exit(BROKEN)
    except KeyboardInterrupt:
        sys.exit(STOPPED)
    except BaseException as error:  # noqa: BLE001 - the test is told
        told.send(f"unexpected: {error!r}")
        sys.exit(UNEXPECTED)


def _arm(phase: str, strike: Callable[[], None]) -> None:
    """Let the fault strike at the point of the phase."""
    place, number = POINTS[phase]
    module_name, _, path = place.partition(":")
    *owners, name = path.split(".")
    owner: Any = importlib.import_module(module_name)
    for step in owners:
        owner = getattr(owner, step)
    function, calls = getattr(owner, name), 0

    def counted() -> None:
        nonlocal calls
        calls += 1
        if calls == number:
            strike()

    if inspect.iscoroutinefunction(function):

        async def struck(*arguments: Any, **options: Any) -> Any:
            counted()
            await asyncio.sleep(0)
            return await function(*arguments, **options)

    else:

        def struck(*arguments: Any, **options: Any) -> Any:
            counted()
            return function(*arguments, **options)

    setattr(owner, name, struck)


def _full_disk() -> None:
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, resource.RLIM_INFINITY))


def _clock() -> None:
    class Earlier(datetime):
        @classmethod
        def now(cls, tz: Any = None) -> Any:
            return datetime.now(tz) - timedelta(days=3)

    for name in CLOCKS:
        module = importlib.import_module(f"python_llm.engine.{name}")
        if hasattr(module, "datetime"):
            module.datetime = Earlier


def _connection() -> None:
    with psycopg.connect(os.environ["KERNEL29_LEDGER_URL"], autocommit=True) as connection:
        connection.execute(
            "select pg_terminate_backend(pid) from pg_stat_activity "
            "where application_name = 'kernel29' and datname = current_database()"
        )


STRIKES: dict[str, Callable[[], None]] = {
    "kill": lambda: os.kill(os.getpid(), signal.SIGKILL),
    "interrupt": lambda: os.kill(os.getpid(), signal.SIGINT),
    "full_disk": _full_disk,
    "clock": _clock,
    "connection": _connection,
}
