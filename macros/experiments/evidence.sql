{#- The row shape of evidence, the input to the vote of the terminology judge: a gold diagnosis, a
    way to read an answer, a rule of the semantic_rules seed and the text that shows why it applies.
    `rule` and `reason` are SQL. -#}
{% macro evidence(rule, reason) -%}
    gold_key,
    reading_key,
    {{ rule }} as rule,
    {{ reason }} as reason,
    is_alternative,
{%- endmacro %}

{#- One row of evidence per pair and rule: of several reasons the alphabetically first is shown. -#}
{% macro first_reasons(relation) -%}
    select
        gold_key,
        reading_key,
        rule,
        is_alternative,
        min(reason) as reason,
    from {{ relation }}
    group by all
{%- endmacro %}
