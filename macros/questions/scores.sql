{#- The metrics of the question report that have an interval, separated by spaces. -#}
{% macro question_metrics() -%}
    choice_accuracy top1_accuracy top3_accuracy mentioned_accuracy differential_accuracy
    top1_accuracy_untyped mentioned_accuracy_untyped parse_success failure_rate
{%- endmacro %}

{#- Those that configurations are compared by. -#}
{% macro compared_question_metrics() -%}
    choice_accuracy top1_accuracy top3_accuracy mentioned_accuracy
{%- endmacro %}

{#- The long table of scores as columns, an aggregate: estimate, interval and denominator of
    each. -#}
{% macro widened_question_metrics() -%}
    {% for metric in question_metrics().split() -%}
    any_value(n_questions) filter (where metric = '{{ metric }}') as n_{{ metric }},
    any_value(estimate) filter (where metric = '{{ metric }}') as {{ metric }},
    any_value(estimate_low) filter (where metric = '{{ metric }}') as {{ metric }}_low,
    any_value(estimate_high) filter (where metric = '{{ metric }}') as {{ metric }}_high
    {%- if not loop.last %},{% endif %}
    {% endfor %}
{%- endmacro %}

{#- The columns that widened_question_metrics() makes, for a select that follows it. -#}
{% macro question_metric_columns(relation) -%}
    {% for metric in question_metrics().split() -%}
    {{ relation }}.n_{{ metric }},
    {{ relation }}.{{ metric }},
    {{ relation }}.{{ metric }}_low,
    {{ relation }}.{{ metric }}_high
    {%- if not loop.last %},{% endif %}
    {% endfor %}
{%- endmacro %}

{#- Mean chance of holding the key when naming `named` of the options blindly, an aggregate. -#}
{% macro chance_level(n_options, named) -%}
    round(avg(least({{ named }}, {{ n_options }}) / {{ n_options }}::double), 12)
{%- endmacro %}
