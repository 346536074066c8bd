{#- Cohen's kappa, (p_o - p_e) / (1 - p_e) (Cohen 1960); null where chance alone would agree always. -#}
{% macro cohen_kappa(observed, expected) -%}
    round(({{ observed }} - {{ expected }}) / nullif(1 - {{ expected }}, 0), 12)
{%- endmacro %}

{#- Quadratic weight of two positions on an ordered scale (Cohen 1968), 0 for the same. -#}
{% macro disagreement_weight(position, other_position) -%}
    power({{ position }} - {{ other_position }}, 2)
{%- endmacro %}

{#- Weighted kappa, 1 - observed / expected weighted disagreement (Cohen 1968). -#}
{% macro weighted_kappa(observed, expected) -%}
    round(1 - {{ observed }} / nullif({{ expected }}, 0), 12)
{%- endmacro %}
