"""What a user sees while a run asks: counts, dollars, time; never a word of prompt or answer."""

from __future__ import annotations

import sys
import time
from collections import Counter
from collections.abc import Callable
from decimal import Decimal

from tqdm import tqdm

from python_llm.providers import Status

LINE_SECONDS = 10.0
HOUR = 3600.0


def say(sentence: str) -> None:
    """One line to the user. print, because dbt shows it and drops log records of level INFO."""
    print(f"engine: {sentence}", flush=True)


def dollars(amount: Decimal | float) -> str:
    """Cents, or as many digits as it takes to see that something was spent."""
    return f"${amount:,.2f}" if amount >= Decimal("0.1") or not amount else f"${amount:.2g}"


class Progress:
    """Counts outcomes of `total` requests and shows them: a bar on a terminal, elsewhere a line
    every LINE_SECONDS. spent: gives what the run has spent until now."""

    def __init__(self, total: int, spent: Callable[[], Decimal], shown: bool = True) -> None:
        self.total = total
        self.statuses: Counter[Status] = Counter()
        self._spent = spent
        self._spent_before = spent()
        self._began = time.monotonic()
        self._shown = shown
        on_terminal = shown and sys.stdout.isatty()
        self._bar = tqdm(total=total, unit="req", file=sys.stdout) if on_terminal else None

    @property
    def done(self) -> int:
        return self.statuses.total()

    @property
    def failed(self) -> int:
        return self.done - self.statuses[Status.OK]

    def ended(self, status: Status) -> None:
        self.statuses[status] += 1
        if self._bar is not None:
            self._bar.set_postfix_str(f"failed {self.failed}, {self._pace()}", refresh=False)
            self._bar.update()

    def line(self) -> None:
        """The periodic line; nothing on a terminal, where the bar says the same."""
        if not self._shown or self._bar is not None:
            return
        elapsed = time.monotonic() - self._began
        left = (self.total - self.done) * elapsed / self.done if self.done else None
        ready = "" if left is None else f", ready in {_duration(left)}"
        say(f"{self.done:,} of {self.total:,} done, {self.failed:,} failed, {self._pace()}{ready}")

    def close(self) -> None:
        """The last line: how all of it ended."""
        if self._bar is not None:
            self._bar.close()
        if self._shown:
            counts = ", ".join(f"{n:,} {status}" for status, n in self.statuses.most_common())
            took = _duration(time.monotonic() - self._began)
            spent = dollars(self._spent() - self._spent_before)
            say(f"{self.done:,} of {self.total:,} requests in {took}, {spent}: {counts or 'none'}")

    def _pace(self) -> str:
        hours = max(time.monotonic() - self._began, 1e-9) / HOUR
        spent = self._spent() - self._spent_before
        return f"{dollars(spent)} spent, {dollars(float(spent) / hours)}/h"


def _duration(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"
