"""Ctrl-C and SIGTERM, wherever the engine happens to run.

Python delivers signals to the main thread only, and under dbt the engine runs in another. So the
handler does two things: it tells every live call of the engine to stop sending, and it raises
KeyboardInterrupt in the main thread, which dbt knows how to end on.
"""

from __future__ import annotations

import ctypes
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType

_STOPS: set[Stop] = set()


class Stop:
    """Whether one live call has been told to stop, and how often: a user who presses Ctrl-C again
    does not want to wait for what is in flight."""

    def __init__(self) -> None:
        self.times = 0
        self._listener: Callable[[], object] | None = None

    @property
    def is_set(self) -> bool:
        return self.times > 0

    def set(self) -> None:
        self.times += 1
        if self._listener is not None:
            self._listener()

    def tell(self, listener: Callable[[], object]) -> None:
        """Call this, in whichever thread, when told to stop; at once if that was before."""
        self._listener = listener
        if self.is_set:
            listener()


@contextmanager
def stoppable() -> Iterator[Stop]:
    """A call that the signals reach."""
    stop = Stop()
    _STOPS.add(stop)
    try:
        yield stop
    finally:
        _STOPS.discard(stop)


def stop_all() -> None:
    for stop in list(_STOPS):
        stop.set()


def listen() -> None:
    """Take over SIGINT and SIGTERM where nobody else has. Only the main thread may do that: from
    another one it is asked to, and does it before it goes on."""
    if threading.current_thread() is threading.main_thread():
        _take_over()
    else:
        ctypes.pythonapi.Py_AddPendingCall(_PENDING, None)


def _take_over() -> None:
    for number, untouched in (
        (signal.SIGINT, signal.default_int_handler),
        (signal.SIGTERM, signal.SIG_DFL),
    ):
        if signal.getsignal(number) is untouched:
            signal.signal(number, _on_signal)


def _on_signal(_number: int, _frame: FrameType | None) -> None:
    stop_all()
    raise KeyboardInterrupt


def _take_over_in_main(_: object) -> int:
    if threading.current_thread() is threading.main_thread():
        _take_over()
    return 0


_PENDING = ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.c_void_p)(_take_over_in_main)
