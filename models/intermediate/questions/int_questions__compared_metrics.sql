-- in the shape that paired_tests() takes: the question is the case, and the stratum stands where a
-- judge would, so that p values are corrected within it
with metrics as (
    select * from {{ ref('int_questions__question_metrics') }}
),

strata as (
    select
        question_id,
        stratum_kind,
        stratum,
    from {{ ref('int_questions__question_strata') }}
    where stratum_kind in ('all', 'question_type', 'pipeline_appropriate')
),

final as (
    select
        metrics.configuration_id,
        metrics.question_id as case_id,
        strata.stratum_kind || '/' || strata.stratum as judge_id,
        metrics.question_set as test_set,
        {%- for metric in compared_question_metrics().split() %}
            any_value(metrics.value) filter (where metrics.metric = '{{ metric }}') as {{ metric }},
        {%- endfor %}
    from metrics
    inner join strata on metrics.question_id = strata.question_id
    group by all
)

select * from final
