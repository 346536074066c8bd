"""The tables of a paper: a query on the served tables for each, and its form in Markdown."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any

import duckdb

from python_llm.report.paper.choice import Row, rows_of
from python_llm.statistics.detectable import detectable_share_difference

NO_NAME = "in no terminology"  # served for names of patients' diagnoses (job.serving.deidentified)
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

TESTED = ("top1_strict", "top5_strict", "top5_broad", *MEANS, *AGGREGATES)


def _with_ends(metrics: Sequence[str]) -> str:
    return ", ".join(f"scores.{metric}{end}" for metric in metrics for end in ENDS)


RESULTS = f"""
select scores.configuration_id, scores.test_set, scores.model_alias, scores.prompt_alias,
    scores.judge_id, {", ".join(f"scores.{name}" for name in COUNTS)},
    {_with_ends([*SHARES, *RECIPROCAL, *MEANS, "failure_rate", "dangerous_omission"])},
    scores.generation_usd, scores.median_latency_ms,
    scores.bootstrap_replicates, scores.bootstrap_seed, scores.is_calibrated
from fct_configuration_score as scores
semi join chosen using (configuration_id)
where setting = 'medium' and judge_id = $1
order by scores.test_set, coalesce(mean_semantic_score, top5_strict) desc nulls last,
    scores.configuration_id
"""
SETTINGS = f"""
select scores.configuration_id, scores.test_set, scores.model_alias, scores.prompt_alias,
    scores.judge_id, scores.setting, scores.n_cases, scores.n_without_gold_severity,
    scores.steepness, scores.midpoint, {_with_ends(AGGREGATES)}
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
COMPARISONS = f"""
select comparisons.*
from fct_configuration_comparison as comparisons
where judge_id = $1
    and configuration_a in (select configuration_id from chosen)
    and configuration_b in (select configuration_id from chosen)
    and metric in {TESTED}
order by test_set, metric, p_value, configuration_a, configuration_b
"""
# Every p value of the families that the correction counts, enough to repeat it.
FAMILY = f"""
select test_set, metric, configuration_a, configuration_b, p_value, p_value_adjusted, p_value_fdr,
    n_comparisons
from fct_configuration_comparison
where judge_id = $1 and test_set in (select test_set from chosen)
    and metric in {TESTED} and p_value is not null
order by test_set, metric, p_value, p_value_adjusted, configuration_a, configuration_b
"""
# Of a recorded run nothing is known but its names, even if the registries have the same names. A
# model that was asked and also recorded is two rows.
MODELS = """
select configurations.model_alias, runs.configuration_id is not null as is_recorded,
    if(is_recorded, 'recorded', any_value(configurations.provider)) as provider,
    if(is_recorded, null, any_value(configurations.api_model)) as api_model,
    if(is_recorded, null, any_value(models.parameters)) as parameters,
    if(is_recorded, null, bool_or(models.is_retired)) as is_retired,
    if(is_recorded, null, any_value(models.source)) as source,
    count(distinct configurations.configuration_id) as n_configurations
from dim_configuration as configurations
semi join chosen using (configuration_id)
left join dim_llm_model as models using (model_alias)
left join rpt_recorded_run as runs using (configuration_id)
group by configurations.model_alias, is_recorded
order by configurations.model_alias, is_recorded
"""
# the version that was asked is that of the scores; the registry may have moved on since
PROMPTS = """
select scores.prompt_alias, runs.configuration_id is not null as is_recorded,
    if(is_recorded, 'recorded', scores.prompt_version) as prompt_version,
    if(is_recorded, null, any_value(prompts.language)) as language,
    if(is_recorded, null, any_value(prompts.output_format)) as output_format,
    if(is_recorded, null, any_value(prompts.description)) as description,
    count(distinct scores.configuration_id) as n_configurations
from fct_configuration_score as scores
semi join chosen using (configuration_id)
left join dim_prompt as prompts using (prompt_alias)
left join rpt_recorded_run as runs using (configuration_id)
where scores.judge_id = $1
group by scores.prompt_alias, scores.prompt_version, is_recorded
order by scores.prompt_alias, is_recorded, scores.prompt_version
"""
# a paper has one judge: the mart's observed share is the median over the pairs of every judge
TEST_SETS = f"""
with observed as (
    select test_set, count(*) as n_observed_pairs,
        round(median((n_a_better + n_b_better) / n_cases), 12) as observed_discordant_share
    from fct_configuration_comparison
    where metric = 'top1_strict' and judge_id = $1
    group by test_set
),
golds as (
    select members.test_set,
        count(
            distinct coalesce(
                gold_concept_id, icd10_code, nullif(lower(gold_name), '{NO_NAME.lower()}'), case_id
            )
        ) as n_golds
    from bridge_test_set_case as members inner join dim_case using (case_id)
    group by members.test_set
)
select test_set, kind, description, version, content_hash, n_cases, n_golds, n_holdout,
    n_without_severity, n_without_icd10, n_unknown_gold, n_exact_duplicates, n_near_duplicates,
    n_leaking,
    detectable_share_difference, test_power, assumed_discordant_share, observed_discordant_share,
    n_observed_pairs, contains_phi
from dim_test_set
left join (
    select test_set, n_cases, detectable_share_difference, test_power, assumed_discordant_share
    from rpt_detectable_difference
) as detectable using (test_set, n_cases)
left join observed using (test_set)
left join golds using (test_set)
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
        "models": MODELS,
        "prompts": PROMPTS,
        "test_sets": TEST_SETS,
        "composition": COMPOSITION,
        "results": RESULTS,
        "aggregates": SETTINGS,
        "strata": STRATA,
        "comparisons": COMPARISONS,
    }
    rows = {
        name: rows_of(connection, query, [judge] if "$1" in query else [])
        for name, query in queries.items()
    }
    rows["test_sets"] = [_with_observed(row) for row in rows["test_sets"]]
    captions = {
        **_origins(rows["models"], rows["prompts"]),
        "test_sets": "Test sets and the known problems of their cases",
        "composition": "Composition of the test sets",
        "results": f"Results by the judge {judge}, with 95 % intervals",
        "aggregates": f"Aggregates at the three settings of the sigmoid, by the judge {judge}",
        "strata": f"Results by chapter, organ system, severity and rarity, by the judge {judge}",
        "comparisons": f"Paired comparisons on the common cases, by the judge {judge}",
    }
    return {name: Table(name, captions[name], rows[name]) for name in queries}


def _with_observed(row: Row) -> Row:
    """A test set with the difference that is detected if two configurations disagree on as many
    of its cases as those asked do; None where they are too few, and where none were compared."""
    share = row["observed_discordant_share"]
    difference = (
        share
        and row["test_power"]
        and detectable_share_difference(row["n_cases"], discordant=share, power=row["test_power"])
    )
    return {**row, "observed_share_difference": difference or None}


def _origins(models: list[Row], prompts: list[Row]) -> dict[str, str]:
    """Captions of the models and prompts, which say what is known of them."""
    kinds = {row["is_recorded"] for row in models}
    if kinds == {True}:
        return {
            "models": "Models as the recorded answers name them",
            "prompts": "Prompts as the recorded answers name them",
        }
    also = "; of recorded answers the name alone" if True in kinds else ""
    hashed = {row["is_recorded"] for row in prompts}
    return {
        "models": f"Models and what was asked of their providers{also}",
        "prompts": "Prompts, with the hash of their text"
        + ("; of recorded answers the name alone" if True in hashed else ""),
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
