{#- The parts of a text separated by semicolons, without empty ones; no list for no text. -#}
{% macro listed(text) -%}
    list_filter(
        list_transform(
            string_split(coalesce({{ text }}, ''), ';'), lambda part: trim(part)
        ),
        lambda part: part != ''
    )
{%- endmacro %}
