"""What a run is about to send and what it may cost at most, as a table for a terminal."""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa

from python_llm.engine import Mode, Settings
from python_llm.engine.progress import dollars, duration, say
from python_llm.job.run import VARIABLES
from python_llm.registries import names

COLUMNS = ("n_cells", "n_answered", "n_requests", "input_tokens", "output_tokens")
HEADINGS = (
    *("cells", "answered", "requests", "tokens in", "tokens out"),
    *("expected", "at most", "time"),
)
WIDTHS = (8, 9, 9, 11, 11, 9, 9, 7)  # at least
EXPECTED = (
    "expected: answers of the length a model has given before; without any, that of the other "
    "models, or the longest allowed. time: at the known limits and the pace of earlier answers."
)
UNKNOWN = "unknown"
UNTIMED = "unknown: a model without known limits has no time until it has answered."
_shown: set[str] = set()
ONCE = (
    "There are fewer requests than cells to answer: cells with the same text share one request and "
    "its answer."
)
BOUND = (
    "Judges: an upper bound, before any list is written: lists x votes x tokens of the longest "
    "list; what the ledger has of theirs is not taken off."
)

# a recorded configuration takes the place of one that would be asked: same prompt and test set
RECORDED = """
with cells as (
    select * from int_experiments__expected_cells
    where ($1::varchar[] = [] or list_contains($1, test_set))
        and ($2::varchar[] = [] or list_contains($2, prompt_alias))
        and ($3 = 0 or sample_order <= $3)
        and ($4::varchar[] = [] or list_contains($4, model_alias))
),

of_models as (
    select distinct model_alias from int_experiments__expected_cells where model_kind = 'llm'
),

of_grid as (
    select distinct prompt_alias, test_set
    from int_experiments__expected_cells
    where model_kind = 'llm'
)

select model_alias, count(*) from cells
semi join of_models using (model_alias)
semi join of_grid using (prompt_alias, test_set)
where model_kind = 'recorded'
group by model_alias
order by model_alias
"""


def format_plan(rows: Iterable[Mapping[str, Any]], cap: float) -> str:
    """The rows of int_experiments__run_plan, models first, with their sum and the cap in $."""
    rows = sorted(rows, key=lambda row: (row["role"] != "model", row["name"], row["task"]))
    if not rows:
        return (
            "Plan: nothing to send; no configuration has what was chosen. Cases of real patients "
            "are planned for models with phi_approved alone (docs/operations.md#security), and "
            "cases that were forgotten for none."
        )
    called = [row for row in rows if row["access_state"] != "retired"]
    total: dict[str, Any] = {
        column: sum(row[column] or 0 for row in called)
        for column in (*COLUMNS, "expected_usd", "worst_case_usd")
    }
    total["minutes"] = _whole_time(called)
    worst, expected = total["worst_case_usd"], total["expected_usd"]
    lines = ["Plan, before anything is sent:", *_table(rows, total)]
    not_called = {
        row["name"]: row["access_state"]
        for row in rows
        if row["worst_case_usd"] is None or row not in called
    }
    if not_called:
        named = ", ".join(f"{name} ({state})" for name, state in sorted(not_called.items()))
        lines.append(f"Not called, and not in the dollars: {named}.")
    lines.append(EXPECTED)
    if any(_time(row) == UNKNOWN for row in rows):
        lines.append(UNTIMED)
    if any(row["role"] == "judge" for row in rows):
        lines.append(BOUND)
    if any(_shares_requests(row) for row in rows):
        lines.append(ONCE)
    if total["n_answered"]:
        lines.append(f"{total['n_answered']:,} were answered before and are not sent again.")
    verdict = "within" if worst <= cap else "above"
    lines.append(f"The worst case is {verdict} the cap of {dollars(cap)} (max_usd).")
    if expected > cap:
        lines.append("So is what is expected: raise the cap, or ask about fewer cases.")
    if worst > cap:
        lines.append("What no longer fits when its turn comes is not sent (blocked_by_budget).")
    return "\n".join(lines)


def _whole_time(rows: Iterable[Mapping[str, Any]]) -> float | None:
    """Minutes of all models at once and then all judges at once; None if none is known."""
    slowest: dict[str, float] = {}
    for row in rows:
        if row["minutes"] is not None:
            slowest[row["role"]] = max(slowest.get(row["role"], 0.0), row["minutes"])
    return sum(slowest.values()) if slowest else None


