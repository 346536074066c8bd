"""What a command and all processes that it starts take, from Linux's /proc."""

import os
import subprocess
import time
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

TICKS, PAGE = os.sysconf("SC_CLK_TCK"), os.sysconf("SC_PAGE_SIZE")
EVERY = 0.5  # seconds between two looks


@dataclass
class Taken:
    """seconds: on the clock. cpu: seconds of all processes. peak: most bytes resident at one time,
    of all processes together; what they share counts for each."""

    seconds: float = 0.0
    peak: int = 0
    cpu_of: dict[str, float] = field(default_factory=dict)

    @property
    def cpu(self) -> float:
        return sum(self.cpu_of.values())


def watched(process: "subprocess.Popen[str]") -> Taken:
    """Wait for the end of a process that leads a session of its own."""
    began, taken = time.monotonic(), Taken()
    while process.returncode is None:
        _look(process.pid, taken)
        with suppress(subprocess.TimeoutExpired):
            process.wait(EVERY)
    taken.seconds = time.monotonic() - began
    return taken


def _look(session: int, taken: Taken) -> None:
    resident = 0
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = stat.read_text().rpartition(")")[2].split()
        except OSError:  # it has ended
            continue
        if int(fields[3]) == session:
            taken.cpu_of[stat.parent.name] = (int(fields[11]) + int(fields[12])) / TICKS
            resident += int(fields[21]) * PAGE
    taken.peak = max(taken.peak, resident)
