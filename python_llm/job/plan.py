"""What a run is about to send and what it may cost at most, as a table for a terminal."""

from collections.abc import Iterable, Mapping
from typing import Any

import pyarrow as pa

from python_llm.engine import Mode, Settings
from python_llm.engine.progress import dollars, say

COLUMNS = ("n_cells", "n_answered", "n_requests", "input_tokens", "output_tokens")
HEADINGS = ("cells", "answered", "requests", "tokens in", "tokens out", "at most")
WIDTHS = (8, 9, 10, 13, 13, 10)
BOUND = (
    "Judges: an upper bound, before any list is written: lists x votes x tokens of the longest "
    "list; what the ledger has of theirs is not taken off."
)


def format_plan(rows: Iterable[Mapping[str, Any]], cap: float) -> str:
    """The rows of int_experiments__run_plan, models first, with their sum and the cap in $."""
    rows = sorted(rows, key=lambda row: (row["role"] != "model", row["name"], row["task"]))
    if not rows:
        return "Plan: nothing to send; no configuration has what was chosen."
    label = max(len("total"), *(len(_label(row)) for row in rows))
    lines = ["Plan, before anything is sent:"]
    lines.append(
        " " * label
        + "".join(f"{heading:>{w}}" for heading, w in zip(HEADINGS, WIDTHS, strict=True))
    )
    for row in rows:
        priced = row["worst_case_usd"]
        most = row["access_state"] if priced is None else dollars(priced)
        note = "" if row["access_state"] in (None, "callable", most) else f"  {row['access_state']}"
        lines.append(f"{_label(row):<{label}}{_numbers(row)}{most:>{WIDTHS[-1]}}{note}")
    total = {column: sum(row[column] for row in rows) for column in COLUMNS}
    worst = sum(row["worst_case_usd"] or 0 for row in rows)
    lines.append(f"{'total':<{label}}{_numbers(total)}{dollars(worst):>{WIDTHS[-1]}}")
    unpriced = {row["name"]: row["access_state"] for row in rows if row["worst_case_usd"] is None}
    if unpriced:
        named = ", ".join(f"{name} ({state})" for name, state in sorted(unpriced.items()))
        lines.append(f"Not called, and not in the dollars: {named}.")
    if any(row["role"] == "judge" for row in rows):
        lines.append(BOUND)
    verdict = "within" if worst <= cap else "above"
    lines.append(f"The worst case is {verdict} MAX_USD={cap:g}.")
    if worst > cap:
        lines.append("What no longer fits when its turn comes is not sent (blocked_by_budget).")
    return "\n".join(lines)


def format_retired(models: Iterable[str]) -> str:
    """Which models of the grid a plan leaves out because nobody serves them any more."""
    return f"Retired, so not planned: {', '.join(sorted(models))}."


def announce(plan: pa.Table, settings: Settings) -> None:
    """Print the plan of a live run."""
    if settings.mode is Mode.LIVE:
        for line in format_plan(plan.to_pylist(), float(settings.max_usd)).splitlines():
            say(line)


def _label(row: Mapping[str, Any]) -> str:
    return row["name"] if row["role"] == "model" else f"{row['name']}, {row['task']}"


def _numbers(row: Mapping[str, Any]) -> str:
    return "".join(f"{row[column]:>{w},}" for column, w in zip(COLUMNS, WIDTHS[:-1], strict=True))
