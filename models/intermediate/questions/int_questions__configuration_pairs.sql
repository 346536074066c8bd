-- in the shape that paired_tests() takes; the stratum stands where a judge would, so that p values
-- are corrected within it
with metrics as (
    select
        metrics.configuration_id,
        metrics.question_id,
        metrics.question_set,
        metrics.metric,
        metrics.value,
        strata.stratum_kind || '/' || strata.stratum as stratum,
    from {{ ref('int_questions__question_metrics') }} as metrics
    inner join {{ ref('int_questions__question_strata') }} as strata
        on metrics.question_id = strata.question_id
    where
        metrics.metric in (
            'choice_accuracy', 'top1_accuracy', 'top3_accuracy', 'mentioned_accuracy'
        )
        and strata.stratum_kind in ('all', 'question_type', 'pipeline_appropriate')
),

final as (
    select
        first_side.configuration_id as configuration_a,
        second_side.configuration_id as configuration_b,
        first_side.stratum as judge_id,
        first_side.question_set as test_set,
        first_side.metric,
        list(first_side.value - second_side.value order by first_side.question_id) as differences,
        count(*)::integer as n_cases,
        count(*) filter (where first_side.value > second_side.value)::integer as n_a_better,
        count(*) filter (where first_side.value < second_side.value)::integer as n_b_better,
        round(avg(first_side.value), 12) as estimate_a,
        round(avg(second_side.value), 12) as estimate_b,
        true as is_proportion,
    from metrics as first_side
    inner join metrics as second_side
        on
            first_side.question_id = second_side.question_id
            and first_side.stratum = second_side.stratum
            and first_side.metric = second_side.metric
            and first_side.configuration_id < second_side.configuration_id
    group by all
)

select * from final
