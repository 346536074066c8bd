{#- The row shape of evidence, which the vote of the terminology judge takes: a gold diagnosis, a
    way to read an answer, a rule of the semantic_rules seed and the text that shows why it
    applies. `rule` and `reason` are SQL. -#}
{% macro evidence(rule, reason) -%}
    gold_key,
    reading_key,
    {{ rule }} as rule,
    {{ reason }} as reason,
    is_alternative,
{%- endmacro %}

{#- One row of a relation of evidence for each pair and rule: of several reasons the first by the
    alphabet is the one that is shown. -#}
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
