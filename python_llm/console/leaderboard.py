"""The leaderboard as a person reads it on a terminal, 80 columns wide."""

from collections.abc import Iterable
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from typing import Any

from python_llm.console import terminal

# heading, metric of rpt_leaderboard, factor, decimals, width
Spec = tuple[str, str, int, int, int]
SCORES: tuple[Spec, ...] = (
    ("top-1 %", "top1_strict", 100, 1, 8),
    ("top-3 %", "top3_strict", 100, 1, 8),
    ("top-5 %", "top5_strict", 100, 1, 8),
    ("top-10 %", "top10_strict", 100, 1, 9),
    ("MRR", "mrr_strict", 1, 2, 11),
    ("semantic", "semantic_aggregate", 1, 2, 13),
    ("severity", "severity_aggregate", 1, 2, 13),
)
# column of rpt_leaderboard, what it means
FAILURES = (
    ("n_model_failures", "refused, cut off or unreadable"),
    ("n_delivery_failures", "not delivered"),
    ("n_not_asked", "not asked because of budget or policy"),
)
LEGEND = (
    "Below each score is its 95 % interval. top-k: the gold diagnosis or a synonym is",
    "among the first k, in the line 'broad' also a broader or narrower name of it;",
    "failed cases count as wrong. MRR: mean of 1 / rank, of the first ten. semantic,",
    "severity: -1 to 1 at the medium setting, of the first five; the right diagnosis",
    "and four unrelated ones have semantic < 0. Different cases: kernel29 compare.",
    "One case from request to score: kernel29 case ID (case_id of dim_case).",
    "This measures diagnostic systems on test cases. It is not medical advice.",
)
IN_PART = "labelled in part"  # a person scores a configuration who has labelled every list
# With what the board itself does not say of its judges.
BOARD = """
with measured as (
    select
        judge_id,
        test_set,
        list(
            {panel: panel, scale: scale, kappa: kappa, lowest_rater: lowest_rater}
            order by panel, scale
        ) filter (where scale like 'top%broad') as measured_on_lists,
    from rpt_judge_calibration
    where not is_rater
    group by all
    having bool_and(scale not in ('semantic', 'severity'))
),

asked as (
    select distinct configuration_id, test_set from rpt_leaderboard where is_asked
),

own_family as (
    select
        judges.judge_id,
        asked.test_set,
        models.family as judge_family,
        count(*) as n_own_family,
    from dim_judge as judges
    inner join dim_llm_model as models using (model_alias)
    inner join dim_configuration as configurations on models.family = configurations.family
    inner join asked using (configuration_id)
    anti join rpt_leaderboard as judged
        on judges.judge_id = judged.judge_id
        and configurations.configuration_id = judged.configuration_id
    where judges.kind = 'llm'
    group by all
)

select
    board.*,
    judges.kind as judge_kind,
    own_family.judge_family,
    coalesce(own_family.n_own_family, 0) as n_own_family,
    measured.measured_on_lists,
    test_sets.n_unknown_gold,
    test_sets.n_without_icd10,
from rpt_leaderboard as board
inner join dim_judge as judges using (judge_id)
inner join dim_test_set as test_sets using (test_set)
left join measured using (judge_id, test_set)
left join own_family using (judge_id, test_set)
order by
    judge_id,
    is_asked desc,
    semantic_aggregate desc nulls last,
    top5_strict desc nulls last,
    configuration_id
"""


def read_leaderboard(database: Path) -> list[dict[str, Any]]:
    """Rows of rpt_leaderboard, best first; configurations never asked come last. With the kind of
    each judge, how many configurations of the test set it did not judge because they are of its own
    model family, and, where it was measured on whole lists alone, what each panel measured.

    Raises LookupFailed with the remedy if nothing has been served yet.
    """
    return terminal.read(database, BOARD)


def format_leaderboard(rows: Iterable[dict[str, Any]]) -> str:
    """One block per judge and in it one per test set, those that were asked first; four lines per
    configuration: name, scores, intervals, and what broader names add, with the cost."""
    rows = list(rows)
    asked = {(row["judge_id"], _test_set(row)) for row in rows if row["is_asked"]}
    rows.sort(
        key=lambda row: (
            row["judge_id"],
            (row["judge_id"], _test_set(row)) not in asked,
            _test_set(row),
        )
    )
    headings = "".join(f"{heading:>{width}}" for heading, *_, width in SCORES)
    lines: list[str] = []
    for judge, judged in groupby(rows, key=itemgetter("judge_id")):
        judge_rows = list(judged)
        lines += ["", f"Judge: {judge}", *_calibration(judge_rows)]
        lines.append(f"{'cases':>5}{'fail':>5}{headings}")
        for test_set, members in groupby(judge_rows, key=_test_set):
            lines += ["", f"Test set: {test_set}", *_set_lines(list(members))]
    return "\n".join([*lines, "", *LEGEND])


