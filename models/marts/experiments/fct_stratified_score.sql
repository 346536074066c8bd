with means as (
    select
        configuration_id,
        judge_id,
        stratum_kind,
        stratum,
        n_cases,
        n_failures,
        n_with_severity,
        {%- for metric in share_metrics().split() %}
            {{ metric }},
        {%- endfor %}
        {%- for metric in mean_metrics().split() %}
            {{ metric }},
            {{ metric }}_error,
        {%- endfor %}
    from {{ ref('int_experiments__stratum_means') }}
),

aggregates as (
    select
        configuration_id,
        judge_id,
        setting,
        stratum_kind,
        stratum,
        {%- for metric in aggregate_metrics().split() %}
            {{ metric }},
            {{ metric }}_error,
        {%- endfor %}
    from {{ ref('int_experiments__stratum_aggregates') }}
),

quantiles as (
    select
        n_cases,
        quantile,
    from {{ ref('int_experiments__interval_quantiles') }}
),

final as (
    select
        means.configuration_id,
        means.judge_id,
        aggregates.setting,
        means.stratum_kind,
        means.stratum,
        configurations.model_alias,
        configurations.prompt_alias,
        configurations.prompt_version,
        configurations.test_set,
        judges.terminology_release,
        means.n_cases,
        means.n_failures,
        {%- for metric in share_metrics().split() %}
            means.{{ metric }},
            {{ wilson("means." ~ metric, "means.n_cases", "-") }} as {{ metric }}_low,
            {{ wilson("means." ~ metric, "means.n_cases", "+") }} as {{ metric }}_high,
        {%- endfor %}
        {%- for metric in mean_metrics().split() + aggregate_metrics().split() %}
            {%- set relation = "aggregates" if metric.endswith("_aggregate") else "means" %}
            {%- set quantiles = "severity_quantiles" if "severity" in metric else "quantiles" %}
            {{ relation }}.{{ metric }},
            {%- for sign, end in [("-", "low"), ("+", "high")] %}
                {{ error_interval(
                    metric, relation ~ "." ~ metric, relation ~ "." ~ metric ~ "_error",
                    quantiles ~ ".quantile", sign
                ) }} as {{ metric }}_{{ end }},
            {%- endfor %}
        {%- endfor %}
        means.n_cases < {{ parameter('small_stratum') }} as is_small,
        calibrations.is_calibrated,
        calibrations.is_severity_calibrated,
    from means
    inner join aggregates
        using (configuration_id, judge_id, stratum_kind, stratum)
    inner join {{ ref('dim_configuration') }} as configurations
        on means.configuration_id = configurations.configuration_id
    inner join {{ ref('dim_judge') }} as judges on means.judge_id = judges.judge_id
    left join quantiles on means.n_cases = quantiles.n_cases
    left join quantiles as severity_quantiles
        on means.n_with_severity = severity_quantiles.n_cases
    left join {{ ref('int_experiments__calibrations') }} as calibrations
        on
            means.judge_id = calibrations.judge_id
            and configurations.test_set = calibrations.test_set
)

select * from final
