with scores as (
    select
        configuration_id,
        case_id,
        judge_id,
        strict_rank,
        broad_rank,
        semantic_score,
        severity_score,
        semantic_score_full_list,
        severity_score_full_list,
        semantic_rescaled,
        severity_rescaled,
        reciprocal_rank,
        is_failure,
    from {{ ref('int_experiments__case_scores') }}
    -- a configuration nobody was asked about has no score, which is not a score of nothing
    qualify bool_or(is_asked) over (partition by configuration_id, judge_id)
),

settings as (
    select
        setting,
        steepness,
        midpoint,
    from {{ ref('stg_registry__difficulty_setting') }}
),

per_case as (
    select
        configuration_id,
        case_id,
        judge_id,
        unnest([
            { metric: 'failure_rate', value: is_failure::double },
            { metric: 'top1_strict', value: coalesce(strict_rank <= 1, false)::double },
            { metric: 'top3_strict', value: coalesce(strict_rank <= 3, false)::double },
            { metric: 'top5_strict', value: coalesce(strict_rank <= 5, false)::double },
            { metric: 'top1_broad', value: coalesce(broad_rank <= 1, false)::double },
            { metric: 'top3_broad', value: coalesce(broad_rank <= 3, false)::double },
            { metric: 'top5_broad', value: coalesce(broad_rank <= 5, false)::double },
            { metric: 'mrr', value: reciprocal_rank },
            { metric: 'mean_semantic_score', value: semantic_score },
            { metric: 'mean_severity_score', value: severity_score },
            { metric: 'mean_semantic_score_full_list', value: semantic_score_full_list },
            { metric: 'mean_severity_score_full_list', value: severity_score_full_list }
        ]) as item,
    from scores
),

per_setting as (
    select
        scores.configuration_id,
        scores.case_id,
        scores.judge_id,
        settings.setting,
        unnest([
            {
                metric: 'semantic_aggregate',
                value: scores.semantic_rescaled,
                weight: {{ case_weight(
                    "scores.semantic_rescaled", "settings.steepness", "settings.midpoint"
                ) }}
            },
            {
                metric: 'severity_aggregate',
                value: scores.severity_rescaled,
                weight: {{ case_weight(
                    "scores.severity_rescaled", "settings.steepness", "settings.midpoint"
                ) }}
            }
        ]) as item,
    from scores
    cross join settings
),

everything as (
    select
        configuration_id,
        case_id,
        judge_id,
        'any' as setting,
        item.metric,
        item.value,
        1.0::double as weight,
    from per_case
    union all
    select
        configuration_id,
        case_id,
        judge_id,
        setting,
        item.metric,
        item.value,
        item.weight,
    from per_setting
),

final as (
    select
        configuration_id,
        case_id,
        judge_id,
        setting,
        metric,
        value,
        weight,
    from everything
    where value is not null
)

select * from final
