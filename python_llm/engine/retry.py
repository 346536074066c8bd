"""Which failure is worth another attempt, and after how long."""

from __future__ import annotations

import random

from python_llm.providers import Outcome

FIRST_PAUSE_SECONDS = 0.5
LONGEST_PAUSE_SECONDS = 30.0
# A provider may ask for an hour; the build should not wait for one. The next run asks again.
LONGEST_RETRY_AFTER_SECONDS = 60.0
# Limits are counted by the minute. A model that refuses or fails everything through two of them is
# not over one of those: it is down, or over a longer limit, and the rest is for the next run.
LONGEST_REFUSAL_SECONDS = 120.0

# error kind -> how many further attempts it may have, whatever max_attempts allows. A kind that is
# not here has none: the same request would meet the same answer.
RETRIES: dict[str, int] = {
    # It is the model that is asked too much, not this request: as often as max_attempts allows.
    "rate_limited": 99,
    "overloaded": 99,
    # The provider did nothing. Seven more outlast a minute at most, half a minute at least, and of
    # requests that fail three times in ten without a cause leave one in 15,000 (0.3 ** 8).
    "server_error": 7,
    "request_timeout": 7,
    "conflict": 7,
    "connect": 7,
    # The request may have been answered, and billed, on the other side.
    "connection_lost": 2,
    "timeout": 1,
    "gateway_timeout": 1,
    "malformed_response": 1,
    "empty_answer": 1,
}

# Every further request to this model would fail alike: the rest of the run does not ask it.
HOPELESS = frozenset(
    {
        *("authentication", "permission", "not_found", "insufficient_quota"),
        # its address is wrong, or no longer in the hands it was
        *("redirected", "foreign_host"),
    }
)

# The provider cannot keep up: fewer requests at a time.
CONGESTED = frozenset({"rate_limited", "overloaded"})

# A request that is refused so often lets those go first that were not asked yet. Fewer refusals
# could be chance, and would spoil the order in which a sample is asked.
REFUSALS_BEFORE_OTHERS = 3

# What a model that is down says, or whoever stands in front of it.
DOWN = CONGESTED | {"server_error", "connect"}


def doubled(times: int) -> float:
    """Seconds of the pause after so many failures, from FIRST_PAUSE_SECONDS to
    LONGEST_PAUSE_SECONDS."""
    return min(LONGEST_PAUSE_SECONDS, FIRST_PAUSE_SECONDS * 2 ** min(times - 1, 30))


def pause_before_retry(
    outcome: Outcome, *, attempts: int, same_kind: int, max_attempts: int, draw: float | None = None
) -> float | None:
    """Seconds to wait before the next attempt; None when there is to be none.

    attempts: made in this run, this one included. same_kind: how many of them failed like this one.
    draw: a number in [0, 1) in place of a random one.

    The pause doubles from FIRST_PAUSE_SECONDS to LONGEST_PAUSE_SECONDS with full jitter over its
    upper half, so that requests that failed together do not come back together. After a refusal it
    stays at the first: it is the model's places, and the model as a whole, that wait longer then.
    Retry-After is obeyed when longer, and up to LONGEST_RETRY_AFTER_SECONDS.
    """
    if attempts >= max_attempts or same_kind > RETRIES.get(outcome.error_kind or "", 0):
        return None
    jitter = random.random() if draw is None else draw
    base = FIRST_PAUSE_SECONDS if outcome.error_kind in CONGESTED else doubled(same_kind)
    backoff = base * (0.5 + 0.5 * jitter)
    asked = outcome.retry_after_seconds or 0.0
    # A little more than asked, and not all at once.
    return max(backoff, min(asked, LONGEST_RETRY_AFTER_SECONDS) + 0.1 * jitter * bool(asked))
