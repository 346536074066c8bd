"""What the intervals and tests leave out: cases of one diagnosis are not independent."""

from itertools import groupby

from python_llm.report.paper.choice import rows_of
from python_llm.report.paper.page import Paper
from python_llm.report.paper.tables import NO_NAME, Table, markdown
from python_llm.report.paper.words import listing, number
from python_llm.statistics.clusters import dependence

FOUND = """
select scores.configuration_id, scores.test_set, scores.is_top1_strict::integer as found,
    coalesce(
        gold_concept_id, icd10_code, nullif(lower(gold_name), lower($2)), scores.case_id
    ) as gold
from fct_case_score as scores
semi join chosen using (configuration_id)
inner join dim_case using (case_id)
where judge_id = $1 and is_scored and is_top1_strict is not null
order by scores.test_set, scores.configuration_id, scores.case_id
"""


def sentence(paper: Paper) -> str:
    """That intervals and tests take the cases for independent, and how far each set is from it."""
    sets = [
        f"{row['test_set']} has {number(row['n_cases'], 'case')} of "
        f"{_diagnoses(row['n_golds'] or 0)} (exact duplicates: {row['n_exact_duplicates'] or 0:,}, "
        f"near ones: {row['n_near_duplicates'] or 0:,})"
        for row in paper.tables["test_sets"].rows
    ]
    return (
        "All intervals and tests take the cases for independent. Duplicates and cases of one gold "
        "diagnosis are not, and where they are right or wrong together the intervals are too "
        f"narrow and the p values too small: {listing(sets)}."
    )


def _diagnoses(n: int) -> str:
    return f"{n:,} distinct gold diagnos{'is' if n == 1 else 'es'}"


def add_design_effects(paper: Paper) -> None:
    """The design effect by gold diagnosis for top-1 of each configuration."""
    hits = rows_of(paper.connection, FOUND, [paper.judge, NO_NAME])
    rows = []
    for (test_set, name), members in groupby(
        hits, lambda row: (row["test_set"], row["configuration_id"])
    ):
        cases = list(members)
        result = dependence([row["found"] for row in cases], [row["gold"] for row in cases])
        rows.append(
            {
                "test_set": test_set,
                "configuration_id": name,
                "n_cases": result.n_units,
                "n_golds": result.n_clusters,
                "correlation": _rounded(result.correlation),
                "design_effect": _rounded(result.design_effect),
                "effective_cases": _rounded(result.effective),
            }
        )
    if not rows:
        return
    heads = ["configuration", "cases", "gold diagnoses", "correlation", "design effect"]
    columns = ["configuration_id", "n_cases", "n_golds", "correlation", "design_effect"]
    lines = [[*(row[name] for name in columns), row["effective_cases"]] for row in rows]
    note = (
        "Correlation of the cases of one gold diagnosis (ANOVA estimate; Ridout and others 1999). "
        "Design effect 1 + (m − 1) × correlation, at least 1, with m = Σ size² / cases (Kish 1965; "
        "Kerry and Bland 2001): the variance of top-1 is so many times that of independent cases, "
        "and the interval wider by its root. No other table is corrected by it. With few "
        "diagnoses the estimate is rough. A dash: all diagnoses differ, or all cases have one "
        "result."
    )
    caption = f"Dependence of the cases by gold diagnosis, for top-1 by the judge {paper.judge}"
    table = markdown([*heads, "effective cases"], lines)
    paper.table(Table("design_effects", caption, rows), f"{table}\n{note}")


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, 9)
