{#- The series a disease belongs to: its normalised name without the number or letter that tells the
    members apart ('usher syndrome type 1b' and 'usher syndrome 2' are both 'usher syndrome'). A name
    of one word keeps it. -#}
{% macro disease_series(name_normalised) -%}
    regexp_replace(
        {{ name_normalised }},
        '(\s+(type|tipo|subtype|form))?\s+([0-9]+[a-z]?|[ivx]+[a-c]?|[a-h])$',
        ''
    )
{%- endmacro %}

{#- The numbers of a name in order, arabic and roman: what a spelling correction must not touch. -#}
{% macro numbers_in(name_normalised) -%}
    regexp_extract_all({{ name_normalised }}, '\b([0-9]+[a-z]?|[ivx]+)\b')
{%- endmacro %}

{#- Overlap of two phenotype profiles weighted by information content, 0 to 1 (Jaccard): what both
    have over what either has; sizes and overlap are sums of information content. -#}
{% macro profile_similarity(overlap, size, other_size) -%}
    round({{ overlap }} / nullif({{ size }} + {{ other_size }} - {{ overlap }}, 0), 9)
{%- endmacro %}
