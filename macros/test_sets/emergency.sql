{#- How the source sorts encounters by how they ended, worst first: a death; an ICU stay or at least 18
    days on a ward; 5 to 17 days on a ward. Days are whole and may be null (not admitted). -#}
{% macro encounter_outcome(discharge_reason, ward_days, icu_days) -%}
    case
        when {{ normalise_name(discharge_reason) }} in ('fallecimiento', 'exitus') then 'death'
        when coalesce({{ icu_days }}, 0) > 0 or coalesce({{ ward_days }}, 0) >= 18 then 'critical'
        when coalesce({{ ward_days }}, 0) >= 5 then 'severe'
        else 'other'
    end
{%- endmacro %}

{#- An ICD-10 code as it is looked up: upper case, nothing but letters and digits, the point after the
    third character. 'j189 ' is J18.9. -#}
{% macro clean_icd10_code(text) -%}
    regexp_replace(
        regexp_replace(upper({{ text }}), '[^A-Z0-9]', '', 'g'), '^(.{3})(.+)$', '\1.\2'
    )
{%- endmacro %}

{#- A measured value as people type it: decimal comma or point, a unit or a percent sign behind it. Null
    for anything that is no number or lies outside what can be survived for an hour. -#}
{% macro vital_sign(text, lowest, highest) -%}
    case
        when
            try_cast(
                replace(regexp_extract({{ text }}, '^\s*(\d+([.,]\d+)?)', 1), ',', '.') as double
            ) between {{ lowest }} and {{ highest }}
            then replace(regexp_extract({{ text }}, '^\s*(\d+([.,]\d+)?)', 1), ',', '.')::double
    end
{%- endmacro %}

{#- A phrase of the generator for one patient: gender endings and sides put in. -#}
{% macro fill_phrase(phrase, sex, side) -%}
    replace(replace(replace(replace(
        {{ phrase }},
        '{o}', if({{ sex }} = 'female', 'a', 'o')),
        '{a}', if({{ sex }} = 'female', 'a', '')),
        '{lado}', if({{ side }} = '1', 'derecho', 'izquierdo')),
        '{lada}', if({{ side }} = '1', 'derecha', 'izquierda'))
{%- endmacro %}

{#- First letter upper case. -#}
{% macro sentence_case(text) -%}
    upper(left({{ text }}, 1)) || substr({{ text }}, 2)
{%- endmacro %}

{#- Where one free-text judgement lists several diagnoses: a slash, a plus sign or a line break between
    spaces. 'ICC DESCOMPENSADA / EPOC' is two. -#}
{% macro judgement_parts(text) -%}
    list_filter(
        list_transform(
            regexp_split_to_array({{ text }}, '(\s/\s)|(\s\+\s)|(\s*\n\s*)'),
            lambda part: trim(regexp_replace(part, '[\s.\-]+$', ''))
        ),
        lambda part: part != ''
    )
{%- endmacro %}

{#- A text as one person types: without accents, or in capitals, if that is their way. -#}
{% macro in_own_style(text, is_without_accents, is_upper_case) -%}
    case
        when {{ is_without_accents }} and {{ is_upper_case }} then upper(strip_accents({{ text }}))
        when {{ is_without_accents }} then strip_accents({{ text }})
        when {{ is_upper_case }} then upper({{ text }})
        else {{ text }}
    end
{%- endmacro %}
