"""The leaderboard as a person reads it on a terminal."""

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import duckdb
from rich.console import Console
from rich.table import Table


def read_leaderboard(database: Path) -> list[dict[str, Any]]:
    """Rows of rpt_leaderboard, best first; configurations never asked come last.

    Raises FileNotFoundError with the remedy if nothing has been served yet.
    """
    if not database.is_file():
        raise FileNotFoundError(f"{database} does not exist yet: run `make build` first.")
    with duckdb.connect(str(database), read_only=True) as connection:
        cursor = connection.execute(
            "from rpt_leaderboard order by judge_id, is_asked desc, semantic_aggregate desc, "
            "configuration_id"
        )
        names = [column[0] for column in cursor.description]
        return [dict(zip(names, row, strict=True)) for row in cursor.fetchall()]


def print_leaderboard(rows: Iterable[dict[str, Any]], console: Console) -> None:
    """One table per judge; every score with its 95 % interval below it."""
    by_judge: dict[str, list[dict[str, Any]]] = {}
    for row in rows:
        by_judge.setdefault(row["judge_id"], []).append(row)
    for judge, judged in by_judge.items():
        table = Table(title=f"Judge: {judge}", title_justify="left", show_lines=True)
        table.add_column("configuration", overflow="fold", min_width=20)
        for heading in ("cases", "failed", "top-1 %", "top-3 %", "top-5 %", "MRR"):
            table.add_column(heading, justify="right", no_wrap=True)
        for heading in ("semantic", "severity", "cost $"):
            table.add_column(heading, justify="right", no_wrap=True)
        for row in judged:
            table.add_row(
                row["configuration_id"].replace("/", "\n"),
                str(row["n_cases"]),
                _failures(row),
                *(_with_interval(row, f"top{n}_strict", 100, 1) for n in (1, 3, 5)),
                _with_interval(row, "mrr", 1, 2),
                _with_interval(row, "semantic_aggregate", 1, 2),
                _with_interval(row, "severity_aggregate", 1, 2),
                "-" if row["generation_usd"] is None else f"{row['generation_usd']:.2f}",
            )
        console.print(table)
    console.print(
        "Below each score its 95 % interval. Top-k counts synonyms of the gold diagnosis only; "
        "failed cases count as wrong. Semantic and severity: -1 to 1, medium setting. "
        "This measures diagnostic systems; it is no medical advice.",
        style="dim",
    )


def _failures(row: dict[str, Any]) -> str:
    if not row["is_asked"]:
        return "not\nrequested"
    if row["n_not_asked"]:
        return f"{row['n_failures']}\n({row['n_not_asked']} unasked)"
    return str(row["n_failures"])


def _with_interval(row: dict[str, Any], metric: str, scale: float, digits: int) -> str:
    if row[metric] is None:
        return "-"
    value, low, high = (row[name] for name in (metric, f"{metric}_low", f"{metric}_high"))
    text = f"{value * scale:.{digits}f}"
    if low is None or high is None:
        return text
    return f"{text}\n{low * scale:.{digits}f}–{high * scale:.{digits}f}"
