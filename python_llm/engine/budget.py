"""A cap in dollars that holds while many requests are under way."""

from __future__ import annotations

import asyncio
import json
import math
from decimal import Decimal
from typing import Protocol

from python_llm.engine.schema import Request
from python_llm.providers import Outcome

# A few tokens more than the maximum (a closing one, another count) are borne, and reserved for.
TOLERATED_OUTPUT = Decimal("1.5")
# What a provider puts around a prompt: the names of its turns, the instruction to use a schema.
MOST_ADDED_INPUT = 2_048
# Where a server does not count tokens: no text has more characters to each, spaces taken together.
MOST_CHARACTERS_A_TOKEN = 12


class Budget:
    """What a run may still spend. Amounts are exact decimals of US dollars.

    Before a request is sent, the worst it can cost is reserved; afterwards the reservation is
    settled at what it did cost. At every moment spent + reserved <= cap, as long as no request
    costs more than its worst case.
    """

    def __init__(self, cap: Decimal, spent: Decimal = Decimal(0)) -> None:
        self.cap = cap
        self.spent = spent
        self.reserved = Decimal(0)
        self._changed: list[asyncio.Future[None]] = []

    async def reserve(self, amount: Decimal) -> bool:
        """Take `amount` out of what is left. Waits while requests under way may still give back
        enough; False once they cannot."""
        while self.spent + self.reserved + amount > self.cap:
            if self.spent + amount > self.cap or not self.reserved:
                return False
            changed = asyncio.get_running_loop().create_future()
            self._changed.append(changed)
            await changed
        self.reserved += amount
        return True

    def take(self, amount: Decimal) -> bool:
        """Spend `amount` at once, without waiting for what others may give back; False when it
        does not fit."""
        if self.spent + self.reserved + amount > self.cap:
            return False
        self.spent += amount
        return True

    def give_back(self, amount: Decimal) -> None:
        """Undo a `take`: nothing was bought."""
        self.settle(Decimal(0), -amount)

    def settle(self, amount: Decimal, charged: Decimal) -> None:
        """Give a reservation of `amount` back and count `charged` as spent."""
        self.reserved -= amount
        self.spent += charged
        waiting, self._changed = self._changed, []
        for changed in waiting:
            if not changed.done():
                changed.set_result(None)


class WorstCase:
    """The most a request of one model can cost: its estimated prompt and its longest answer.

    An estimate can be too low (another tokenizer, another language). Every answer tells by how
    much, and later requests are reserved for with the largest factor seen.
    """

    def __init__(self) -> None:
        self.factor = self.output_factor = Decimal(1)

    def tokens(self, request: Request) -> int:
        return self.prompt_tokens(request) + self.output_tokens(request)

    def cost(self, request: Request) -> Decimal:
        prompt = self.prompt_tokens(request) * request.input_price
        return prompt + self.output_tokens(request) * request.output_price

    def output_tokens(self, request: Request) -> int:
        return math.ceil(request.max_output_tokens * self.output_factor)

    def prompt_tokens(self, request: Request) -> int:
        return math.ceil(request.estimated_input_tokens * self.factor)

    def learn(self, request: Request, outcome: Outcome) -> None:
        if outcome.input_tokens and request.estimated_input_tokens > 0:
            seen = Decimal(outcome.input_tokens) / request.estimated_input_tokens
            self.factor = max(self.factor, seen)
        if outcome.output_tokens and request.max_output_tokens > 0:
            seen = Decimal(outcome.output_tokens) / request.max_output_tokens
            self.output_factor = max(self.output_factor, min(seen, TOLERATED_OUTPUT))


def over_maximum(request: Request, outcome: Outcome) -> str | None:
    """What an answer was billed with, if it is so much more than was asked for, or than was sent,
    that nothing can be said of what the next one will cost; None for any other."""
    most = max(request.max_output_tokens, 1) * TOLERATED_OUTPUT
    if request.output_price > 0 and least_output(outcome) > most:
        return (
            f"an answer of {least_output(outcome):,} tokens, where {request.max_output_tokens:,} "
            "are the most"
        )
    if request.input_price > 0 and (outcome.input_tokens or 0) > most_input(request):
        return (
            f"a prompt billed with {outcome.input_tokens:,} tokens, where its text has "
            f"{most_input(request):,} at the most"
        )
    return None


def most_input(request: Request) -> int:
    """Tokens that the prompt of a request cannot exceed: no tokenizer makes more of a text than it
    has bytes, and what providers add to it, such as a schema's frame, has a limit."""
    question = request.question
    schema = json.dumps(question.response_schema) if question.response_schema else ""
    text = f"{question.system_text or ''}{question.user_text}{schema}"
    return len(text.encode()) + MOST_ADDED_INPUT


def least_output(outcome: Outcome) -> int:
    """Tokens that an answer was billed with; at least so many where the server did not say."""
    if outcome.output_tokens is not None:
        return outcome.output_tokens
    return len(" ".join((outcome.answer_text or "").split())) // MOST_CHARACTERS_A_TOKEN


class Priced(Protocol):
    """Whatever knows its prices, US dollars per token."""

    @property
    def input_price(self) -> Decimal: ...

    @property
    def cached_input_price(self) -> Decimal: ...

    @property
    def output_price(self) -> Decimal: ...


def actual_cost(request: Priced, outcome: Outcome) -> Decimal | None:
    """What an attempt did cost, from the provider's own count of tokens; None when it gave none."""
    if outcome.input_tokens is None or outcome.output_tokens is None:
        return None
    cached = min(outcome.cached_input_tokens or 0, outcome.input_tokens)
    return (
        (outcome.input_tokens - cached) * request.input_price
        + cached * request.cached_input_price
        + outcome.output_tokens * request.output_price
    )


def charge(request: Priced, outcome: Outcome, worst_case: Decimal) -> Decimal:
    """What an attempt takes from the budget: its cost where known, nothing where the provider
    surely did no work, and otherwise the worst case."""
    known = actual_cost(request, outcome)
    if known is not None:
        return known
    return worst_case if outcome.may_be_billed else Decimal(0)
