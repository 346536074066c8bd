{#- p values corrected within a family of comparisons that a query orders by `position` (1 for the
    smallest p). Comparisons of the family that were not tested count as p = 1: they come last and
    only increase n. -#}

{#- After Holm (Scand J Stat 1979; 6:65-70): the chance of one false positive in the family. -#}
{% macro holm(p, position, n, family) -%}
    least(1, max({{ p }} * ({{ n }} - {{ position }} + 1)) over (
        partition by {{ family }} order by {{ position }} asc
    ))
{%- endmacro %}

{#- After Benjamini and Hochberg (J R Stat Soc B 1995; 57:289-300): the share of false positives
    among the differences called significant. -#}
{% macro benjamini_hochberg(p, position, n, family) -%}
    least(1, min({{ p }} * {{ n }} / {{ position }}) over (
        partition by {{ family }} order by {{ position }} desc
    ))
{%- endmacro %}
