with metrics as (
    select
        metrics.configuration_id,
        metrics.case_id,
        metrics.judge_id,
        metrics.metric,
        metrics.value,
        configurations.test_set,
    from {{ ref('int_experiments__case_metrics') }} as metrics
    inner join {{ ref('int_experiments__configurations') }} as configurations
        on metrics.configuration_id = configurations.configuration_id
    where
        metrics.setting = 'any'
        and metrics.metric in (
            'top1_strict',
            'top3_strict',
            'top5_strict',
            'mean_semantic_score',
            'mean_severity_score'
        )
),

final as (
    select
        first_side.configuration_id as configuration_a,
        second_side.configuration_id as configuration_b,
        first_side.judge_id,
        first_side.test_set,
        first_side.metric,
        list(first_side.value - second_side.value order by first_side.case_id) as differences,
        count(*)::integer as n_cases,
        count(*) filter (where first_side.value > second_side.value)::integer as n_a_better,
        count(*) filter (where first_side.value < second_side.value)::integer as n_b_better,
        avg(first_side.value) as estimate_a,
        avg(second_side.value) as estimate_b,
        starts_with(first_side.metric, 'top') as is_proportion,
    from metrics as first_side
    inner join metrics as second_side
        on
            first_side.case_id = second_side.case_id
            and first_side.judge_id = second_side.judge_id
            and first_side.metric = second_side.metric
            and first_side.configuration_id < second_side.configuration_id
    group by all
)

select * from final
