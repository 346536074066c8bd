{#- Where a record stands in its file, as a person finds it there; python_llm/imports/tables.py says
    it the same way in messages. -#}
{% macro place_in_file(file, number) -%}
    {{ file }} || case
        when regexp_matches(lower({{ file }}), '\.(xlsx|xlsm|xlsb|xls|ods|parquet|pq)$') then ', row '
        when lower({{ file }}) like '%.json' then ', item '
        else ', line '
    end || {{ number }}
{%- endmacro %}
