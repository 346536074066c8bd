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
            '^\s*\d+([.,]\d+)?\s*(d|dias?|days?|jours?|tagen?|tag|giorn[io]|天|日|sem|semanas?|weeks?'
            || '|semaines?|wochen?|settiman[ae]|h|horas?|hours?|heures?|stunden?)\.?\s*$'
        ) then 0
        when regexp_matches(
            lower(strip_accents({{ text }})),
            '^\s*\d+([.,]\d+)?\s*(m|mos?|mes|meses|mesos|mes[ei]|mois|months?|monaten?|monat)\.?\s*$'
        ) then try_cast(regexp_extract({{ text }}, '(\d+)', 1) as integer) // 12
        -- years and months: '3y 2m', '62a 11m', '3岁2月'; the months are of a year that has begun
        when
            regexp_matches(
                lower(strip_accents({{ text }})),
                '^\s*\d{1,3}\s*(a|ans?|anos?|anys?|anni|years?|yrs?|y|jahre?|j|岁|歲)\.?[\s,]*(y|e|i|et|and|und)?'
                || '\s*\d{1,2}\s*(m|mo|mos|mths?|mes|meses|mesos|mois|mesi|months?|monate?|个?月|個月)\.?\s*$'
            )
            and try_cast(regexp_extract({{ text }}, '(\d+)', 1) as integer) <= 120
            then try_cast(regexp_extract({{ text }}, '(\d+)', 1) as integer)
        when regexp_matches({{ text }}, '^\s*\d{1,2}\s*(个月|個月|月)\s*$')
            then try_cast(regexp_extract({{ text }}, '(\d+)', 1) as integer) // 12
        when
            regexp_matches(
                lower(strip_accents({{ text }})),
                '^\s*\d+([.,]\d+)?\s*(a|ans?|anos?|anys?|ann[io]|years?|yrs?|y|yo|y/o|jahren?|jahr|j|岁|歲)?\.?\s*$'
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

{#- Whether a sex as written says that it is not known or neither of two: nothing is lost then. -#}
{% macro says_sex_unknown(text) -%}
    {{ normalise_name(text) }} in (
        '', 'u', 'unk', 'unknown', 'unknown sex', 'not known', 'na', 'n a', 'nan', 'none', 'null',
        'other', 'other sex', 'x', 'diverse', 'divers', 'd', 'intersex', 'undetermined',
        'desconocido', 'desconocida', 'no consta', 'otro', 'otra', 'indeterminado', 'inconnu',
        'autre', 'unbekannt', 'sconosciuto'
    )
{%- endmacro %}
