"""A message to a webhook when the gate finds a regression."""

from __future__ import annotations

import json
import os
import urllib.error
import urllib.request
from collections.abc import Sequence
from typing import Any

import pyarrow as pa

from python_llm.recommendations.baselines import Row, gate_line

# The address may hold a secret: it comes from the environment and is never written anywhere.
ADDRESS = "KERNEL29_ALERT_WEBHOOK"
TIMEOUT_SECONDS = 10
# Chat services truncate long messages; the gate itself lists every row.
MOST_LINES = 20

# Grain: run_id. status: sent, failed, not_configured or nothing_to_say.
ALERT_SCHEMA = pa.schema(
    [
        ("run_id", pa.string()),
        ("run_type", pa.string()),
        ("status", pa.string()),
        ("reason", pa.string()),
        ("n_regressions", pa.int32()),
    ]
)
FAILING = ("regressed", "below_floor", "cases_changed")
ALERTING = ("nightly", "weekly", "config_gate")


def alert(gate: Sequence[Row], run_id: str, run_type: str) -> pa.Table:
    """Send what got worse to the webhook of the environment; returns the outcome (ALERT_SCHEMA).

    gate: rows of int_recommendations__gate. Only the jobs nightly, weekly and config_gate alert. A
    webhook that does not answer is recorded and fails nothing; failing is the gate's task.
    """
    worse = [row for row in gate if row["gates"] and row["status"] in FAILING]
    status, reason = "nothing_to_say", ""
    if worse and run_type in ALERTING:
        address = os.environ.get(ADDRESS, "")
        status, reason = (
            _sent(address, message(worse, run_id, run_type))
            if address
            else ("not_configured", f"{ADDRESS} is not set")
        )
    row = {
        "run_id": run_id,
        "run_type": run_type,
        "status": status,
        "reason": reason,
        "n_regressions": len(worse),
    }
    return pa.Table.from_pylist([row], schema=ALERT_SCHEMA)


def message(worse: Sequence[Row], run_id: str, run_type: str) -> dict[str, Any]:
    """The message: `text` for people, as chat webhooks expect, and the rows for programs."""
    lines = [gate_line(row) for row in worse]
    more = len(lines) - MOST_LINES
    if more > 0:
        lines = [*lines[:MOST_LINES], f"and {more} more"]
    head = (
        f"Kernel29 {run_type}: {len(worse)} gating metrics below floor or baseline (run {run_id})"
    )
    columns = (
        *("tenant_id", "recommender", "condition", "tier", "metric_name", "status"),
        *("value_before", "value_after", "metric_value", "floor", "worse_cases"),
    )
    return {
        "text": "\n".join([head, *lines]),
        "run_id": run_id,
        "regressions": [{name: row[name] for name in columns} for row in worse],
    }


def _sent(address: str, content: dict[str, Any]) -> tuple[str, str]:
    if not address.startswith(("https://", "http://")):
        return "failed", f"{ADDRESS} is not an http address"
    try:
        request = urllib.request.Request(
            address,
            data=json.dumps(content).encode(),
            headers={"content-type": "application/json"},
            method="POST",
        )
        with urllib.request.urlopen(request, timeout=TIMEOUT_SECONDS):
            return "sent", ""
    except urllib.error.HTTPError as error:
        return "failed", f"the webhook answered {error.code}"
    except (OSError, ValueError) as error:
        # its text may hold the address
        return "failed", f"the webhook could not be reached ({type(error).__name__})"
