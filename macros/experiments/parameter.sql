{#- A number from the parameters seed, with its name still readable where it is used. -#}
{% macro parameter(name) -%}
    (
        select parameters.value
        from {{ ref('parameters') }} as parameters
        where parameters.parameter = '{{ name }}'
    )
{%- endmacro %}
