{#- Null where the judge's sample does not hold the case, or nothing was asked: an average over all
    rows is then one over those that count. -#}
{%- set scores_of_a_list = [
    "semantic_score", "severity_score", "semantic_score_full_list", "severity_score_full_list",
    "acuity_score", "rarity_score", "dangerous_omission", "semantic_rescaled", "severity_rescaled",
    "reciprocal_rank_strict", "reciprocal_rank_broad",
] -%}

with scores as (
    select * from {{ ref('int_experiments__case_scores') }}
),

judges as (
    select * from {{ ref('dim_judge') }}
),

calibrations as (
    {{ calibrations() }}
),

-- a configuration of which nothing was asked has no score, which is not a score of nothing
final as (
    select
        scores.configuration_id,
        scores.case_id,
        scores.judge_id,
        scores.test_set,
        scores.prompt_version,
        judges.terminology_release,
        scores.status,
        scores.outcome_class,
        {%- for score in scores_of_a_list %}
            if(scores.is_scored, scores.{{ score }}, null) as {{ score }},
        {%- endfor %}
        scores.gold_severity,
        scores.gold_severity_rule,
        scores.gold_acuity,
        scores.strict_rank,
        scores.broad_rank,
        scores.n_judged_ranks,
        scores.n_scored_ranks,
        scores.n_without_relation,
        scores.n_without_severity,
        {%- for metric in share_metrics().split() if metric.startswith("top") %}
            if(scores.is_scored, scores.is_{{ metric }}, null) as is_{{ metric }},
        {%- endfor %}
        scores.is_gold_rare,
        scores.is_failure,
        scores.is_asked,
        scores.is_unlabelled,
        scores.is_scored,
        calibrations.is_calibrated,
        calibrations.is_severity_calibrated,
    from scores
    inner join judges on scores.judge_id = judges.judge_id
    left join calibrations
        on scores.judge_id = calibrations.judge_id and scores.test_set = calibrations.test_set
)

select * from final
