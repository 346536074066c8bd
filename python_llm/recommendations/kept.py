"""Checks that `kernel29 check` made: appended to a file of each day, read by the build."""

from __future__ import annotations

import json
import os
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pyarrow as pa

from python_llm import paths

# Grain: check_id, check_name. checked_at: UTC.
CHECK_SCHEMA = pa.schema(
    [
        ("check_id", pa.string()),
        ("checked_at", pa.timestamp("us")),
        *((name, pa.string()) for name in ("system", "recommender", "recommendation_id")),
        ("patient_key", pa.string()),
        ("check_name", pa.string()),
        ("outcome", pa.string()),
        ("reasons", pa.list_(pa.string())),
        ("passed", pa.bool_()),
        ("may_be_shown", pa.bool_()),
        ("took_ms", pa.float64()),
    ]
)


def checks_folder() -> Path:
    """Where checks are kept: data/checks, or under KERNEL29_DATA_DIR."""
    return paths.resolve(os.environ.get("KERNEL29_DATA_DIR", "data")) / "checks"


def append(rows: Iterable[Mapping[str, Any]], folder: Path, now: datetime) -> None:
    """Append rows (CHECK_SCHEMA) to the file of the day."""
    folder.mkdir(parents=True, exist_ok=True)
    lines = [json.dumps(row, ensure_ascii=False) for row in rows]
    with (folder / f"{now:%Y-%m-%d}.jsonl").open("a", encoding="utf-8") as file:
        file.write("\n".join([*lines, ""]))


def read_checks(folder: Path) -> pa.Table:
    """Every check that was kept (CHECK_SCHEMA); a torn line is left out, a repeated one counts
    once."""
    rows: dict[tuple[str, str], dict[str, Any]] = {}
    for file in sorted(folder.glob("*.jsonl")):
        for line in file.read_text(encoding="utf-8", errors="replace").splitlines():
            try:
                row = json.loads(line)
                when = datetime.fromisoformat(row["checked_at"]).replace(tzinfo=None)
                # lines of earlier versions have no outcome
                row.setdefault("outcome", "passed" if row["passed"] else "unsafe")
                of_schema = {name: row[name] for name in CHECK_SCHEMA.names}
                of_schema["checked_at"] = when
                pa.Table.from_pylist([of_schema], schema=CHECK_SCHEMA)
            except (ValueError, KeyError, TypeError, pa.ArrowException):
                continue
            rows[row["check_id"], row["check_name"]] = of_schema
    return pa.Table.from_pylist(list(rows.values()), schema=CHECK_SCHEMA)


def check_rows(_table: str) -> pa.Table:
    """All checks, as the dbt source reads them."""
    return read_checks(checks_folder())


def report(folder: Path, now: datetime, hours: float) -> str:
    """What was checked in the last hours, by system: how many recommendations, how many must not be
    shown, and by which checks, with the commonest reason. Reads the files, so no build is needed.
    """
    since = (now - timedelta(hours=hours)).replace(tzinfo=None)
    rows = [row for row in read_checks(folder).to_pylist() if row["checked_at"] >= since]
    if not rows:
        return f"nothing was checked in the last {hours:g} hours"
    by_system: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for row in rows:
        by_system[row["system"] or row["recommender"] or "not named"].append(row)
    lines = [f"last {hours:g} hours, until {now:%Y-%m-%d %H:%M} UTC"]
    for system, own in sorted(by_system.items()):
        checked = {row["check_id"] for row in own}
        n_held = len({row["check_id"] for row in own if not row["may_be_shown"]})
        n_unsafe = len({row["check_id"] for row in own if row["outcome"] == "unsafe"})
        lines.append(
            f"{system}: {len(checked)} checked, {n_held} must not be shown: {n_unsafe} unsafe, "
            f"{n_held - n_unsafe} not checkable"
        )
        failed = Counter(row["check_name"] for row in own if not row["passed"])
        for check, n_failed in failed.most_common():
            reasons = Counter(
                reason for row in own if row["check_name"] == check for reason in row["reasons"]
            )
            commonest = f": {reasons.most_common(1)[0][0]}" if reasons else ""
            lines.append(f"  {n_failed} x {check}{commonest}")
    return "\n".join(lines)
