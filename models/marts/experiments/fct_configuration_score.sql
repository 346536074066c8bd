{{ wide_metrics() }},

counts as (
    select
        configuration_id,
        judge_id,
        count(*)::integer as n_cases,
        count(*) filter (where is_failure)::integer as n_failures,
        count(*) filter (where outcome_class = 'model_failure')::integer as n_model_failures,
        count(*) filter (where outcome_class = 'delivery_failure')::integer as n_delivery_failures,
        count(*) filter (where outcome_class = 'not_asked')::integer as n_not_asked,
        count(*) filter (where severity_score is null)::integer as n_without_gold_severity,
        sum(n_scored_ranks)::integer as n_scored_ranks,
        sum(n_without_relation)::integer as n_without_relation,
        sum(n_without_severity)::integer as n_without_severity,
    from {{ ref('int_experiments__case_scores') }}
    group by all
),

spending as (
    select
        configuration_id,
        generation_usd,
        n_unpriced_calls,
        median_latency_ms,
    from {{ ref('int_experiments__configuration_spending') }}
),

final as (
    select
        counts.configuration_id,
        counts.judge_id,
        settings.setting,
        configurations.model_alias,
        configurations.prompt_alias,
        configurations.prompt_version,
        configurations.test_set,
        configurations.test_set_version,
        judges.terminology_release,
        counts.n_cases,
        counts.n_failures,
        counts.n_model_failures,
        counts.n_delivery_failures,
        counts.n_not_asked,
        counts.n_without_gold_severity,
        counts.n_scored_ranks,
        counts.n_without_relation,
        counts.n_without_severity,
        {{ wide_metric_columns("wide") }},
        spending.generation_usd,
        spending.median_latency_ms,
        coalesce(spending.n_unpriced_calls, 0)::integer as n_unpriced_calls,
        counts.n_not_asked < counts.n_cases as is_asked,
    from counts
    cross join settings
    inner join {{ ref('dim_configuration') }} as configurations
        on counts.configuration_id = configurations.configuration_id
    inner join {{ ref('dim_judge') }} as judges on counts.judge_id = judges.judge_id
    left join wide
        on
            counts.configuration_id = wide.configuration_id
            and counts.judge_id = wide.judge_id
            and settings.setting = wide.setting
            and wide.stratum_kind = 'all'
    left join spending on counts.configuration_id = spending.configuration_id
)

select * from final
