"""A function of many rows, carried out by another process.

Python runs one thread at a time: while a model reads thousands of notes, dbt's other thread waits
with it. In a process of its own the reading leaves that thread, and a core, to the other nodes. The
process stays for the next model that has many rows, ends when there is none for a while, so that
its memory is not held through a whole build, and ends with ours.
"""

import atexit
import os
import pickle
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

import pyarrow as pa

from python_llm.errors import UserError

# fewer rows than this are read before the other process has imported what it needs
FEW = 500
FEW_LONG = 100  # of rows that take longer than to read a note
# what the process does; -P: a folder that the user stands in is not where our modules are
CARRYING_OUT = "from python_llm.job.changes import apart; apart.carry_out()"
COMMAND = (sys.executable, "-P", "-c", CARRYING_OUT)
LINGERS = 3.0  # seconds that a process waits for the next rows; to start one takes about one
_IDLE: list[subprocess.Popen[bytes]] = []


def made(make: Callable[[pa.Table], pa.Table], rows: pa.Table, few: int = FEW) -> pa.Table:
    """`make(rows)`, by another process unless there are fewer than `few`.

    `make` can be pickled: a function of a module, or a `partial` of one. What it raises is raised
    here. Raises UserError if the process ends without an answer, as one does that the system kills
    for want of memory.
    """
    return make(rows) if rows.num_rows < few else _Piece(make, rows).made()


def shared(make: Callable[[pa.Table], pa.Table], rows: pa.Table, few: int = FEW) -> pa.Table:
    """As `made`, by two other processes: for what takes longest. `make` treats each row by itself;
    the rows of its result come in another order."""
    if rows.num_rows < few:
        return make(rows)
    halves = [rows.take(pa.array(range(first, rows.num_rows, 2))) for first in (0, 1)]
    first = _Piece(make, halves[0])
    try:
        second = _Piece(make, halves[1]).made()
    except BaseException:
        first.end()
        raise
    return pa.concat_tables([first.made(), second])


class _Piece:
    """Rows that another process reads."""

    def __init__(self, make: Callable[[pa.Table], pa.Table], rows: pa.Table) -> None:
        self._n_rows = rows.num_rows
        self._process = _process()
        with self._watched():
            assert self._process.stdin is not None  # it is a pipe
            pickle.dump((os.environ.copy(), os.getcwd(), make, rows), self._process.stdin)
            self._process.stdin.flush()

    def made(self) -> pa.Table:
        """What the process made of the rows; it is free then."""
        with self._watched():
            assert self._process.stdout is not None  # it is a pipe
            outcome, error = pickle.load(self._process.stdout)
        _wait_for_more(self._process)
        if error is not None:
            raise error
        return outcome

    def end(self) -> None:
        """Kill the process, finished or not."""
        self._process.kill()
        _ended(self._process)

    @contextmanager
    def _watched(self) -> Iterator[None]:
        try:
            yield
        except (EOFError, BrokenPipeError, pickle.UnpicklingError):
            raise UserError(
                f"The process that read {self._n_rows} rows ended with {_ended(self._process)} and "
                "without an answer: if the machine is short of memory, give it more or end what "
                "else uses it, then build again. Nothing was lost."
            ) from None
        except BaseException:  # Ctrl-C ends both
            self.end()
            raise


def _process() -> subprocess.Popen[bytes]:
    """One that has nothing to do, or a new one. It ends when our end of its input closes, however
    we end."""
    with suppress(IndexError):
        while True:
            process = _IDLE.pop()
            if process.poll() is None:
                return process
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    return subprocess.Popen(COMMAND, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment)


def _wait_for_more(process: subprocess.Popen[bytes]) -> None:
    """Keep a process for the next rows, and end it if none come."""
    _IDLE.append(process)

    def end() -> None:
        with suppress(ValueError):  # it has rows again, or has ended
            _IDLE.remove(process)
            _ended(process)

    timer = threading.Timer(LINGERS, end)
    timer.daemon = True
    timer.start()


def _ended(process: subprocess.Popen[bytes]) -> int:
    """What a process ends with once its input is closed."""
    with process:
        pass
    return process.returncode


@atexit.register
def _end_all() -> None:
    while _IDLE:
        _ended(_IDLE.pop())


def carry_out() -> None:
    """Read a function and its rows from standard input, write what it made of them or its error,
    and do so again until the input ends.

    The answers have the pipe for themselves: whatever prints meanwhile prints to standard error.
    """
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # Ctrl-C ends it without a word
    with os.fdopen(os.dup(1), "wb") as answers:
        os.dup2(2, 1)
        while True:
            try:
                environment, folder, make, rows = pickle.load(sys.stdin.buffer)
            except EOFError:
                return
            os.environ.clear()
            os.environ.update(environment)
            os.chdir(folder)
            try:
                answer = pickle.dumps((make(rows), None))
            except Exception as error:  # noqa: BLE001 - it is raised where the rows came from
                answer = _told(error)
            answers.write(answer)
            answers.flush()


def _told(error: Exception) -> bytes:
    """The error, or one with its words where it cannot be sent."""
    try:
        told = pickle.dumps((None, error))
        pickle.loads(told)  # one whose arguments are not those of its class fails here
    except Exception:  # noqa: BLE001 - whatever a class does when it is made
        return pickle.dumps((None, RuntimeError(f"{type(error).__name__}: {error}")))
    return told
