"""How many requests, and how many tokens, one model may be given at a time."""

from __future__ import annotations

import asyncio
import time
from collections import deque
from collections.abc import Callable, Iterable
from dataclasses import dataclass

MINUTE = 60.0
DAY = 86_400.0


class Concurrency:
    """At most `limit` requests at a time, between 1 and `most`: one more after every `limit`
    successes, half a one fewer after every refusal. A model that refuses all that is under way
    halves it so, as TCP does (RFC 5681); one that refuses a share lowers it by half of that share,
    as DCTCP does (RFC 8257, 3.3): refusals that come whatever the load do not bring it down to one.
    """

    def __init__(self, most: int) -> None:
        self.most = max(1, most)
        self.limit = float(self.most)
        self.in_use = 0
        self._waiting: deque[asyncio.Future[None]] = deque()
        self._news_at = -1.0

    async def acquire(self) -> None:
        while self.in_use >= int(self.limit):
            place = asyncio.get_running_loop().create_future()
            self._waiting.append(place)
            try:
                await place
            except asyncio.CancelledError:
                self._wake()  # the place may have been offered to a task that is going away
                raise
        self.in_use += 1

    def release(self) -> None:
        self.in_use -= 1
        self._wake()

    def succeeded(self) -> None:
        self.limit = min(float(self.most), self.limit + 1.0 / self.limit)
        self._wake()

    def congested(self, started: float) -> bool:
        """Lower it; was this news, or under way at the same time as a refusal that was? started:
        when the refused request was sent, seconds of `time.monotonic`."""
        self.limit = max(1.0, self.limit - 0.5)
        is_news = started >= self._news_at
        if is_news:
            self._news_at = time.monotonic()
        return is_news

    def _wake(self) -> None:
        free = int(self.limit) - self.in_use
        while free > 0 and self._waiting:
            place = self._waiting.popleft()
            if not place.done():
                place.set_result(None)
                free -= 1


@dataclass
class Admission:
    """A request that was let through at `at` (seconds of the limiter's clock) with `tokens`
    reserved; the tokens are corrected once the true number is known."""

    at: float
    tokens: int
    is_counted: bool = False


class Rates:
    """Requests and tokens in any 60 seconds, requests in any 24 hours. None is no limit.

    Every window slides, so no window of that length, wherever a provider starts its own, holds
    more. history: (seconds ago, tokens) of the attempts of earlier runs.
    """

    def __init__(
        self,
        requests_per_minute: int | None = None,
        tokens_per_minute: int | None = None,
        requests_per_day: int | None = None,
        history: Iterable[tuple[float, int]] = (),
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.requests_per_minute = requests_per_minute
        self.tokens_per_minute = tokens_per_minute
        self.requests_per_day = requests_per_day
        self._clock = clock
        now = clock()
        past = sorted((Admission(now - ago, tokens, True) for ago, tokens in history), key=_at)
        self._day: deque[float] = deque(admission.at for admission in past)
        self._minute: deque[Admission] = deque(past)
        self._tokens = sum(admission.tokens for admission in past)
        self._turn = asyncio.Lock()
        self._refunded = asyncio.Event()
        self._closed = False

    @property
    def unlimited(self) -> bool:
        return not (self.requests_per_minute or self.tokens_per_minute or self.requests_per_day)

    def close(self) -> None:
        """Let nobody through any more, and let nobody wait."""
        self._closed = True
        self._refunded.set()

    async def admit(self, tokens: int) -> Admission | None:
        """Wait until one more request of `tokens` fits; None when the day has no room left, or
        when nobody is let through any more."""
        if self.unlimited:
            return Admission(self._clock(), tokens)
        async with self._turn:  # first come, first served: a large request is not passed for ever
            if self._day_is_full():
                return None
            while not self._closed and (wait := self._wait(tokens)) > 0:
                self._refunded.clear()
                try:
                    async with asyncio.timeout(wait):
                        await self._refunded.wait()
                except TimeoutError:
                    continue
            if self._closed:
                return None
            now = self._clock()
            admission = Admission(now, tokens, True)
            self._minute.append(admission)
            self._tokens += tokens
            if self.requests_per_day is not None:
                self._day.append(now)
            return admission

    def correct(self, admission: Admission, tokens: int) -> None:
        """The request used `tokens`; what was reserved beyond them is free again."""
        if admission.is_counted:
            self._tokens += tokens - admission.tokens
        admission.tokens = tokens
        self._refunded.set()

    def _day_is_full(self) -> bool:
        while self._day and self._day[0] <= self._clock() - DAY:
            self._day.popleft()
        return self.requests_per_day is not None and len(self._day) >= self.requests_per_day

    def _wait(self, tokens: int) -> float:
        """Seconds until something leaves the window that has to, 0 when there is room."""
        now = self._clock()
        while self._minute and self._minute[0].at <= now - MINUTE:
            left = self._minute.popleft()
            left.is_counted = False
            self._tokens -= left.tokens
        if not self._minute:
            return 0.0  # a request larger than the limit goes alone rather than never
        full = self.requests_per_minute and len(self._minute) >= self.requests_per_minute
        heavy = self.tokens_per_minute and self._tokens + tokens > self.tokens_per_minute
        return max(0.001, self._minute[0].at + MINUTE - now) if full or heavy else 0.0


def _at(admission: Admission) -> float:
    return admission.at
