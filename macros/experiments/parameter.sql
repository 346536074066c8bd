{#- A number from the parameters seed, with its name still readable where it is used. -#}
{% macro parameter(name) -%}
    (
        select parameters.parameter_value
        from {{ ref('stg_registry__parameter') }} as parameters
        where parameters.parameter = '{{ name }}'
    )
{%- endmacro %}
