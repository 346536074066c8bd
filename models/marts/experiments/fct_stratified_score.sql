{{ wide_metrics() }},

counts as (
    select
        scores.configuration_id,
        scores.judge_id,
        strata.stratum_kind,
        strata.stratum,
        count(*)::integer as n_cases,
        count(*) filter (where scores.is_failure)::integer as n_failures,
    from {{ ref('int_experiments__case_scores') }} as scores
    inner join {{ ref('int_experiments__case_strata') }} as strata
        on scores.case_id = strata.case_id
    group by all
),

final as (
    select
        wide.configuration_id,
        wide.judge_id,
        wide.setting,
        wide.stratum_kind,
        wide.stratum,
        counts.n_cases,
        counts.n_failures,
        {{ wide_metric_columns("wide") }},
        counts.n_cases < {{ parameter('small_stratum') }} as is_small,
    from wide
    inner join counts
        on
            wide.configuration_id = counts.configuration_id
            and wide.judge_id = counts.judge_id
            and wide.stratum_kind = counts.stratum_kind
            and wide.stratum = counts.stratum
    where wide.stratum_kind != 'all'
)

select * from final
