{#- The metrics of the score marts, names separated by spaces. python_llm/statistics/metrics.py
    knows the same lists; a test holds the two together. -#}
{% macro share_metrics() -%}
    failure_rate top1_strict top3_strict top5_strict top10_strict
    top1_broad top3_broad top5_broad top10_broad
{%- endmacro %}

{% macro mean_metrics() -%}
    mrr_strict mrr_broad mean_semantic_score mean_severity_score
    mean_semantic_score_full_list mean_severity_score_full_list
    mean_acuity_score mean_rarity_score dangerous_omission
{%- endmacro %}

{#- The prefix of the quantiles of a metric's interval: those of the cases that have it. Without an
    entry, all cases have it. -#}
{% macro cases_with(metric) -%}
    {{ {
        "mean_severity_score": "severity_",
        "mean_severity_score_full_list": "severity_",
        "mean_rarity_score": "severity_",
        "severity_aggregate": "severity_",
        "mean_acuity_score": "acuity_",
        "dangerous_omission": "danger_",
    }.get(metric, "") }}
{%- endmacro %}

{#- The column with the number of a metric's cases: those that have it. -#}
{% macro n_with(metric) -%}
    {{ {"": "n_cases"}.get(cases_with(metric) | trim, "n_with_" ~ (cases_with(metric) | trim)[:-1]) }}
{%- endmacro %}

{#- The lowest and the highest value of a metric: (low, high) of `metric_range(metric) | fromjson`.
    Without an entry, that of a list score. -#}
{% macro metric_range(metric) -%}
    {{ {
        "mrr_strict": [0, 1],
        "mrr_broad": [0, 1],
        "dangerous_omission": [0, 1],
        "semantic_aggregate": [-1, 1],
        "severity_aggregate": [-1, 1],
    }.get(metric, [0, 16]) }}
{%- endmacro %}

{#- Those that are also averaged over organ systems instead of cases. -#}
{% macro balanced_metrics() -%}
    top1_strict top5_strict top1_broad top5_broad mean_semantic_score mean_severity_score
    dangerous_omission
{%- endmacro %}

{% macro aggregate_metrics() -%} semantic_aggregate severity_aggregate {%- endmacro %}

{#- Those by which configurations are ranked; higher is better in all. -#}
{% macro ranked_metrics() -%}
    top1_strict top5_strict top10_strict mrr_strict {{ aggregate_metrics() }}
{%- endmacro %}

{#- Those of a leaderboard: whether the gold diagnosis was found, and the two aggregates. -#}
{% macro leaderboard_metrics() -%}
    top1_strict top3_strict top5_strict top10_strict top1_broad top3_broad top5_broad top10_broad
    mrr_strict mrr_broad dangerous_omission {{ aggregate_metrics() }}
{%- endmacro %}

{% macro score_metrics() -%}
    {{ share_metrics() }} {{ mean_metrics() }} {{ aggregate_metrics() }}
{%- endmacro %}

{#- The 97.5 percentile of the normal distribution, for Wilson's interval. -#}
{% macro normal_quantile() -%} 1.959963984540054 {%- endmacro %}

{#- An end of Wilson's 95 % interval of a share (Wilson 1927), sign '-' or '+'. n may be an
    effective number of cases. Null without a share, because greatest() ignores nulls. -#}
{% macro wilson(share, n, sign) -%}
    {%- set z = normal_quantile() | trim -%}
    case
        when {{ share }} is not null
            then round(
                least(1, greatest(0, (
                    {{ share }} + {{ z }} * {{ z }} / (2 * {{ n }})
                    {{ sign }} {{ z }} * sqrt(
                        {{ share }} * (1 - {{ share }}) / {{ n }}
                        + {{ z }} * {{ z }} / (4 * {{ n }} * {{ n }})
                    )
                ) / (1 + {{ z }} * {{ z }} / {{ n }}))),
                9
            )
    end
{%- endmacro %}

{#- A value of a sum that does not depend on the order of its rows. A sum of floating-point numbers
    does, in its last digit, and a mean that lies between two values of twelve decimals (one of 50
    does) would be rounded up by one build and down by the next. -#}
{% macro exact(value) -%} ({{ value }})::decimal(24, 15) {%- endmacro %}

{#- Mean of the values that are not null. -#}
{% macro plain_mean(value) -%}
    round(avg({{ exact(value) }})::double, 12)
{%- endmacro %}

{#- A ratio of sums, sum(a) / sum(b). -#}
{% macro ratio(a, b) -%}
    round(sum({{ exact(a) }})::double / nullif(sum({{ exact(b) }})::double, 0), 12)
{%- endmacro %}

{#- How many independent cases a share over clustered answers is worth, share (1 - share) / error^2
    (Korn & Graubard 1998): never more than the answers; the cases where all answers agree, or one
    case alone has no error. -#}
{% macro effective_cases(share, error, n_cases, n_answers) -%}
    case
        when {{ error }} > 0
            then least({{ n_answers }}, {{ share }} * (1 - {{ share }}) / power({{ error }}, 2))
        else {{ n_cases }}
    end
{%- endmacro %}

{#- Standard error of a ratio of sums over cases, sum(a) / sum(b), by linearisation (Cochran,
    Sampling Techniques, 1977, section 6.3, without the finite correction): an aggregate over one
    row per case, or per cluster of answers to the same case. Null for fewer than two. Below a
    millionth of the weight it is rounding noise and counts as zero. -#}
{% macro ratio_se(a, b) -%}
    {%- set sum_b = "sum(" ~ exact(b) ~ ")::double" -%}
    {%- set of_squares = "sum(" ~ exact(b ~ " * " ~ b) ~ ")::double" -%}
    {%- set ratio = "(sum(" ~ exact(a) ~ ")::double / " ~ sum_b ~ ")" -%}
    {%- set squares -%}
        (
            sum({{ exact(a ~ " * " ~ a) }})::double
            - 2 * {{ ratio }} * sum({{ exact(a ~ " * " ~ b) }})::double
            + {{ ratio }} * {{ ratio }} * {{ of_squares }}
        )
    {%- endset -%}
    case
        when count({{ a }}) < 2 then null
        when {{ squares }} < 1e-12 * {{ of_squares }} then 0
        else
            round(
                sqrt({{ squares }}) / {{ sum_b }}
                * sqrt(count({{ a }}) / (count({{ a }}) - 1.0)),
                12
            )
    end
{%- endmacro %}

{#- The same for a plain mean of one value per case, which is the textbook's s / sqrt(n). -#}
{% macro mean_se(value) -%}
    round(stddev_samp({{ value }}) / sqrt(count({{ value }})), 12)
{%- endmacro %}

{#- An end of the interval of n cases that all have the value, where neither resampling nor a standard
    error shows any doubt (docs/specification.md#equal-values): a share of up to 1 - 0.05^(1/n) of all
    cases may have another (rule of three, Hanley and Lippman-Hand 1983), at worst an end of the range
    from `low` to `high`. In an aggregate the worst cases weigh `worst_weight`, these `weight`. -#}
{% macro equal_values_end(value, n, sign, low, high, worst_weight="1", weight="1") -%}
    {%- set others = "(1 - power(0.05, 1.0 / " ~ n ~ "))" -%}
    case
        when {{ n }} > 1
            then round(
                {%- if sign == "+" %}
                    {{ value }} + ({{ high }} - {{ value }}) * {{ others }},
                {%- else %}
                    {{ value }} - ({{ value }} - {{ low }})
                    * {{ others }} * {{ worst_weight }}
                    / ({{ others }} * {{ worst_weight }} + (1 - {{ others }}) * {{ weight }}),
                {%- endif %}
                9
            )
    end
{%- endmacro %}

{#- The same within the range of a metric. `settings` has steepness and midpoint of an aggregate. -#}
{% macro equal_cases_end(metric, value, n, sign, settings="settings") -%}
    {%- set low, high = fromjson(metric_range(metric)) -%}
    {%- if metric.endswith("_aggregate") -%}
        {%- set curve = [settings ~ ".steepness", settings ~ ".midpoint"] -%}
        {{ equal_values_end(
            value, n, sign, low, high, case_weight("-1.0", *curve), case_weight(value, *curve)
        ) }}
    {%- else -%}
        {{ equal_values_end(value, n, sign, low, high) }}
    {%- endif -%}
{%- endmacro %}

{#- An end of a bootstrap interval; where every resample gave one value, that of equal cases. -#}
{% macro resampled_end(metric, value, intervals, n, sign) -%}
    case
        when {{ intervals }}.{{ metric }}_low = {{ intervals }}.{{ metric }}_high
            then {{ equal_cases_end(metric, value, n, sign) }}
        else {{ intervals }}.{{ metric }}_{{ "high" if sign == "+" else "low" }}
    end
{%- endmacro %}

{#- An end of the interval estimate -+ quantile * error, within the metric's bounds; null where one case
    has no error, because `greatest` and `least` would pass over it and give a bound. Without any error
    among n cases, that of equal cases. -#}
{% macro error_interval(metric, estimate, error, quantile, sign, n) -%}
    {%- set low, high = fromjson(metric_range(metric)) -%}
    case
        when {{ error }} = 0 then {{ equal_cases_end(metric, estimate, n, sign) }}
        when {{ quantile }} * {{ error }} is not null
            then round(
                least(
                    {{ high }},
                    greatest({{ low }}, {{ estimate }} {{ sign }} {{ quantile }} * {{ error }})
                ),
                9
            )
    end
{%- endmacro %}

{#- The metrics of a relation with their intervals, for the select that follows. -#}
{% macro metric_columns(relation) -%}
    {% for metric in score_metrics().split() -%}
    {{ relation }}.{{ metric }},
    {{ relation }}.{{ metric }}_low,
    {{ relation }}.{{ metric }}_high
    {%- if not loop.last %},{% endif %}
    {% endfor %}
{%- endmacro %}
