{#- A cell of the configurations seed, such as `gpt4o|local` or `*`, as a list of names. -#}
{% macro listed_names(written) -%}
    list_transform(string_split({{ written }}, '|'), lambda name: trim(name))
{%- endmacro %}

{#- Is a name in a list of them, or among what the star of that list stands for? -#}
{% macro is_listed(name, names, is_starred) -%}
    (list_contains({{ names }}, {{ name }}) or (list_contains({{ names }}, '*') and {{ is_starred }}))
{%- endmacro %}
