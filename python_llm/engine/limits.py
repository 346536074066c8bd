"""How many requests, and how many tokens, one model may be given at a time."""

from __future__ import annotations

import asyncio
import math
import time
from collections import deque
from collections.abc import Callable, Iterable
from dataclasses import dataclass

MINUTE = 60.0
DAY = 86_400.0
# The weight of the newest round trip in the smoothed one, and how much longer than the first, which
# is a quick one, others may take (RFC 6298, 2).
NEWEST, FIRST = 1 / 8, 3
# A round with refusals and answers has so many outcomes or so many refusals: of fewer, a share says
# nothing.
SHORTEST_ROUND, FEW_REFUSALS = 20, 3
# A trial lasts until so many refusals are due if the lower limit bought nothing: fewer than half of
# them then come once in thirty trials (Poisson).
REFUSALS_DUE = 10
# What was let in may have used up what the model had saved; so much less is surely within its means
# (what CUBIC lowers to, RFC 9438, 4.6).
LOWER = 0.7
# Rounds for which refusals are tolerated until they are tried anew.
ROUNDS_TOLERATED = 20


@dataclass(frozen=True, slots=True)
class Trial:
    """Of a lower limit: what the limit was before, and what share of n outcomes was refused."""

    limit: int
    share: float
    n: int


class Concurrency:
    """At most `limit` requests at a time, between 1 and `most`: as many as the model takes.

    Outcomes are judged by the round: some `limit` of them, all of requests that were sent at that
    limit. Refusals in a round lower the limit once, to as many as were let in (as TCP Westwood
    does), and that is a trial. Where fewer are refused then, the load was the cause: the limit
    stays, and is raised by one a round. Where as many are refused, and still are at LOWER of it,
    lowering buys nothing: the limit goes back up, and that share of refusals is tolerated for a
    while. Only what is more than tolerated, and more than chance, lowers the limit meanwhile.
    All that is refused brings it down to one at a time; from there it doubles with every round, as
    in TCP's slow start, up to where it was.

    The place of a refused request rests until an answer would have come: a model that refuses at
    once is asked no more often than one that answers, and refusals do not arrive before the
    answers they are counted with.
    """

    def __init__(self, most: int) -> None:
        self.most = max(1, most)
        self.limit = self.most
        self.in_use = 0
        self.tolerated = 0.0
        self._waiting: deque[asyncio.Future[None]] = deque()
        self._resting: deque[float] = deque()  # when the refused requests were sent
        self._alarm: asyncio.TimerHandle | None = None
        self._round_trip = math.inf
        self._trial: Trial | None = None
        self._known = self.most  # up to here it doubles, from here on it is raised by one
        self._rounds = 0
        self._since, self._n, self._n_refused = -math.inf, 0, 0

    async def acquire(self) -> None:
        while self.in_use >= self.limit:
            turn = asyncio.get_running_loop().create_future()
            self._waiting.append(turn)
            try:
                await turn
            except asyncio.CancelledError:
                self._wake()  # the turn may have been offered to a task that is going away
                raise
        self.in_use += 1

    def release(self) -> None:
        self.in_use -= 1
        self._end_rests()

    def succeeded(self, sent: float) -> None:
        """sent: when the answered request was, seconds of `time.monotonic`."""
        took = time.monotonic() - sent
        if self._round_trip == math.inf:
            self._round_trip = FIRST * took
        self._round_trip += NEWEST * (took - self._round_trip)
        self._count(sent, 0)
        self._end_rests()

    def refused(self, sent: float) -> None:
        """sent: when the refused request was, seconds of `time.monotonic`."""
        self.in_use += 1
        self._resting.append(sent)
        self._end_rests()

    def _end_rests(self) -> None:
        """Of places that have rested for a round trip; of all where nobody else could answer."""
        over = time.monotonic() - self._round_trip
        while self._resting and (self._resting[0] <= over or len(self._resting) == self.in_use):
            self.in_use -= 1
            self._count(self._resting.popleft(), 1)
        if self._alarm is None and self._resting and self._round_trip < math.inf:
            rest = max(0.01, self._resting[0] - over)
            self._alarm = asyncio.get_running_loop().call_later(rest, self._ring)
        self._wake()

    def _ring(self) -> None:
        self._alarm = None
        self._end_rests()

    def _wake(self) -> None:
        # What was let through under a higher limit says nothing of this one.
        if self._since == math.inf and self.in_use <= self.limit:
            self._since = time.monotonic()
        free = self.limit - self.in_use
        while free > 0 and self._waiting:
            turn = self._waiting.popleft()
            if not turn.done():
                turn.set_result(None)
                free -= 1

    def _count(self, sent: float, refused: int) -> None:
        if sent < self._since:
            return
        self._n += 1
        self._n_refused += refused
        is_mixed = 0 < self._n_refused < min(self._n, FEW_REFUSALS)
        if self._n >= max(self.limit, SHORTEST_ROUND if is_mixed else 1):
            self._judge(self._n_refused / self._n)

    def _judge(self, share: float) -> None:
        """What the share of refusals in a round says of the limit."""
        is_more = share > self.tolerated + self._chance(self.tolerated)
        if is_more and share == 1:
            self._set(1)
        elif self._trial is None and is_more:
            self._try(Trial(self.limit, share, self._n))
        elif self._trial is None:
            self._set(max(self.limit + 1, min(2 * self.limit, self._known)))
            self._known = max(self._known, self.limit)
        elif not self._is_decided(self._trial, share):
            return
        self._rounds += 1
        if self._rounds > ROUNDS_TOLERATED and self._trial is None:
            self.tolerated = 0.0
        self._since, self._n, self._n_refused = math.inf, 0, 0
        self._wake()

    def _is_decided(self, trial: Trial, share: float) -> bool:
        """Go on with a trial; False where the outcomes are too few to tell."""
        is_more = share > self.tolerated + self._chance(self.tolerated)
        is_worse = share > trial.share + self._chance(trial.share, trial.n)
        lowest = max(1, int(LOWER * self._let_in(trial)))
        if is_worse:
            self._try(Trial(trial.limit, share, self._n))
        elif self._n * (trial.share - self.tolerated) < REFUSALS_DUE:
            return False
        elif not is_more:
            self.tolerated, self._known = min(self.tolerated, share), self.limit
            self._set(self.limit)
        elif self.limit > lowest:
            self._set(lowest, trial)
        elif share < (trial.share + self.tolerated) / 2:
            self._try(Trial(self.limit, share, self._n))
        else:
            self.tolerated, self._rounds = (trial.share + share) / 2, 0
            self._known = self.most
            self._set(trial.limit)
        return True

    def _try(self, trial: Trial) -> None:
        self._set(min(self.limit - 1, self._let_in(trial)), trial)

    def _let_in(self, trial: Trial) -> int:
        return round(trial.limit * (1 - trial.share) / (1 - self.tolerated))

    def _chance(self, share: float, n: int | None = None) -> float:
        """By what the share of a round may exceed `share` by chance, where that is known or was
        found in n outcomes: three standard deviations."""
        weight = 1 / self._n + (1 / n if n else 0)
        return 3 * math.sqrt(share * (1 - share) * weight)

    def _set(self, limit: int, trial: Trial | None = None) -> None:
        self.limit, self._trial = min(self.most, max(1, limit)), trial


