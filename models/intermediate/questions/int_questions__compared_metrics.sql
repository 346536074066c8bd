with metrics as (
    select * from {{ ref('int_questions__question_metrics') }}
),

-- a repeat is the same configuration once more, and answers from the options alone are none to the
-- question: neither may cost the comparisons of the others their power
configurations as (
    select
        configuration_id,
        if(strategy = 'options_only', 'options alone', 'whole question') as answered_from,
    from {{ ref('dim_question_configuration') }}
    where repeat_number = 1
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
        configurations.answered_from,
        strata.stratum_kind,
        strata.stratum,
        {%- for metric in compared_question_metrics().split() %}
            any_value(metrics.value) filter (where metrics.metric = '{{ metric }}') as {{ metric }},
        {%- endfor %}
    from metrics
    inner join configurations on metrics.configuration_id = configurations.configuration_id
    inner join strata on metrics.question_id = strata.question_id
    group by all
)

select * from final