def _set_lines(rows: list[dict[str, Any]]) -> list[str]:
    """The configurations of a test set by one judge, with what a reader should know of the set."""
    first = rows[0]
    lines = []
    if first["judge_kind"] == "terminology" and first["n_unknown_gold"]:
        n_unknown = first["n_unknown_gold"]
        unknown = "1 gold diagnosis is" if n_unknown == 1 else f"{n_unknown} gold diagnoses are"
        lines.append(f"{'':7}{unknown} in no terminology: the rules compare its words only")
    if n_without := first["n_without_icd10"]:
        some = "1 gold diagnosis has" if n_without == 1 else f"{n_without} gold diagnoses have"
        lines.append(f"{'':7}{some} no ICD-10-CM code")
    for row in rows:
        lines += [row["configuration_id"], *score_lines(row)]
    if n_left_out := first["n_own_family"]:
        configurations = f"{n_left_out} configuration{'s' if n_left_out != 1 else ''}"
        family = f"the judge's own model family, {first['judge_family']}"
        lines.append(f"Not judged: {configurations} of {family}")
    return lines


def _cost(usd: float | None) -> str:
    """Dollars and cents; what is less than half a cent is not free."""
    if usd is None:
        return "-"
    return "< 0.01" if 0 < usd < 0.005 else f"{usd:.2f}"


def score_lines(row: dict[str, Any]) -> list[str]:
    """What stands under the name of a configuration."""
    if not row["n_test_set_cases"]:
        return [f"{0:>5}  the test set is empty: import cases into it"]
    if row["state"] == IN_PART:
        lists = "1 list has" if row["n_unlabelled"] == 1 else f"{row['n_unlabelled']} lists have"
        return [f"{'':7}no score: {lists} no label by this judge"]
    if not row["is_asked"]:
        return [f"{row['n_test_set_cases']:>5}  {row['state']}"]
    cost = _cost(row["generation_usd"])
    scores, intervals, broad = (
        "".join(written(row, *spec[1:]) for spec in SCORES)
        for written in (_score, _interval, _broad)
    )
    broad = broad.rstrip()
    lines = [
        f"{row['n_cases']:>5}{row['n_failures']:>5}{scores}",
        f"{'':10}{intervals}",
        f"{'broad':>10}{broad}{f' cost $ {cost}':>{len(scores) - len(broad)}}",
    ]
    if row["n_cases"] < row["n_test_set_cases"]:
        lines.append(f"{'':7}a sample: {row['n_cases']} of {row['n_test_set_cases']} cases")
    if row["n_failures"]:
        kinds = dict(FAILURES)
        if f"/{terminal.NO_PROMPT}/" in row["configuration_id"]:
            kinds["n_model_failures"] = "without anything to rank by"
        reasons = ", ".join(f"{row[name]} {kind}" for name, kind in kinds.items() if row[name])
        lines.append(f"{'':7}failed: {reasons}")
    if row["n_without_gold_severity"] and row["severity_aggregate"] is not None:
        n_graded = row["n_cases"] - row["n_without_gold_severity"]
        lines.append(
            f"{'':7}severity: of {_cases(n_graded)} with a severity, given or by the judge"
        )
    if row["n_unlabelled"]:
        lines.append(f"{'':7}no label: {row['n_unlabelled']} lists, which count as misses")
    return lines


def _cases(n: int) -> str:
    return f"{n} case{'s' if n != 1 else ''}"


def _test_set(row: dict[str, Any]) -> str:
    return row["configuration_id"].rpartition("/")[2]


def _calibration(rows: list[dict[str, Any]]) -> list[str]:
    """In which test sets people's labels bear out the judge of these rows, or how well it agrees
    with them on whole lists, and for which configurations its labels say nothing."""
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
    measured_by_set = {row["test_set"]: row["measured_on_lists"] or [] for row in rows}
    lines += [
        _measured(panel, test_set, list(scales))
        for test_set, measured in sorted(measured_by_set.items())
        for panel, scales in groupby(measured, key=itemgetter("panel"))
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
    """Kappa with a panel on whether a list holds the gold diagnosis, broader and narrower names
    included, and that of its lowest rater."""
    depths = [scale["scale"].removeprefix("top").removesuffix("_broad") for scale in scales]
    kappas = ", ".join(
        f"top-{depth} {_decimals(scale['kappa'])}"
        for depth, scale in zip(depths, scales, strict=True)
    )
    lowest = [scale["lowest_rater"] for scale in scales]
    raters = f"lowest rater {', '.join(map(_decimals, lowest))}" if any(lowest) else "one rater"
    return f"  kappa with {panel} ({test_set}), broad: {kappas}; {raters}"


def _decimals(value: float | None) -> str:
    return "-" if value is None else f"{value:z.2f}"


def _score(row: dict[str, Any], metric: str, factor: int, decimals: int, width: int) -> str:
    value = row.get(metric)  # a strict share of the user's own may have no broad one
    return f"{'-' if value is None else f'{value * factor:z.{decimals}f}':>{width}}"


def _broad(row: dict[str, Any], metric: str, factor: int, decimals: int, width: int) -> str:
    """The same metric with broader names, in the column of the strict one; blank if it has none."""
    if not metric.endswith("_strict"):
        return " " * width
    return _score(row, metric.replace("_strict", "_broad"), factor, decimals, width)


def _interval(row: dict[str, Any], metric: str, factor: int, decimals: int, width: int) -> str:
    ends = [row[f"{metric}_low"], row[f"{metric}_high"]]
    if None in ends:
        return " " * width
    # whole percentages: no interval is known to a tenth
    bounds = [f"{end * factor:z.{0 if factor == 100 else decimals}f}" for end in ends]
    return f"{'..'.join(bounds):>{width}}"
