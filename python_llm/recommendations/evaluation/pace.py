"""Processor time as a machine of known speed would have taken it.

Beside other work a processor is slower at the same work: two threads share a core, caches are cold,
clocks fall. A target in milliseconds would then fail a build for what else the machine does. So a
piece of work that never changes is timed beside what is measured, and both are slower alike.
"""

import re
import statistics
import time
from collections import deque
from functools import cache

# What the piece takes on the machine that the targets are meant for: 2 cores (AMD EPYC), Python
# 3.11, nothing else running.
REFERENCE_MS = 3.0
REMEMBERED = 9  # pieces; their median is the speed of the moment
N_WORDS = 40_000  # more than a core keeps beside it, as the names and rules of a check are
LOOKED_UP = 4_000
STRIDE = 7_919  # a prime: the words are not taken in the order they lie in


class Pace:
    """Times work of one thread in milliseconds of the reference machine."""

    def __init__(self) -> None:
        self._pieces: deque[float] = deque(maxlen=REMEMBERED)

    def start(self) -> float:
        """A moment to give to `since`; does one piece of the work that is always the same."""
        began = time.thread_time()
        _piece()
        now = time.thread_time()
        self._pieces.append(now - began)
        return now

    def since(self, moment: float) -> float:
        """Milliseconds of the reference machine since a moment that `start` gave."""
        took = time.thread_time() - moment
        return took / statistics.median(self._pieces) * REFERENCE_MS


@cache
def _words() -> tuple[list[str], dict[str, int], list[re.Pattern[str]], str]:
    words = [f"word{number * STRIDE % N_WORDS:05}" for number in range(N_WORDS)]
    patterns = [re.compile(rf"\b{word}(?:s|es)?\b") for word in words[:100]]
    return words, {word: len(word) for word in words}, patterns, " ".join(words[50:150])


def _piece() -> int:
    """Words looked up far from each other and patterns searched for, as a check does."""
    words, lengths, patterns, text = _words()
    total = sum(lengths[words[number * STRIDE % N_WORDS]] for number in range(LOOKED_UP))
    return total + sum(pattern.search(text) is not None for pattern in patterns)
