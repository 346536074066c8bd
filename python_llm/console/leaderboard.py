"""The leaderboard as a person reads it on a terminal, 80 columns wide."""

from collections.abc import Iterable
from itertools import groupby
from pathlib import Path
from typing import Any

from python_llm.console import terminal

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
    """Rows of rpt_leaderboard, best first; configurations never asked come last. With the kind of
    each judge and, where it was measured on whole lists alone, what each panel measured.

    Raises LookupFailed with the remedy if nothing has been served yet.
    """
    return terminal.read(
        database,
        """
        with measured as (
            select
                judge_id,
                test_set,
                list(
                    {panel: panel, scale: scale, kappa: kappa, lowest_rater: lowest_rater}
                    order by panel, scale
                ) as measured_on_lists,
            from rpt_judge_calibration
            where not is_rater
            group by all
            having bool_and(scale like 'top%')
        )
        select
            board.*,
            judges.kind as judge_kind,
            measured.measured_on_lists,
            test_sets.n_unknown_gold,
        from rpt_leaderboard as board
        inner join dim_judge as judges using (judge_id)
        inner join dim_test_set as test_sets using (test_set)
        left join measured using (judge_id, test_set)
        order by
            judge_id,
            is_asked desc,
            semantic_aggregate desc nulls last,
            top5_strict desc nulls last,
            configuration_id
        """,
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
            if row["judge_kind"] == "terminology" and row["n_unknown_gold"]:
                unknown = f"{row['n_unknown_gold']} gold diagnoses are in no terminology"
                lines.append(f"{'':7}{unknown}: rules know only their words")
        lines.append(row["configuration_id"])
        if not row["n_test_set_cases"]:
            lines.append(f"{0:>5}  the test set is empty: import cases into it")
            continue
        if not row["is_asked"]:
            lines.append(f"{row['n_test_set_cases']:>5}  {row['state']}")
            continue
        cases = f"{row['n_cases']:>5}"
        cost = "-" if row["generation_usd"] is None else f"{row['generation_usd']:.2f}"
        scores = "".join(_score(row, *spec[1:]) for spec in SCORES)
        intervals = "".join(_interval(row, *spec[1:]) for spec in SCORES)
        lines += [f"{cases}{row['n_failures']:>7}{scores}{cost:>8}", f"{'':12}{intervals}"]
        if row["n_cases"] < row["n_test_set_cases"]:
            lines.append(f"{'':7}a sample: {row['n_cases']} of {row['n_test_set_cases']} cases")
        if row["n_failures"]:
            reasons = ", ".join(f"{row[name]} {kind}" for name, kind in FAILURES if row[name])
            lines.append(f"{'':7}failed: {reasons}")
        if row["n_unlabelled"]:
            lines.append(f"{'':7}no label: {row['n_unlabelled']} lists, which count as misses")
    return "\n".join([*lines, "", *LEGEND])


def _test_set(row: dict[str, Any]) -> str:
    return row["configuration_id"].rpartition("/")[2]


def _calibration(rows: list[dict[str, Any]]) -> list[str]:
    """Lines that say in which test sets people's labels bear out the judge of these rows, or what
    they measured of it, and of which configurations its labels say nothing."""
    if rows[0]["judge_kind"] == "person":
        return ["  a person"]
    verdicts = {
        verdict: sorted(
            {
                _test_set(row)
                for row in rows
                if row["is_calibrated"] is verdict and not row["measured_on_lists"]
            }
        )
        for verdict in (True, False)
    }
    words = {True: "calibrated against people", False: "not calibrated against people"}
    lines = [f"  {words[verdict]}: {', '.join(sets)}" for verdict, sets in verdicts.items() if sets]
    of_sets = {row["test_set"]: row["measured_on_lists"] or [] for row in rows}
    lines += [
        _measured(panel, test_set, list(of_panel))
        for test_set, measured in sorted(of_sets.items())
        for panel, of_panel in groupby(measured, key=lambda scale: scale["panel"])
    ]
    constant = sorted(row["configuration_id"] for row in rows if row["is_judge_constant"])
    return [
        *(lines or ["  not measured against people"]),
        *(
            f"  one label for every rank, or none: the scores of {configuration} say nothing"
            for configuration in constant
        ),
    ]


def _measured(panel: str, test_set: str, scales: list[dict[str, Any]]) -> str:
    """Kappa with a panel on each question about whole lists, and that of its lowest rater."""
    kappas = ", ".join(
        f"{scale['scale'].replace('top', 'top-')} {_decimals(scale['kappa'])}" for scale in scales
    )
    lowest = [scale["lowest_rater"] for scale in scales]
    raters = f"lowest rater {', '.join(map(_decimals, lowest))}" if any(lowest) else "one rater"
    return f"  kappa with {panel} ({test_set}): {kappas}; {raters}"


def _decimals(value: float | None) -> str:
    return "-" if value is None else f"{value:.2f}"


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
