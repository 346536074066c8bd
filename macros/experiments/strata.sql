{#- The name of a pair of kinds of strata. -#}
{% macro pair_kind(pair) -%}
    ({{ pair }}.first_kind || ' by ' || {{ pair }}.second_kind)
{%- endmacro %}

{#- The name of a group in a pair of strata. -#}
{% macro stratum_pair(first_stratum, second_stratum) -%}
    ({{ first_stratum }} || ' / ' || {{ second_stratum }})
{%- endmacro %}

{#- rare or common, by the gold diagnosis if it has a severity; otherwise a case is rare if its gold
    diagnosis has a code of Orphanet, which lists only rare diseases. -#}
{% macro rarity(is_gold_rare, gold_codes) -%}
    case
        when {{ is_gold_rare }} then 'rare'
        when not {{ is_gold_rare }} then 'common'
        when len(list_filter({{ gold_codes }}, lambda code: code like 'ORPHA:%')) > 0 then 'rare'
        else 'unknown'
    end
{%- endmacro %}

{#- The four quadrants of severity (x) against semantics (y)
    (docs/specification.md#quadrants). A score of exactly 0 is not good: it is halfway between a
    perfect list and an empty one. -#}
{% macro quadrant(severity, semantic) -%}
    case
        when {{ severity }} is null then 'no gold severity'
        when {{ semantic }} > 0 and {{ severity }} > 0 then 'good semantics, good severity'
        when {{ semantic }} > 0 then 'good semantics, bad severity'
        when {{ severity }} > 0 then 'bad semantics, good severity'
        else 'bad semantics, bad severity'
    end
{%- endmacro %}
