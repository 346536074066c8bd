{#- Whether a finding raises a red flag of its term: it is there today, and the sentence has the
    words that the flag asks for. -#}
{% macro raises_flag(phenotype, flag) -%}
    {{ phenotype }}.status = 'present'
    and (
        {{ flag }}.words is null
        or regexp_matches(lower(strip_accents({{ phenotype }}.evidence)), {{ flag }}.words)
    )
{%- endmacro %}
