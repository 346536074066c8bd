{#- Overlap of two phenotype profiles weighted by information content, 0 to 1 (Jaccard): what both
    have over what either has; sizes and overlap are sums of information content. -#}
{% macro profile_similarity(overlap, size, other_size) -%}
    round({{ overlap }} / nullif({{ size }} + {{ other_size }} - {{ overlap }}, 0), 9)
{%- endmacro %}

{#- A word that only tells the members of a series apart: a number, a number with a letter, one letter. -#}
{% macro is_series_mark(word) -%}
    regexp_full_match({{ word }}, '[0-9]{1,2}[a-z]?|[a-z]')
{%- endmacro %}

{#- The first letters of the words of a name that are more than a preposition, a letter or a number. -#}
{% macro initials(name_normalised) -%}
    regexp_replace(
        regexp_replace(
            ' ' || {{ name_normalised }},
            ' (of|the|and|in|to|with|due|by|de|del|la|el|y|[0-9]+[a-z]?|[a-z])\b',
            '',
            'g'
        ),
        ' (.)[^ ]*',
        '\1',
        'g'
    )
{%- endmacro %}
