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
