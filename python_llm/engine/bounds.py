"""How long the texts of an outcome may be that are written into the ledger.

What a model answers is kept whole, up to what any answer can have. What a server says of itself or
of a failure is its own choice, and is kept only as far as somebody would read it.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from python_llm.providers import FINAL, Outcome, Status
from python_llm.providers.http import MOST_BYTES, MOST_ERROR_BYTES

# Characters.
LONGEST = {
    "finish_reason": 200,
    "returned_model": 200,
    "response_id": 200,
    "error_kind": 200,
    "error_message": 500,
}
LONGEST_REFUSAL = 10_000
LONGEST_USAGE = 10_000
CUT = "…"


def bounded(outcome: Outcome) -> Outcome:
    """The outcome with texts that a line of the ledger has room for."""
    if _bytes(outcome.raw_response) + _bytes(outcome.answer_text) > 2 * MOST_BYTES:
        # Of a batch: what is asked directly is cut off while it arrives.
        return Outcome(
            Status.PROVIDER_ERROR,
            error_kind="answer_too_large",
            error_message=f"the answer has more than {MOST_BYTES:,} bytes",
            http_status=outcome.http_status,
            input_tokens=outcome.input_tokens,
            cached_input_tokens=outcome.cached_input_tokens,
            output_tokens=outcome.output_tokens,
            may_be_billed=outcome.may_be_billed,
        )
    changed: dict[str, Any] = {
        name: _cut(text, most)
        for name, most in LONGEST.items()
        if (text := getattr(outcome, name)) is not None and len(text) > most
    }
    if outcome.usage_json is not None and len(outcome.usage_json) > LONGEST_USAGE:
        changed["usage_json"] = None  # half of it is no JSON; the counts are read
    if outcome.status == Status.REFUSED and len(outcome.answer_text or "") > LONGEST_REFUSAL:
        changed["answer_text"] = _cut(outcome.answer_text or "", LONGEST_REFUSAL)
    is_answer = outcome.status in FINAL and outcome.status != Status.REFUSED
    if not is_answer and len(outcome.raw_response or "") > MOST_ERROR_BYTES:
        changed["raw_response"] = _cut(outcome.raw_response or "", MOST_ERROR_BYTES)
    return replace(outcome, **changed) if changed else outcome


def _bytes(text: str | None) -> int:
    return 0 if text is None else len(text) if text.isascii() else len(text.encode())


def _cut(text: str, most: int) -> str:
    return text[: most - 1] + CUT
