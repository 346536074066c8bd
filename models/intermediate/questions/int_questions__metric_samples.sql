-- in the shape that the statistics of the experiments take: the judge is the answer key
with metrics as (
    select
        configuration_id,
        question_id,
        metric,
        value,
    from {{ ref('int_questions__question_metrics') }}
),

strata as (
    select
        question_id,
        stratum_kind,
        stratum,
    from {{ ref('int_questions__question_strata') }}
),

final as (
    select
        metrics.configuration_id,
        'answer_key' as judge_id,
        'any' as setting,
        strata.stratum_kind,
        strata.stratum,
        metrics.metric,
        list(metrics.value order by metrics.question_id) as numerators,
        list(1.0::double order by metrics.question_id) as denominators,
        count(*)::integer as n_cases,
        sum(metrics.value)::integer as n_hits,
        {{ weighted_mean("metrics.value", "1") }} as estimate,
        true as is_proportion,
    from metrics
    inner join strata on metrics.question_id = strata.question_id
    group by all
)

select * from final
