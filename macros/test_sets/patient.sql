{#- Age in whole years, from the forms that people and standards use: 54, 54.0, '54 años', '8
    meses', '12 d', ISO 8601 'P3Y2M', a range 'P3Y/P4Y' (its beginning). Null for text that is not
    an age, or above 120. -#}
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

{#- Whether the file of a record writes sexes by Spanish initials: beside an H or a V (hombre, varón)
    M is mujer, unless an F or a W says that women are called otherwise. -#}
{% macro writes_spanish_initials(sex) -%}
    bool_or({{ normalise_name(sex) }} in ('h', 'v')) over (partition by test_set, source_hash)
    and not bool_or({{ normalise_name(sex) }} in ('f', 'w'))
        over (partition by test_set, source_hash)
{%- endmacro %}

{#- female, male or unknown, in the languages of western Europe. A lone M means mujer if the file
    writes Spanish initials (writes_spanish_initials), and male elsewhere. -#}
{% macro sex_of(text, spanish_initials) -%}
    case
        when
            {{ normalise_name(text) }} in (
                'f', 'w', 'female', 'woman', 'girl', 'mujer', 'femenino', 'femenina', 'hembra',
                'nina', 'femme', 'feminin', 'fille', 'frau', 'weiblich', 'weibl', 'madchen',
                'femmina', 'donna', 'feminino', 'mulher', 'dona'
            )
            then 'female'
        when
            {{ normalise_name(text) }} in (
                'h', 'v', 'male', 'man', 'boy', 'hombre', 'varon', 'masculino', 'masculina', 'nino',
                'homme', 'masculin', 'garcon', 'mann', 'mannlich', 'mannl', 'junge', 'maschio',
                'uomo', 'homem', 'home'
            )
            then 'male'
        when {{ normalise_name(text) }} = 'm' and {{ spanish_initials }} then 'female'
        when {{ normalise_name(text) }} = 'm' then 'male'
        else 'unknown'
    end
{%- endmacro %}
