{#- Evidence is rounded to the ninth decimal: sums of floating-point numbers depend on their order,
    and two builds must break the same ties the same way. -#}

{#- Evidence of one finding for a disease, in nats: ln(P(finding | disease) / P(finding)), where
    -ln P(finding) is the information content of the term. Zero or less speaks for nothing. -#}
{% macro finding_evidence(information_content, frequency) -%}
    round({{ information_content }} + ln(greatest({{ frequency }}, 0.001)), 9)
{%- endmacro %}

{#- Evidence of an absent typical finding against a disease, in nats: -ln P(absent | disease).
    Capped at 95 percent: no annotation is sure enough to rule a disease out. -#}
{% macro absence_evidence(frequency) -%}
    round(-ln(1 - least({{ frequency }}, 0.95)), 9)
{%- endmacro %}
