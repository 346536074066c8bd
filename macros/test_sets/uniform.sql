{#- A number in [0, 1) that depends on the text alone: the same on every machine and every build.
    48 bits of a sha256; DuckDB's hash() and random() promise neither. -#}
{% macro uniform(key_expression) -%}
    (('0x' || left(sha256({{ key_expression }}), 12))::bigint / 281474976710656.0)
{%- endmacro %}
