"""The tables of a paper: a query on the served tables for each, and its form in Markdown."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any

import duckdb

from python_llm.report.paper.choice import Row, rows_of

SHARES = tuple(
    f"{metric}_{kind}"
    for kind in ("strict", "broad")
    for metric in ("top1", "top3", "top5", "top10")
)
RECIPROCAL = ("mrr_strict", "mrr_broad")
MEANS = ("mean_semantic_score", "mean_severity_score")
AGGREGATES = ("semantic_aggregate", "severity_aggregate")
ENDS = ("", "_low", "_high")
COUNTS = (
    *("n_cases", "n_test_set_cases", "n_not_requested", "n_failures", "n_unlabelled"),
    *("n_without_gold_severity", "n_with_severity", "n_with_acuity", "n_with_danger"),
)


def _with_ends(metrics: Sequence[str]) -> str:
    return ", ".join(f"scores.{metric}{end}" for metric in metrics for end in ENDS)


RESULTS = f"""
select scores.configuration_id, scores.test_set, scores.model_alias, scores.prompt_alias,
    scores.judge_id, {", ".join(f"scores.{name}" for name in COUNTS)},
    {_with_ends([*SHARES, *RECIPROCAL, *MEANS, "failure_rate", "dangerous_omission"])},
    scores.generation_usd, scores.median_latency_ms, scores.is_calibrated
from fct_configuration_score as scores
semi join chosen using (configuration_id)
where setting = 'medium' and judge_id = $1
order by scores.test_set, coalesce(mean_semantic_score, top5_strict) desc nulls last,
    scores.configuration_id
"""
SETTINGS = f"""
select scores.configuration_id, scores.test_set, scores.model_alias, scores.prompt_alias,
    scores.judge_id, scores.setting, scores.n_cases, scores.n_without_gold_severity,
    {_with_ends(AGGREGATES)}
from fct_configuration_score as scores
semi join chosen using (configuration_id)
where judge_id = $1
order by scores.test_set, scores.setting, semantic_aggregate desc nulls last,
    scores.configuration_id
"""
STRATA = f"""
select scores.configuration_id, scores.test_set, scores.judge_id, scores.stratum_kind,
    scores.stratum, scores.n_cases, scores.n_failures, scores.n_graded_severity,
    scores.n_with_severity, {_with_ends([*SHARES, *AGGREGATES])},
    scores.is_small
from fct_stratified_score as scores
semi join chosen using (configuration_id)
where setting = 'medium' and judge_id = $1
    and stratum_kind in ('icd10_chapter', 'organ_system', 'gold_severity', 'rarity')
order by scores.test_set, stratum_kind, stratum, scores.configuration_id
"""
COMPARISONS = """
select comparisons.*
from fct_configuration_comparison as comparisons
where judge_id = $1
    and configuration_a in (select configuration_id from chosen)
    and configuration_b in (select configuration_id from chosen)
    and metric in (
        'top1_strict', 'top5_strict', 'top5_broad', 'mean_semantic_score', 'mean_severity_score',
        'semantic_aggregate', 'severity_aggregate'
    )
order by test_set, metric, p_value, configuration_a, configuration_b
"""
MODELS = """
select configurations.model_alias, any_value(configurations.provider) as provider,
    any_value(configurations.api_model) as api_model, any_value(models.parameters) as parameters,
    bool_or(models.is_retired) as is_retired, any_value(models.source) as source,
    count(distinct configurations.configuration_id) as n_configurations,
    count(distinct runs.configuration_id) as n_recorded
from dim_configuration as configurations
semi join chosen using (configuration_id)
left join dim_llm_model as models using (model_alias)
left join rpt_recorded_run as runs using (configuration_id)
group by configurations.model_alias
order by configurations.model_alias
"""
# the version that was asked is that of the scores; the registry may have moved on since
PROMPTS = """
select scores.prompt_alias, scores.prompt_version, any_value(prompts.language) as language,
    any_value(prompts.output_format) as output_format,
    any_value(prompts.description) as description,
    count(distinct scores.configuration_id) as n_configurations
from fct_configuration_score as scores
semi join chosen using (configuration_id)
left join dim_prompt as prompts using (prompt_alias)
where scores.judge_id = $1
group by all
order by all
"""
TEST_SETS = """
select test_set, kind, description, version, content_hash, n_cases, n_holdout, n_without_severity,
    n_without_icd10, n_unknown_gold, n_exact_duplicates, n_near_duplicates, n_leaking,
    detectable_share_difference, contains_phi
