with metrics as (
    select * from {{ ref('int_questions__question_metrics') }}
),

strata as (
    select * from {{ ref('int_questions__question_strata') }}
),

estimates as (
    select
        metrics.configuration_id,
        strata.stratum_kind,
        strata.stratum,
        metrics.metric,
        count(*)::integer as n_questions,
        sum(metrics.value)::integer as n_hits,
        {{ plain_mean("metrics.value") }} as estimate,
    from metrics
    inner join strata on metrics.question_id = strata.question_id
    group by all
),

-- every metric is a share, so every interval is Wilson's
final as (
    select
        configuration_id,
        stratum_kind,
        stratum,
        metric,
        n_questions,
        n_hits,
        estimate,
        {{ wilson("estimate", "n_questions", "-") }} as estimate_low,
        {{ wilson("estimate", "n_questions", "+") }} as estimate_high,
    from estimates
)

select * from final
