"""A function of many rows, carried out by another process.

Python runs one thread at a time: while a model reads thousands of notes, dbt's other thread waits
with it. In a process of its own the reading leaves that thread, and a core, to the other nodes.
"""

import os
import pickle
import signal
import subprocess
import sys
from collections.abc import Callable

import pyarrow as pa

from python_llm.errors import UserError

# fewer rows than this are read before the other process has imported what it needs
FEW = 500
# what the process does; -P: a folder that the user stands in is not where our modules are
CARRYING_OUT = "from python_llm.job.changes import apart; apart.carry_out()"
COMMAND = (sys.executable, "-P", "-c", CARRYING_OUT)


def made(make: Callable[[pa.Table], pa.Table], rows: pa.Table) -> pa.Table:
    """`make(rows)`, by another process unless they are few.

    `make` can be pickled: a function of a module, or a `partial` of one. What it raises is raised
    here. Raises UserError if the process ends without an answer, as one does that the system kills
    for want of memory.
    """
    if rows.num_rows < FEW:
        return make(rows)
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    with subprocess.Popen(
        COMMAND, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment
    ) as process:
        try:
            answer, _ = process.communicate(pickle.dumps((make, rows)))
        except BaseException:  # Ctrl-C ends both
            process.kill()
            raise
    if process.returncode != 0 or not answer:
        raise UserError(
            f"The process that read {rows.num_rows} rows ended with {process.returncode} and "
            "without an answer: if the machine is short of memory, give it more or end what else "
            "uses it, then build again. Nothing was lost."
        )
    outcome, error = pickle.loads(answer)
    if error is not None:
        raise error
    return outcome


def carry_out() -> None:
    """Read a function and its rows from standard input; write what it made of them, or its error.

    The answer has the pipe for itself: whatever prints meanwhile prints to standard error.
    """
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # Ctrl-C ends it without a word
    with os.fdopen(os.dup(1), "wb") as answers:
        os.dup2(2, 1)
        make, rows = pickle.load(sys.stdin.buffer)
        try:
            answer = pickle.dumps((make(rows), None))
        except Exception as error:  # noqa: BLE001 - it is raised where the rows came from
            answer = _told(error)
        answers.write(answer)


def _told(error: Exception) -> bytes:
    """The error, or one with its words where it cannot be sent."""
    try:
        told = pickle.dumps((None, error))
        pickle.loads(told)  # one whose arguments are not those of its class fails here
    except Exception:  # noqa: BLE001 - whatever a class does when it is made
        return pickle.dumps((None, RuntimeError(f"{type(error).__name__}: {error}")))
    return told
