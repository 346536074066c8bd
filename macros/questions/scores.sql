{#- The metrics of the question report that have an interval, separated by spaces. -#}
{% macro question_metrics() -%}
    choice_accuracy top1_accuracy top3_accuracy mentioned_accuracy differential_accuracy
    top1_accuracy_untyped mentioned_accuracy_untyped parse_success failure_rate
{%- endmacro %}

{#- Mean chance of holding the key when naming `named` of the options blindly, an aggregate. -#}
{% macro chance_level(n_options, named) -%}
    round(avg(least({{ named }}, {{ n_options }}) / {{ n_options }}::double), 12)
{%- endmacro %}
