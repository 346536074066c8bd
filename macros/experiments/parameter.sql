{#- A number from the parameters seed; its name stays readable in the SQL. -#}
{% macro parameter(name) -%}
    (
        select parameters.value
        from {{ ref('parameters') }} as parameters
        where parameters.parameter = '{{ name }}'
    )
{%- endmacro %}
