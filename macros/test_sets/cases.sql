{#- The id of a case: its set and its number in it, with four digits or as many as it has. -#}
{% macro case_id(test_set, case_number) -%}
    format('{}/{:04d}', {{ test_set }}, {{ case_number }}::bigint)
{%- endmacro %}

{#- 'A also known as B / C': one gold diagnosis with its other names
    (docs/specification.md#gold-diagnosis). -#}
{% macro gold_diagnosis(preferred_name, other_names) -%}
    {{ preferred_name }} || case
        when len({{ other_names }}) > 0
            then ' also known as ' || array_to_string({{ other_names }}, ' / ')
        else ''
    end
{%- endmacro %}

{#- An id of a disease as the vocabularies write it: upper case, ORPHA for Orphanet. -#}
{% macro disease_id_as_written(text) -%}
    regexp_replace(upper(trim({{ text }})), '^ORPHANET[:_]', 'ORPHA:')
{%- endmacro %}

{#- Held out for good: one case in five, decided by its id alone, so that growing a set moves
    nobody. -#}
{% macro is_holdout(case_id) -%}
    {{ uniform("'holdout:' || " ~ case_id) }} < 0.2
{%- endmacro %}

{#- Age bands of the reports; 15 is the last pediatric year
    (docs/specification.md#encounter-outcomes). -#}
{% macro age_band(age_years) -%}
    case
        when {{ age_years }} is null then 'unknown'
        when {{ age_years }} < 1 then '0'
        when {{ age_years }} <= 15 then '1-15'
        when {{ age_years }} <= 40 then '16-40'
        when {{ age_years }} <= 65 then '41-65'
        else '66+'
    end
{%- endmacro %}

{#- Weight of a case that lets every diagnosis of a set count the same: N / (K n), N cases, K
    classes, n cases of the class (the 'balanced' heuristic of King and Zeng 2001). The weights of a
    set sum to N. -#}
{% macro class_weight(set_column, class_column) -%}
    count(*) over (partition by {{ set_column }})::double
    / (
        count(distinct {{ class_column }}) over (partition by {{ set_column }})
        * count(*) over (partition by {{ set_column }}, {{ class_column }})
    )
{%- endmacro %}
