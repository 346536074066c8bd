"""Processes forked from one that has imported what they need, which takes each of them seconds."""

import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from functools import cache
from multiprocessing import forkserver, get_context
from multiprocessing.process import BaseProcess
from typing import Any

# what asks models, on either ledger; Arrow and DuckDB import the last two when they are first used
ENGINE = (
    *("faulty", "asking", "python_llm.providers.openai", "python_llm.engine.ledger.postgres"),
    *("sqlalchemy.dialects.postgresql.psycopg", "pandas", "pyarrow.dataset"),
)


class Running:
    """`run` on its arguments in a process of its own, with what it has printed so far."""

    def __init__(
        self,
        imported: tuple[str, ...],
        run: Callable[[list[str]], int],
        arguments: Sequence[str],
        environment: dict[str, str],
    ) -> None:
        self.arguments = list(arguments)
        # open as long as the process is of interest
        self._printed = tempfile.NamedTemporaryFile(mode="r", encoding="utf-8")  # noqa: SIM115
        own = (run, self.arguments, environment, self._printed.name)
        self._process = started(imported, _run, own)

    @property
    def is_over(self) -> bool:
        return not self._process.is_alive()

    def send(self, number: signal.Signals) -> None:
        assert self._process.pid is not None
        os.kill(self._process.pid, number)

    def printed(self) -> str:
        self._printed.seek(0)
        return self._printed.read()

    def wait(self, seconds: float = 900) -> subprocess.CompletedProcess[str]:
        """How it ended. Raises subprocess.TimeoutExpired after so many seconds."""
        self._process.join(seconds)
        if not self.is_over:
            self._process.kill()
            raise subprocess.TimeoutExpired(self.arguments, seconds, self.printed())
        return subprocess.CompletedProcess(
            self.arguments, self._process.exitcode, stdout=self.printed(), stderr=""
        )


def started(
    imported: tuple[str, ...], target: Callable[..., None], arguments: tuple[Any, ...]
) -> BaseProcess:
    """A process that has these modules. Python has one server of forks, which has imported what
    whoever came first asked for: here each has its own."""
    process = get_context("forkserver").Process(target=target, args=arguments)
    connect = forkserver.connect_to_new_process
    forkserver.connect_to_new_process = _server(imported).connect_to_new_process
    try:
        process.start()
    finally:
        forkserver.connect_to_new_process = connect
    return process


@cache
def _server(imported: tuple[str, ...]) -> forkserver.ForkServer:
    server = forkserver.ForkServer()
    server.set_forkserver_preload(list(imported))
    return server


def _run(
    run: Callable[[list[str]], int], arguments: list[str], environment: dict[str, str], file: str
) -> None:
    """`run` in this process, which is there for nothing else."""
    os.environ.clear()
    os.environ.update(environment)
    signal.signal(signal.SIGINT, signal.default_int_handler)  # which the server of forks ignores
    with open(file, "w") as printed:
        for descriptor in (1, 2):
            os.dup2(printed.fileno(), descriptor)
    sys.exit(run(arguments))
