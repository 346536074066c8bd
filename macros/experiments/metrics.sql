{#- The metrics of the score marts, names separated by spaces. -#}
{% macro score_metrics() -%}
    failure_rate top1_strict top3_strict top5_strict top1_broad top3_broad top5_broad mrr
    mean_semantic_score mean_severity_score
    mean_semantic_score_full_list mean_severity_score_full_list
    semantic_aggregate severity_aggregate
{%- endmacro %}

{#- One row per configuration, judge, setting and stratum with a column for every metric and its
    interval, from the long tables of estimates and intervals. -#}
{% macro wide_metrics() -%}
with estimates as (
    select
        samples.configuration_id,
        samples.judge_id,
        samples.setting,
        samples.stratum_kind,
        samples.stratum,
        samples.metric,
        samples.estimate,
        intervals.estimate_low,
        intervals.estimate_high,
    from {{ ref('int_experiments__metric_samples') }} as samples
    inner join {{ ref('int_experiments__metric_intervals') }} as intervals
        using (configuration_id, judge_id, setting, stratum_kind, stratum, metric)
),

settings as (
    select setting
    from {{ ref('stg_registry__difficulty_setting') }}
),

wide as (
    select
        estimates.configuration_id,
        estimates.judge_id,
        settings.setting,
        estimates.stratum_kind,
        estimates.stratum,
        {% for metric in score_metrics().split() -%}
        any_value(estimates.estimate) filter (where estimates.metric = '{{ metric }}')
            as {{ metric }},
        any_value(estimates.estimate_low) filter (where estimates.metric = '{{ metric }}')
            as {{ metric }}_low,
        any_value(estimates.estimate_high) filter (where estimates.metric = '{{ metric }}')
            as {{ metric }}_high,
        {% endfor %}
    from estimates
    inner join settings on estimates.setting in ('any', settings.setting)
    group by all
)
{%- endmacro %}

{#- The columns that wide_metrics() makes, for the select that follows it. -#}
{% macro wide_metric_columns(relation) -%}
    {% for metric in score_metrics().split() -%}
    {{ relation }}.{{ metric }},
    {{ relation }}.{{ metric }}_low,
    {{ relation }}.{{ metric }}_high
    {%- if not loop.last %},{% endif %}
    {% endfor %}
{%- endmacro %}
