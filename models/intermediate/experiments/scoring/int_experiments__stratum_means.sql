with metrics as (
    select * from {{ ref('int_experiments__case_metrics') }}
),

strata as (
    select * from {{ ref('int_experiments__case_strata') }}
),

final as (
    select
        -- score_key and stratum_key are numbers: grouping by names takes twice as long
        metrics.score_key,
        strata.stratum_key,
        count(*)::integer as n_cases,
        sum(metrics.failure_rate)::integer as n_failures,
        count(metrics.mean_severity_score)::integer as n_with_severity,
        count(metrics.dangerous_omission)::integer as n_with_danger,
        {%- for metric in share_metrics().split() %}
            {{ plain_mean("metrics." ~ metric) }} as {{ metric }},
        {%- endfor %}
        {%- for metric in mean_metrics().split() %}
            {{ plain_mean("metrics." ~ metric) }} as {{ metric }},
            {{ mean_se("metrics." ~ metric) }} as {{ metric }}_error,
        {%- endfor %}
    from metrics
    inner join strata on metrics.case_id = strata.case_id
    group by all
)

select * from final
