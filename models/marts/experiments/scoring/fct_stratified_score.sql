with metrics as (
    select * from {{ ref('int_experiments__case_metrics') }}
),

case_strata as (
    select * from {{ ref('int_experiments__case_strata') }}
),

means as (
    select
        -- score_key and stratum_key are numbers: grouping by names takes twice as long
        metrics.score_key,
        case_strata.stratum_key,
        count(*)::integer as n_cases,
        sum(metrics.failure_rate)::integer as n_failures,
        count(*) filter (where case_strata.is_graded)::integer as n_graded_severity,
        count(metrics.mean_severity_score)::integer as n_with_severity,
        count(metrics.mean_acuity_score)::integer as n_with_acuity,
        count(metrics.dangerous_omission)::integer as n_with_danger,
        {%- for metric in share_metrics().split() %}
            {{ plain_mean("metrics." ~ metric) }} as {{ metric }},
        {%- endfor %}
        {%- for metric in mean_metrics().split() %}
            {{ plain_mean("metrics." ~ metric) }} as {{ metric }},
            {{ mean_se("metrics." ~ metric) }} as {{ metric }}_error,
        {%- endfor %}
    from metrics
    inner join case_strata on metrics.case_id = case_strata.case_id
    group by all
),

-- weight times score, once per case and not once per stratum
weights as (
    select
        * replace (coalesce(severity_weight, 0) as severity_weight),
        semantic_weight * semantic_rescaled as semantic_weighted,
        severity_weight * severity_rescaled as severity_weighted,
    from {{ ref('int_experiments__case_weights') }}
),

aggregates as (
    select
        weights.score_key,
        weights.setting,
        case_strata.stratum_key,
        {%- for score in ['semantic', 'severity'] %}
            {{ ratio("weights." ~ score ~ "_weighted", "weights." ~ score ~ "_weight") }}
                as {{ score }}_aggregate,
            {{ ratio_se("weights." ~ score ~ "_weighted", "weights." ~ score ~ "_weight") }}
                as {{ score }}_aggregate_error,
        {%- endfor %}
    from weights
    inner join case_strata on weights.case_id = case_strata.case_id
    group by all
),

scored as (
    select distinct
        score_key,
        configuration_id,
        judge_id,
    from metrics
),

strata as (
    select distinct
        stratum_key,
        stratum_kind,
        stratum,
    from case_strata
),

quantiles as (
    select * from {{ ref('int_experiments__interval_quantiles') }}
),

-- metrics that do not depend on the setting, computed once
intervals as (
    select
        means.score_key,
        means.stratum_key,
        means.n_cases,
        means.n_failures,
        means.n_graded_severity,
        means.n_with_severity,
        means.n_with_acuity,
        means.n_with_danger,
        quantiles.quantile,
        severity_quantiles.quantile as severity_quantile,
        {%- for metric in share_metrics().split() %}
            means.{{ metric }},
            {{ wilson("means." ~ metric, "means.n_cases", "-") }} as {{ metric }}_low,
            {{ wilson("means." ~ metric, "means.n_cases", "+") }} as {{ metric }}_high,
        {%- endfor %}
        {%- for metric in mean_metrics().split() %}
            {%- set quantiles = cases_with(metric) | trim ~ "quantiles" %}
            means.{{ metric }},
            {%- for sign, end in [("-", "low"), ("+", "high")] %}
                {{ error_interval(
                    metric, "means." ~ metric, "means." ~ metric ~ "_error",
                    quantiles ~ ".quantile", sign, "means." ~ n_with(metric)
                ) }} as {{ metric }}_{{ end }},
            {%- endfor %}
        {%- endfor %}
    from means
    left join quantiles on means.n_cases = quantiles.n_cases
    left join quantiles as severity_quantiles
        on means.n_with_severity = severity_quantiles.n_cases
    left join quantiles as acuity_quantiles
        on means.n_with_acuity = acuity_quantiles.n_cases
    left join quantiles as danger_quantiles
        on means.n_with_danger = danger_quantiles.n_cases
),

calibrations as (
    {{ calibrations() }}
),

final as (
    select
        scored.configuration_id,
        scored.judge_id,
        aggregates.setting,
        strata.stratum_kind,
        strata.stratum,
        configurations.model_alias,
        configurations.prompt_alias,
        configurations.prompt_version,
        configurations.test_set,
        judges.terminology_release,
        intervals.n_cases,
        intervals.n_failures,
        intervals.n_graded_severity,
        intervals.n_with_severity,
        intervals.n_with_acuity,
        intervals.n_with_danger,
        {%- for metric in share_metrics().split() + mean_metrics().split() %}
            intervals.{{ metric }},
            intervals.{{ metric }}_low,
            intervals.{{ metric }}_high,
        {%- endfor %}
        {%- for metric in aggregate_metrics().split() %}
            {%- set quantile = "severity_quantile" if "severity" in metric else "quantile" %}
            aggregates.{{ metric }},
            {%- for sign, end in [("-", "low"), ("+", "high")] %}
                {{ error_interval(
                    metric, "aggregates." ~ metric, "aggregates." ~ metric ~ "_error",
                    "intervals." ~ quantile, sign, "intervals." ~ n_with(metric)
                ) }} as {{ metric }}_{{ end }},
            {%- endfor %}
        {%- endfor %}
        intervals.n_cases < {{ parameter('small_stratum') }} as is_small,
        calibrations.is_calibrated,
        calibrations.is_severity_calibrated,
    from intervals
    inner join aggregates
        on
            intervals.score_key = aggregates.score_key
            and intervals.stratum_key = aggregates.stratum_key
    inner join {{ ref('difficulty_settings') }} as settings on aggregates.setting = settings.setting
    inner join scored on intervals.score_key = scored.score_key
    inner join strata on intervals.stratum_key = strata.stratum_key
    inner join {{ ref('dim_configuration') }} as configurations
        on scored.configuration_id = configurations.configuration_id
    inner join {{ ref('dim_judge') }} as judges on scored.judge_id = judges.judge_id
    left join calibrations
        on
            scored.judge_id = calibrations.judge_id
            and configurations.test_set = calibrations.test_set
)

select * from final
