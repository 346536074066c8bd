"""What a user sees while a run asks: counts, dollars, time; never a word of prompt or answer."""

from __future__ import annotations

import sys
import time
from collections import Counter, deque
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any

from tqdm import tqdm

from python_llm.providers import Status

LINE_SECONDS = 10.0
RECENT_LINES = 6  # the time that is left is told from the pace since so many lines ago


def say(sentence: str) -> None:
    """One line to the user. print, because dbt shows it and drops log records of level INFO."""
    print(f"engine: {sentence}", flush=True)


def dollars(amount: Decimal | float) -> str:
    """Cents, or as many digits as it takes to see that something was spent."""
    return f"${amount:,.2f}" if amount >= Decimal("0.1") or not amount else f"${amount:.2g}"


@dataclass
class Asked:
    """What became of the requests to one model until now. usd: what its answers were charged;
    assumed_usd: of that, what attempts of unknown cost were charged, their worst case."""

    total: int
    statuses: Counter[Status] = field(default_factory=Counter)
    in_flight: int = 0
    tokens: int = 0
    usd: Decimal = Decimal(0)
    assumed_usd: Decimal = Decimal(0)

    @property
    def done(self) -> int:
        return self.statuses.total()

    def __add__(self, other: Asked) -> Asked:
        return Asked(
            self.total,
            self.statuses + other.statuses,
            self.in_flight + other.in_flight,
            self.tokens + other.tokens,
            self.usd + other.usd,
            self.assumed_usd + other.assumed_usd,
        )

    def __str__(self) -> str:
        return (
            f"{_failures(self.statuses)}, {self.in_flight:,} in flight, {self.tokens:,} tokens, "
            f"{dollars(self.usd)}"
        )


class Progress:
    """Counts what becomes of requests, `totals` to each model, and shows it: a bar per model on a
    terminal, elsewhere a line every LINE_SECONDS. spent: gives what the run has spent until now, of
    `cap` dollars."""

    def __init__(
        self,
        totals: Mapping[str, int],
        spent: Callable[[], Decimal],
        cap: Decimal,
        shown: bool = True,
    ) -> None:
        self.models = {alias: Asked(total) for alias, total in totals.items()}
        self.total = sum(totals.values())
        self._spent = spent
        self._spent_before = spent()
        self._cap = cap
        self._began = time.monotonic()
        # at each of the last lines: the time, and how many were done
        self._paces = deque([(self._began, 0)], RECENT_LINES)
        self._shown = shown
        self._bars: dict[str, Any] = {}
        if shown and sys.stdout.isatty():
            longest = max(map(len, totals), default=0)
            self._bars = {
                alias: tqdm(total=total, desc=f"{alias:<{longest}}", unit="", file=sys.stdout)
                for alias, total in totals.items()
            }

    @property
    def done(self) -> int:
        return sum(model.done for model in self.models.values())

    @contextmanager
    def sending(self, alias: str) -> Iterator[None]:
        """While one request is with a model."""
        self.models[alias].in_flight += 1
        try:
            yield
        finally:
            self.models[alias].in_flight -= 1

    def answered(self, alias: str, tokens: int, usd: Decimal, *, is_known: bool = True) -> None:
        """An attempt came back, with an answer or without. is_known: whether it tells its cost;
        otherwise `usd` is the most that it can have been."""
        self.models[alias].tokens += tokens
        self.models[alias].usd += usd
        if not is_known:
            self.models[alias].assumed_usd += usd

    def ended(self, alias: str, status: Status) -> None:
        """A request is settled."""
        self.models[alias].statuses[status] += 1
        if self._bars:
            self._bars[alias].set_postfix_str(f"{self.models[alias]}{self._of_cap()}", False)
            self._bars[alias].update()

    def line(self) -> None:
        """The periodic line; nothing on a terminal, where the bars say the same."""
        if not self._shown or self._bars:
            return
        left = self._seconds_left()
        ready = "" if left is None else f", ready in {duration(left)}"
        whole = Asked(self.total)
        for model in self.models.values():
            whole += model
        by_model = ", ".join(f"{alias} {model.done:,}" for alias, model in self.models.items())
        of_models = f" ({by_model})" if len(self.models) > 1 else ""
        say(f"{self.done:,} of {self.total:,} done{of_models}, {whole}{self._of_cap()}{ready}")

    def _seconds_left(self) -> float | None:
        """At the pace of the last lines, so that a slow start is forgotten; None if nothing was
        done in that time."""
        now = time.monotonic()
        then, n_done = self._paces[0]
        self._paces.append((now, self.done))
        lately = self.done - n_done
        return (self.total - self.done) * (now - then) / lately if lately else None

    def close(self) -> None:
        """The last line: how all of it ended."""
        for bar in self._bars.values():
            bar.close()
        if self._shown:
            statuses = sum((model.statuses for model in self.models.values()), Counter[Status]())
            counts = ", ".join(f"{n:,} {status}" for status, n in statuses.most_common())
            took = duration(time.monotonic() - self._began)
            spent = dollars(self._spent() - self._spent_before)
            if assumed := sum((model.assumed_usd for model in self.models.values()), Decimal(0)):
                spent += f" ({dollars(assumed)} of it the worst case of attempts of unknown cost)"
            say(f"{self.done:,} of {self.total:,} requests in {took}, {spent}: {counts or 'none'}")

    def _of_cap(self) -> str:
        return f"; {dollars(self._spent())} of {dollars(self._cap)} spent in all"


def _failures(statuses: Counter[Status]) -> str:
    failed = Counter({status: n for status, n in statuses.items() if status is not Status.OK})
    kinds = ", ".join(f"{status} {n:,}" for status, n in failed.most_common())
    return f"{failed.total():,} failed" + (f" ({kinds})" if kinds else "")


def duration(seconds: float) -> str:
    """Hours, minutes and seconds, as 1:02:03 or 2:03."""
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"
