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
            {%- for metric in ranked_metrics().split() %}
                { metric: '{{ metric }}', estimate: {{ metric }} }{{ "," if not loop.last }}
            {%- endfor %}
        ], recursive := true),
    from {{ ref('fct_configuration_score') }}
    where is_asked
),

-- unweighted metrics have one interval for all settings
estimates as (
    select
        *,
        if(metric like '%_aggregate', setting, 'any') as interval_setting,
    from scores
    where estimate is not null
),

intervals as (
    select * from {{ ref('int_experiments__metric_intervals') }}
),

final as (
    select
        estimates.configuration_id,
        estimates.judge_id,
        estimates.setting,
        estimates.metric,
        estimates.test_set,
        estimates.prompt_version,
        estimates.terminology_release,
        estimates.n_cases,
        estimates.estimate,
        -- a rank among the configurations scored on as many cases
        rank() over (
            partition by
                estimates.judge_id,
                estimates.test_set,
                estimates.setting,
                estimates.metric,
                estimates.n_cases
            order by round(estimates.estimate, 9) desc
        )::integer as score_rank,
        intervals.rank_low::integer as rank_low,
        intervals.rank_high::integer as rank_high,
        count(*) over (
            partition by
                estimates.judge_id,
                estimates.test_set,
                estimates.setting,
                estimates.metric,
                estimates.n_cases
        )::integer as n_ranked,
    from estimates
    left join intervals
        on
            estimates.configuration_id = intervals.configuration_id
            and estimates.judge_id = intervals.judge_id
            and estimates.metric = intervals.metric
            and estimates.interval_setting = intervals.setting
)

select * from final