@dataclass
class Admission:
    """A request that was let through at `at` (seconds of the limiter's clock) with `tokens`
    reserved; the tokens are corrected once the true number is known."""

    at: float
    tokens: int
    is_counted: bool = False


class Rates:
    """Requests and tokens in any 60 seconds and in any 24 hours. None means no limit.

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
        tokens_per_day: int | None = None,
    ) -> None:
        self.requests_per_minute = requests_per_minute
        self.tokens_per_minute = tokens_per_minute
        self.requests_per_day = requests_per_day
        self.tokens_per_day = tokens_per_day
        self._clock = clock
        now = clock()
        past = sorted((Admission(now - ago, tokens, True) for ago, tokens in history), key=_at)
        self._day: deque[Admission] = deque(past)
        self._minute: deque[Admission] = deque(past)
        self._tokens = sum(admission.tokens for admission in past)
        self._turn = asyncio.Lock()
        self._refunded = asyncio.Event()
        self._closed = False

    @property
    def unlimited(self) -> bool:
        limits = (self.requests_per_minute, self.tokens_per_minute)
        return not any(limits) and self.requests_per_day is None and self.tokens_per_day is None

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
            if self._day_is_full(tokens):
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
            if not (self.requests_per_day is None and self.tokens_per_day is None):
                self._day.append(admission)
            return admission

    def correct(self, admission: Admission, tokens: int) -> None:
        """The request used `tokens`; what was reserved beyond them is free again."""
        if admission.is_counted:
            self._tokens += tokens - admission.tokens
        admission.tokens = tokens
        self._refunded.set()

    def _day_is_full(self, tokens: int) -> bool:
        """Whether one more request of `tokens` is more than the day has room for. What is under way
        counts with what was reserved for it."""
        while self._day and self._day[0].at <= self._clock() - DAY:
            self._day.popleft()
        if self.requests_per_day is not None and len(self._day) >= self.requests_per_day:
            return True
        if self.tokens_per_day is None:
            return False
        return sum(admission.tokens for admission in self._day) + tokens > self.tokens_per_day

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
