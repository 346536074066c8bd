with scores as (
    select
        configuration_id,
        judge_id,
        setting,
        test_set,
        prompt_version,
        terminology_release,
        n_cases,
        unnest([
            {%- for metric in ['top1_strict', 'top5_strict', 'mrr'] + aggregate_metrics().split() %}
                { metric: '{{ metric }}', estimate: {{ metric }} }{{ "," if not loop.last }}
            {%- endfor %}
        ], recursive := true),
    from {{ ref('fct_configuration_score') }}
    where is_asked
),

intervals as (
    select
        configuration_id,
        judge_id,
        setting,
        metric,
        rank_low,
        rank_high,
    from {{ ref('int_experiments__metric_intervals') }}
),

final as (
    select
        scores.configuration_id,
        scores.judge_id,
        scores.setting,
        scores.metric,
        scores.test_set,
        scores.prompt_version,
        scores.terminology_release,
        scores.n_cases,
        scores.estimate,
        rank() over (
            partition by scores.judge_id, scores.test_set, scores.setting, scores.metric
            order by round(scores.estimate, 9) desc
        )::integer as score_rank,
        intervals.rank_low::integer as rank_low,
        intervals.rank_high::integer as rank_high,
        count(*) over (
            partition by scores.judge_id, scores.test_set, scores.setting, scores.metric
        )::integer as n_ranked,
    from scores
    left join intervals
        on
            scores.configuration_id = intervals.configuration_id
            and scores.judge_id = intervals.judge_id
            and scores.metric = intervals.metric
            and intervals.setting in ('any', scores.setting)
    where scores.estimate is not null
)

select * from final
