{#- Age in whole years out of what people and standards write: 54, 54.0, '54 años', '8 meses', '12
    d', ISO 8601 'P3Y2M', a range 'P3Y/P4Y' (its beginning). Null for what is no age or above
    120. -#}
{% macro age_in_years(text) -%}
    case
        when {{ text }} is null then null
        when regexp_matches(upper({{ text }}), '^\s*P\d')
            then
                coalesce(
                    try_cast(regexp_extract(upper({{ text }}), '^\s*P(\d+)(\.\d+)?Y', 1) as integer),
                    try_cast(
                        regexp_extract(upper({{ text }}), '^\s*P(\d+)(\.\d+)?M', 1) as integer
                    ) // 12,
                    case when regexp_matches(upper({{ text }}), '^\s*P\d+(\.\d+)?[WD]') then 0 end
                )
        when regexp_matches(
            lower(strip_accents({{ text }})),
            '^\s*\d+([.,]\d+)?\s*(d|dia|dias|day|days|sem|semana|semanas|week|weeks|h|horas)\.?\s*$'
        ) then 0
        when regexp_matches(
            lower(strip_accents({{ text }})), '^\s*\d+([.,]\d+)?\s*(m|mes|meses|month|months)\.?\s*$'
        ) then try_cast(regexp_extract({{ text }}, '(\d+)', 1) as integer) // 12
        when
            regexp_matches(
                lower(strip_accents({{ text }})),
                '^\s*\d+([.,]\d+)?\s*(a|ano|anos|year|years|y|yo|y/o)?\.?\s*$'
            )
            and try_cast(regexp_extract({{ text }}, '(\d+)', 1) as integer) <= 120
            then try_cast(regexp_extract({{ text }}, '(\d+)', 1) as integer)
    end
{%- endmacro %}

{#- female, male or unknown. A lone M means mujer beside an H or a V (hombre, varón) and male
    elsewhere; `spanish_initials` says whether the set writes H or V. -#}
{% macro sex_of(text, spanish_initials) -%}
    case
        when {{ normalise_name(text) }} in ('f', 'female', 'mujer', 'femenino', 'woman', 'girl', 'nina')
            then 'female'
        when
            {{ normalise_name(text) }}
            in ('h', 'v', 'male', 'hombre', 'varon', 'masculino', 'man', 'boy', 'nino')
            then 'male'
        when {{ normalise_name(text) }} = 'm' and {{ spanish_initials }} then 'female'
        when {{ normalise_name(text) }} = 'm' then 'male'
        else 'unknown'
    end
{%- endmacro %}
