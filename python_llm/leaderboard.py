"""The leaderboard as a person reads it on a terminal, 80 columns wide."""

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from python_llm import terminal

# heading, metric of rpt_leaderboard, factor, decimals, width
SCORES = (
    ("top-1 %", "top1_strict", 100, 1, 9),
    ("top-3 %", "top3_strict", 100, 1, 9),
    ("top-5 %", "top5_strict", 100, 1, 9),
    ("MRR", "mrr", 1, 2, 12),
    ("semantic", "semantic_aggregate", 1, 2, 14),
    ("severity", "severity_aggregate", 1, 2, 13),
)
# column of rpt_leaderboard, what it means
FAILURES = (
    ("n_model_failures", "refused, cut off or unreadable"),
    ("n_delivery_failures", "not delivered"),
    ("n_not_asked", "kept from being asked by budget or policy"),
)
LEGEND = (
    "Below each score its 95 % interval. top-k: the gold diagnosis or a synonym of it",
    "within the first k; failed cases count as wrong. semantic, severity: -1 to 1 at",
    "the medium setting.",
    "This measures diagnostic systems on test cases. It is no medical advice.",
)


def read_leaderboard(database: Path) -> list[dict[str, Any]]:
    """Rows of rpt_leaderboard, best first; configurations never asked come last.

    Raises LookupFailed with the remedy if nothing has been served yet.
    """
    return terminal.read(
        database,
        "from rpt_leaderboard order by judge_id, is_asked desc, "
        "semantic_aggregate desc nulls last, top5_strict desc nulls last, configuration_id",
    )


def format_leaderboard(rows: Iterable[dict[str, Any]]) -> str:
    """One block per judge and in it one per test set, those that were asked first; three lines per
    configuration: name, scores, intervals."""
    rows = list(rows)
    asked = {(row["judge_id"], _test_set(row)) for row in rows if row["is_asked"]}
    rows.sort(
        key=lambda row: (
            row["judge_id"],
            (row["judge_id"], _test_set(row)) not in asked,
            _test_set(row),
        )
    )
    lines: list[str] = []
    judge = test_set = None
    for row in rows:
        if row["judge_id"] != judge:
            judge, test_set = row["judge_id"], None
            own = [one for one in rows if one["judge_id"] == judge]
            headings = "".join(f"{heading:>{width}}" for heading, *_, width in SCORES)
            lines += ["", f"Judge: {judge}", *_calibration(own)]
            lines.append(f"{'cases':>5}{'failed':>7}{headings}{'cost $':>8}")
        if _test_set(row) != test_set:
            test_set = _test_set(row)
            lines += ["", f"Test set: {test_set}"]
        lines.append(row["configuration_id"])
        if not row["n_test_set_cases"]:
            lines.append(f"{0:>5}  the test set is empty: import cases into it")
            continue
        if not row["is_asked"]:
            lines.append(f"{row['n_test_set_cases']:>5}  {row['state']}")
            continue
        cases = f"{row['n_cases']:>5}"
        cost = "-" if row["generation_usd"] is None else f"{row['generation_usd']:.2f}"
        scores = "".join(_score(row, *spec) for _, *spec in SCORES)
        intervals = "".join(_interval(row, *spec) for _, *spec in SCORES)
        lines += [f"{cases}{row['n_failures']:>7}{scores}{cost:>8}", f"{'':12}{intervals}"]
        if row["n_cases"] < row["n_test_set_cases"]:
            lines.append(f"{'':7}a sample: {row['n_cases']} of {row['n_test_set_cases']} cases")
        if row["n_failures"]:
            reasons = ", ".join(f"{row[name]} {kind}" for name, kind in FAILURES if row[name])
            lines.append(f"{'':7}failed: {reasons}")
    return "\n".join([*lines, "", *LEGEND])


def _test_set(row: dict[str, Any]) -> str:
    return row["configuration_id"].rpartition("/")[2]


def _calibration(rows: list[dict[str, Any]]) -> list[str]:
    """Lines that say in which test sets people's labels bear out the judge of these rows, and of
    which configurations its labels say nothing."""
    verdicts = {
        verdict: sorted({_test_set(row) for row in rows if row["is_calibrated"] is verdict})
        for verdict in (True, False)
    }
    said = {True: "calibrated against people", False: "not calibrated against people"}
    lines = [f"  {said[verdict]}: {', '.join(sets)}" for verdict, sets in verdicts.items() if sets]
    constant = sorted(row["configuration_id"] for row in rows if row["is_judge_constant"])
    return [
        *(lines or ["  not measured against people"]),
        *(
            f"  one label for every rank, or none: the scores of {one} say nothing"
            for one in constant
        ),
    ]


def _score(row: dict[str, Any], metric: str, factor: int, decimals: int, width: int) -> str:
    value = row[metric]
    return f"{'-' if value is None else f'{value * factor:.{decimals}f}':>{width}}"


def _interval(row: dict[str, Any], metric: str, factor: int, decimals: int, width: int) -> str:
    ends = [row[f"{metric}_low"], row[f"{metric}_high"]]
    if None in ends:
        return " " * width
    # whole per cents: an interval is not known to a tenth
    shown = [f"{end * factor:.{0 if factor == 100 else decimals}f}" for end in ends]
    return f"{'..'.join(shown):>{width}}"