def format_retired(models: Iterable[str]) -> str:
    """Which models of the grid a plan leaves out because nobody serves them any more."""
    return f"Retired, so not planned: {', '.join(sorted(models))}."


def left_out(run: Mapping[str, Any], warehouse: Path) -> list[str]:
    """What the plan of a run leaves out of its grid, after the plan was made: a sentence for each
    of its test sets without cases, and one about models with recorded runs of what is asked."""
    test_sets, prompts = (names.listed(run[name], ",") for name in ("test_sets", "prompts"))
    with duckdb.connect(str(warehouse), read_only=True) as database:
        filled = {
            name
            for (name,) in database.execute(
                "select distinct test_set from bridge_test_set_case"
            ).fetchall()
        }
        cells = database.execute(
            RECORDED, [test_sets, prompts, int(run["limit"] or 0), names.listed(run["models"], ",")]
        ).fetchall()
    sentences = [
        f"Warning: {name} has no cases, so nothing is asked about it: kernel29 test-sets list."
        for name in test_sets
        if name not in filled
    ]
    if cells:
        counts = ", ".join(f"{model} {n_cells:,}" for model, n_cells in cells)
        sentences.append(
            f"Cells with a recorded answer are not asked again, and not in the plan: {counts} "
            "(kernel29 runs list)."
        )
    return sentences


def announce(plan: pa.Table, settings: Settings) -> None:
    """Print the plan of a live run, unless `show` has printed just this. Without a row it says
    nothing of a run that asks about questions alone: that run has a plan of its own."""
    if not plan.num_rows and VARIABLES.get("questions") and not VARIABLES.get("models"):
        return
    text = format_plan(plan.to_pylist(), float(settings.max_usd))
    if settings.mode is Mode.LIVE and text not in _shown:
        for line in text.splitlines():
            say(line)


def show(rows: Iterable[Mapping[str, Any]], cap: float) -> None:
    """Print the plan of a run that this process will build if the user agrees."""
    text = format_plan(rows, cap)
    _shown.add(text)
    print(text, flush=True)


def _label(row: Mapping[str, Any]) -> str:
    return row["name"] if row["role"] == "model" else f"{row['name']}, {row['task']}"


def _most(row: Mapping[str, Any]) -> str:
    """The worst case in dollars; of a model without a price, why it is not called."""
    priced = row["worst_case_usd"]
    return str(row["access_state"]) if priced is None else dollars(priced)


def _note(row: Mapping[str, Any]) -> str:
    """Why a model with a price cannot be called now."""
    state = row["access_state"]
    return "" if state in (None, "callable", _most(row)) else f"  {state}"


def _shares_requests(row: Mapping[str, Any]) -> bool:
    """Whether several cells of a model that have no answer yet ask for the same."""
    return bool(row["role"] == "model" and row["n_requests"] < row["n_cells"] - row["n_answered"])


def _numbers(row: Mapping[str, Any], most: str) -> list[str]:
    expected = "" if row["expected_usd"] is None else dollars(row["expected_usd"])
    return [*(f"{row[column]:,}" for column in COLUMNS), expected, most, _time(row)]


def _time(row: Mapping[str, Any]) -> str:
    """How long the requests of a row take; nothing of a model that is not called."""
    if row["minutes"] is None and row["worst_case_usd"] is None:
        return ""
    if row["minutes"] is None:
        return UNKNOWN if row["n_requests"] else duration(0)
    return duration(60 * row["minutes"])


def _table(rows: Sequence[Mapping[str, Any]], total: Mapping[str, Any]) -> list[str]:
    """The lines of the table: every column as wide as WIDTHS says, or as its longest cell needs."""
    names = ["", *map(_label, rows), "total"]
    notes = ["", *map(_note, rows), ""]
    table = [HEADINGS, *(_numbers(row, _most(row)) for row in rows)]
    table.append(_numbers(total, dollars(total["worst_case_usd"])))
    widths = [
        max(least, *(len(cell) + 1 for cell in column))
        for least, column in zip(WIDTHS, zip(*table, strict=True), strict=True)
    ]
    label = max(map(len, names))
    return [
        f"{name:<{label}}"
        + "".join(f"{cell:>{width}}" for cell, width in zip(cells, widths, strict=True))
        + note
        for name, cells, note in zip(names, table, notes, strict=True)
    ]