from dim_test_set
left join rpt_detectable_difference using (test_set, n_cases)
semi join chosen using (test_set)
order by test_set
"""
COMPOSITION = """
select composition.*
from rpt_test_set_composition as composition
semi join chosen using (test_set)
order by test_set, dimension, n_cases desc, value
"""
# the source's form: the chapters, and under each the most frequent blocks and categories
LARGEST = """
with placed as (
    select composition.*, coalesce(codes.chapter_code, composition.value) as chapter,
        row_number() over (
            partition by composition.test_set, composition.dimension,
                coalesce(codes.chapter_code, composition.value)
            order by composition.n_cases desc, composition.value
        ) as place
    from rpt_test_set_composition as composition
    semi join chosen using (test_set)
    left join dim_icd10_code as codes
        on composition.value = codes.code and composition.dimension = codes.kind
    where dimension in ('chapter', 'block', 'category')
),
chapters as (
    select test_set, chapter, n_cases as n_in_chapter
    from placed where dimension = 'chapter'
    qualify row_number() over (partition by test_set order by n_cases desc, chapter) <= 6
)
select test_set, dimension, value, title, n_cases, percent
from placed inner join chapters using (test_set, chapter)
where dimension = 'chapter' or (place <= 2 and value != 'no code')
order by test_set, n_in_chapter desc, chapter,
    case dimension when 'chapter' then 1 when 'block' then 2 else 3 end, n_cases desc, value
"""
TERMINOLOGIES = """
select terminology, release, string_agg(distinct source_file, ', ' order by source_file) as files,
    any_value(licence) as licence
from rpt_terminology_release group by all order by all
"""


@dataclass(frozen=True)
class Table:
    """A table of the paper: the name of its CSV file, its caption, its rows."""

    name: str
    caption: str
    rows: list[Row]


def read_tables(connection: duckdb.DuckDBPyConnection, judge: str) -> dict[str, Table]:
    """The tables by name. `chosen` is filled (choice.choose)."""
    queries = {
        "models": (MODELS, "Models and what was asked of their providers"),
        "prompts": (PROMPTS, "Prompts, with the hash of their text"),
        "test_sets": (TEST_SETS, "Test sets, with their flaws"),
        "composition": (COMPOSITION, "Composition of the test sets"),
        "results": (RESULTS, f"Results by the judge {judge}, with 95 % intervals"),
        "aggregates": (SETTINGS, "Aggregates at the three settings of the sigmoid"),
        "strata": (STRATA, "Results by chapter, organ system, severity and rarity"),
        "comparisons": (COMPARISONS, "Paired comparisons on the common cases"),
    }
    return {
        name: Table(
            name,
            caption,
            rows_of(connection, query, [judge] if "$1" in query else []),
        )
        for name, (query, caption) in queries.items()
    }


def markdown(heads: Sequence[str], lines: Sequence[Sequence[Any]]) -> str:
    """A table in Markdown. Text goes to the left, anything else to the right."""
    if not lines:
        return "None.\n"
    numeric = [
        all(line[column] is None or not isinstance(line[column], str) for line in lines)
        for column in range(len(heads))
    ]
    rows = [
        [_cell(head) for head in heads],
        ["--:" if is_number else "---" for is_number in numeric],
        *([_cell(value) for value in line] for line in lines),
    ]
    return "".join(f"| {' | '.join(row)} |\n" for row in rows)


def _cell(value: Any) -> str:
    if value is None:
        return "–"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value:.2f}".replace("-", "−")
    if isinstance(value, int):
        return f"{value:,}"
    if isinstance(value, datetime | date):
        return value.isoformat()
    return " ".join(str(value).replace("|", "\\|").split())


def estimate(row: Row, metric: str, factor: float = 1, decimals: int = 2) -> str:
    """A value with its 95 % interval, such as '52.0 (45.1 to 58.8)'; a dash where there is none."""
    value, low, high = (row[f"{metric}{end}"] for end in ENDS)
    if value is None:
        return "–"
    text = f"{factor * value:.{decimals}f}"
    if None not in (low, high):
        text += f" ({factor * low:.{decimals}f} to {factor * high:.{decimals}f})"
    return text.replace("-", "−")
