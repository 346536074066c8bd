{#- A flat JSON object with its keys in alphabetical order and no spaces, so that two ways of
    writing the same parameters give the same request. Keys of nested objects keep their order. -#}
{% macro canonical_json(json_text) -%}
    '{' || coalesce(
        array_to_string(
            list_transform(
                list_sort(json_keys({{ json_text }})),
                lambda key: to_json(key) || ':' || json_extract({{ json_text }}, '$."' || key || '"')
            ),
            ','
        ),
        ''
    ) || '}'
{%- endmacro %}
