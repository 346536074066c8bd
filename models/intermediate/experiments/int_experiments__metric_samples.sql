with metrics as (
    select
        configuration_id,
        case_id,
        judge_id,
        setting,
        metric,
        value,
        weight,
    from {{ ref('int_experiments__case_metrics') }}
),

strata as (
    select
        case_id,
        stratum_kind,
        stratum,
    from {{ ref('int_experiments__case_strata') }}
),

final as (
    select
        metrics.configuration_id,
        metrics.judge_id,
        metrics.setting,
        strata.stratum_kind,
        strata.stratum,
        metrics.metric,
        list(metrics.weight * metrics.value order by metrics.case_id) as numerators,
        list(metrics.weight order by metrics.case_id) as denominators,
        count(*)::integer as n_cases,
        {{ weighted_mean("metrics.value", "metrics.weight") }} as estimate,
        metrics.metric = 'failure_rate' or starts_with(metrics.metric, 'top') as is_proportion,
    from metrics
    inner join strata on metrics.case_id = strata.case_id
    group by all
)

select * from final
