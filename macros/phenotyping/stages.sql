{#- Whether an age of onset in years is in a stage of the seed onset_stages, aliased `stages`. -#}
{% macro is_in_stage(years) -%}
    (
        stages.from_years is null
        or {{ years }} > stages.from_years
        or (stages.from_is_included and {{ years }} = stages.from_years)
    )
    and (
        stages.below_years is null
        or {{ years }} < stages.below_years
        or (stages.below_is_included and {{ years }} = stages.below_years)
    )
{%- endmacro %}

{#- The order of precedence among several onsets: one with a time before one without, a model's
    before a rule's, an earlier before a later one. -#}
{% macro onset_order(precedence, onset_text, onset_years) -%}
    if({{ onset_text }} is null and {{ onset_years }} is null, 100000, 0)
    + {{ precedence }} * 1000
    + coalesce({{ onset_years }}, 500)
{%- endmacro %}
