with metrics as (
    select * from {{ ref('int_questions__question_metrics') }}
),

strata as (
    select
        question_id,
        stratum_kind,
        stratum,
    from {{ ref('int_questions__question_strata') }}
    -- every further kind of stratum adds tests to the correction and takes power from these
    where stratum_kind in ('all', 'question_type', 'pipeline_appropriate')
),

final as (
    select
        metrics.configuration_id,
        metrics.question_id,
        metrics.question_set,
        strata.stratum_kind,
        strata.stratum,
        {%- for metric in compared_question_metrics().split() %}
            any_value(metrics.value) filter (where metrics.metric = '{{ metric }}') as {{ metric }},
        {%- endfor %}
    from metrics
    inner join strata on metrics.question_id = strata.question_id
    group by all
)

select * from final
