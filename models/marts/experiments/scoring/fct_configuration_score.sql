{#- The number of a configuration's cases with a property, among those that count for the judge. -#}
{%- set counts = [
    ("n_cases", "true"),
    ("n_failures", "is_failure"),
    ("n_model_failures", "outcome_class = 'model_failure'"),
    ("n_delivery_failures", "outcome_class = 'delivery_failure'"),
    ("n_not_asked", "outcome_class = 'not_asked'"),
    ("n_without_gold_severity", "severity_score is null"),
    ("n_with_severity", "severity_score is not null"),
    ("n_with_acuity", "acuity_score is not null"),
    ("n_with_danger", "dangerous_omission is not null"),
    ("n_unlabelled", "is_unlabelled"),
] -%}

with estimates as (
    select
        configuration_id,
        judge_id,
        {%- for metric in share_metrics().split() + mean_metrics().split() %}
            {{ plain_mean(metric) }} as {{ metric }},
        {%- endfor %}
    from {{ ref('int_experiments__case_metrics') }}
    group by all
),

-- every organ system counts alike, however many cases it has: what is common cannot hide what is
-- missed elsewhere
systems as (
    select
        metrics.configuration_id,
        metrics.judge_id,
        strata.stratum,
        count(*) as n_cases,
        {%- for metric in balanced_metrics().split() %}
            avg({{ exact("metrics." ~ metric) }})::double as {{ metric }},
        {%- endfor %}
    from {{ ref('int_experiments__case_metrics') }} as metrics
    inner join {{ ref('int_experiments__case_strata') }} as strata
        on metrics.case_id = strata.case_id
    where strata.stratum_kind = 'organ_system'
    group by all
),

-- a case that no system takes is in none of these means, and counted
balanced as (
    select
        configuration_id,
        judge_id,
        count(*) filter (where stratum != 'unknown')::integer as n_organ_systems,
        {%- for count, metric in [
            ("severity", "mean_severity_score"), ("danger", "dangerous_omission")
        ] %}
            count({{ metric }}) filter (where stratum != 'unknown')::integer
                as n_organ_systems_with_{{ count }},
        {%- endfor %}
        coalesce(sum(n_cases) filter (where stratum = 'unknown'), 0)::integer
            as n_without_organ_system,
        {%- for metric in balanced_metrics().split() %}
            {{ plain_mean("case when stratum != 'unknown' then " ~ metric ~ " end") }}
                as balanced_{{ metric }},
        {%- endfor %}
    from systems
    group by all
),

aggregates as (
    select
        configuration_id,
        judge_id,
        setting,
        {{ weighted_mean("semantic_rescaled", "semantic_weight") }} as semantic_aggregate,
        {{ weighted_mean("severity_rescaled", "severity_weight") }} as severity_aggregate,
    from {{ ref('int_experiments__case_weights') }}
    group by all
),

settings as (
    select * from {{ ref('difficulty_settings') }}
),

-- metrics without weights have one interval for all settings
intervals as (
    select
        intervals.configuration_id,
        intervals.judge_id,
        settings.setting,
        {%- for metric in mean_metrics().split() + aggregate_metrics().split() %}
            any_value(intervals.estimate_low) filter (where intervals.metric = '{{ metric }}')
                as {{ metric }}_low,
            any_value(intervals.estimate_high) filter (where intervals.metric = '{{ metric }}')
                as {{ metric }}_high,
        {%- endfor %}
    from {{ ref('int_experiments__metric_intervals') }} as intervals
    inner join settings on intervals.setting in ('any', settings.setting)
    group by all
),

counts as (
    select
        configuration_id,
        judge_id,
        count(*)::integer as n_test_set_cases,
        count(*) filter (where status = 'not_requested')::integer as n_not_requested,
        {%- for name, condition in counts %}
            count(*) filter (where is_counted and {{ condition }})::integer as {{ name }},
        {%- endfor %}
        {%- for name in ["n_scored_ranks", "n_without_relation", "n_without_severity"] %}
            coalesce(sum({{ name }}) filter (where is_counted), 0)::integer as {{ name }},
        {%- endfor %}
    from {{ ref('int_experiments__case_scores') }}
    group by all
),

spending as (
    select * from {{ ref('int_experiments__configuration_spending') }}
),

calibrations as (
    {{ calibrations() }}
),

final as (
    select
        counts.configuration_id,
        counts.judge_id,
        settings.setting,
        configurations.model_alias,
        configurations.prompt_alias,
        configurations.prompt_version,
        configurations.test_set,
        configurations.test_set_version,
        judges.terminology_release,
        settings.steepness::double as steepness,
        settings.midpoint::double as midpoint,
        {{ parameter('bootstrap_replicates') }}::integer as bootstrap_replicates,
        {{ parameter('bootstrap_seed') }}::integer as bootstrap_seed,
        counts.n_cases,
        counts.n_test_set_cases,
        counts.n_not_requested,
        counts.n_failures,
        counts.n_model_failures,
        counts.n_delivery_failures,
        counts.n_not_asked,
        counts.n_without_gold_severity,
        counts.n_with_severity,
        counts.n_with_acuity,
        counts.n_with_danger,
        counts.n_scored_ranks,
        counts.n_without_relation,
        counts.n_without_severity,
        counts.n_unlabelled,
        {%- for metric in share_metrics().split() %}
            estimates.{{ metric }},
            {{ wilson("estimates." ~ metric, "counts.n_cases", "-") }} as {{ metric }}_low,
            {{ wilson("estimates." ~ metric, "counts.n_cases", "+") }} as {{ metric }}_high,
        {%- endfor %}
        {%- for metric in mean_metrics().split() + aggregate_metrics().split() %}
            {%- set relation = "aggregates" if metric.endswith("_aggregate") else "estimates" %}
            {{ relation }}.{{ metric }},
            {%- for sign, end in [("-", "low"), ("+", "high")] %}
                {{ resampled_end(
                    metric, relation ~ "." ~ metric, "intervals", "counts." ~ n_with(metric), sign
                ) }} as {{ metric }}_{{ end }},
            {%- endfor %}
        {%- endfor %}
        {%- for metric in balanced_metrics().split() %}
            balanced.balanced_{{ metric }},
        {%- endfor %}
        balanced.n_organ_systems,
        balanced.n_organ_systems_with_severity,
        balanced.n_organ_systems_with_danger,
        balanced.n_without_organ_system,
        spending.generation_usd,
        spending.median_latency_ms,
        coalesce(spending.n_unpriced_calls, 0)::integer as n_unpriced_calls,
        counts.n_not_asked < counts.n_cases as is_asked,
        calibrations.is_calibrated,
        calibrations.is_severity_calibrated,
    from counts
    cross join settings
    inner join {{ ref('dim_configuration') }} as configurations
        on counts.configuration_id = configurations.configuration_id
    inner join {{ ref('dim_judge') }} as judges on counts.judge_id = judges.judge_id
    left join estimates
        on
            counts.configuration_id = estimates.configuration_id
            and counts.judge_id = estimates.judge_id
    left join balanced
        on
            counts.configuration_id = balanced.configuration_id
            and counts.judge_id = balanced.judge_id
    left join aggregates
        on
            counts.configuration_id = aggregates.configuration_id
            and counts.judge_id = aggregates.judge_id
            and settings.setting = aggregates.setting
    left join intervals
        on
            counts.configuration_id = intervals.configuration_id
            and counts.judge_id = intervals.judge_id
            and settings.setting = intervals.setting
    left join spending on counts.configuration_id = spending.configuration_id
    left join calibrations
        on
            counts.judge_id = calibrations.judge_id
            and configurations.test_set = calibrations.test_set
)

select * from final
