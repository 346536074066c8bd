{#- The rows of several tables as (fact_table, fact_number, fact): the row as JSON, in the order of
    the seed. tables: name to relation. -#}
{% macro as_facts(tables) -%}
    {%- for fact_table, relation in tables.items() %}
    select
        '{{ fact_table }}' as fact_table,
        row_number() over () as fact_number,
        to_json(facts)::varchar as fact,
    from {{ relation }} as facts
    {%- if not loop.last %}
    union all
    {%- endif %}
    {%- endfor %}
{%- endmacro %}
