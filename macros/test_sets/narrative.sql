{#- A word of the frame in the language of the case: Spanish for Spanish cases, English for
    others. -#}
{% macro framed(language, spanish, english) -%}
    if({{ language }} = 'es', {{ spanish }}, {{ english }})
{%- endmacro %}

{#- The specified case text (docs/specification.md#narrative): its headings, and a neutral reason
    for consultation where none was recorded. Missing parts are left out with their headings: placeholders
    ('No hay antecedentes', 'No se realiza', a bare nan) would state facts about the patient that
    nobody knows. -#}
{% macro narrative_source(
    language, reason, patient, history, phenotypes, background, examination, tests
) -%}
    concat_ws(
        e'\n\n',
        {{ framed(language, "e'Motivo de consulta:\\n'", "e'Reason for consultation:\\n'") }}
        || coalesce({{ reason }}, {{ framed(
            language,
            "'Paciente acude a consulta para ser diagnosticado'",
            "'The patient comes to be diagnosed'",
        ) }}),
        {{ framed(language, "e'Anamnesis:\\n'", "e'History:\\n'") }}
        || nullif(concat_ws(' ', {{ patient }}, {{ history }}, {{ phenotypes }}), ''),
        {{ framed(language, "e'Antecedentes:\\n'", "e'Past history:\\n'") }} || {{ background }},
        {{ framed(language, "e'Exploracion:\\n'", "e'Examination:\\n'") }} || {{ examination }},
        {{ framed(language, "e'Pruebas clinicas:\\n'", "e'Clinical tests:\\n'") }} || {{ tests }}
    )
{%- endmacro %}

{#- A case that came in parts, with a heading for each part it has and nothing else; the age stays
    as written. -#}
{% macro narrative_plain(language, sex, age, reason, history, phenotypes, background, examination, tests) -%}
    concat_ws(
        e'\n\n',
        nullif(
            concat_ws(
                e'\n',
                {{ framed(language, "'Sexo: '", "'Sex: '") }}
                || case {{ sex }}
                    when 'male' then {{ framed(language, "'hombre'", "'male'") }}
                    when 'female' then {{ framed(language, "'mujer'", "'female'") }}
                end,
                {{ framed(language, "'Edad: '", "'Age: '") }} || {{ spoken_age(language, age) }}
            ),
            ''
        ),
        {{ framed(language, "e'Motivo de consulta:\\n'", "e'Reason for consultation:\\n'") }}
        || {{ reason }},
        {{ framed(language, "e'Anamnesis:\\n'", "e'History:\\n'") }} || {{ history }},
        {{ phenotypes }},
        {{ framed(language, "e'Antecedentes:\\n'", "e'Past history:\\n'") }} || {{ background }},
        {{ framed(language, "e'Exploración:\\n'", "e'Examination:\\n'") }} || {{ examination }},
        {{ framed(language, "e'Pruebas:\\n'", "e'Tests:\\n'") }} || {{ tests }}
    )
{%- endmacro %}

{#- An age as written; an ISO 8601 age ('P3Y2M') in words; of a range, its beginning. -#}
{% macro spoken_age(language, age) -%}
    if(
        regexp_matches(upper({{ age }}), '^\s*P\d'),
        coalesce(
            nullif(
                regexp_replace(concat_ws(
                    ' '
                    {%- for letter, spanish, english in [
                        ("Y", "años", "years"), ("M", "meses", "months"),
                        ("W", "semanas", "weeks"), ("D", "días", "days"),
                    ] %},
                        nullif(
                            regexp_extract(upper({{ age }}), '^[^/T]*?([1-9]\d*){{ letter }}', 1), ''
                        ) || {{ framed(language, "' " ~ spanish ~ "'", "' " ~ english ~ "'") }}
                    {%- endfor %}
                ), '\b1 (year|month|week|day|año|mes|semana|día)e?s', '1 \1', 'g'),
                ''
            ),
            {{ age }}
        ),
        {{ age }}
    )
{%- endmacro %}

{#- First sentence of the history: 'Paciente Hombre de 54 años.'; sex or age alone if the other is
    unknown, null if both are (docs/specification.md#narrative). -#}
{% macro narrative_patient(language, sex, age_years) -%}
    case
        when coalesce({{ sex }}, 'unknown') != 'unknown' or {{ age_years }} is not null
            then
                {{ framed(language, "'Paciente'", "'Patient:'") }}
                || case {{ sex }}
                    when 'male' then {{ framed(language, "' Hombre'", "' male'") }}
                    when 'female' then {{ framed(language, "' Mujer'", "' female'") }}
                    else ''
                end
                || case
                    when {{ age_years }} is null then ''
                    else
                        {{ framed(
                            language,
                            "' de ' || " ~ age_years ~ "::integer::varchar || ' años'",
                            "if(" ~ sex ~ " in ('male', 'female'), ', ', ' ') || "
                            ~ age_years ~ "::integer::varchar || ' years old'",
                        ) }}
                end
                || '.'
    end
{%- endmacro %}

{#- The phenotypes as a list, followed by a list of those looked for and not found; null without
    any. -#}
{% macro narrative_phenotypes(language, frame, names, excluded_names) -%}
    nullif(
        concat_ws(
            e'\n',
            if(
                {{ frame }} = 'source',
                {{ framed(
                    language,
                    "'El paciente presenta los siguientes síntomas:'",
                    "'The patient presents with the following findings:'",
                ) }},
                {{ framed(language, "'Presenta:'", "'Findings:'") }}
            ) || {{ bullets(names) }},
            {{ framed(language, "'No presenta:'", "'Looked for and not found:'") }}
            || {{ bullets(excluded_names) }}
        ),
        ''
    )
{%- endmacro %}

{#- One line per item, each after a line break and a dash; null for no list. -#}
{% macro bullets(items) -%}
    list_aggregate(list_transform({{ items }}, lambda item: e'\n- ' || item), 'string_agg', '')
{%- endmacro %}

{#- Language of the phenotype names of one case, or 'mixed' if a translation covers only some of
    them; null without any. -#}
{% macro phenotype_language(name_language) -%}
    case when count(distinct {{ name_language }}) > 1 then 'mixed' else min({{ name_language }}) end
{%- endmacro %}

{#- The section of tests: rapid ones (vital signs, numbers with a decimal point) and
    complementary ones, each under its heading only if there is any; null if there is none. -#}
{% macro narrative_tests(
    language, ta_max, ta_min, heart_rate, temperature, saturation, glucose, diuresis, complementary
) -%}
    nullif(
        concat_ws(
            e'\n',
            {{ framed(language, "e'-Rapidas:\\n'", "e'-Rapid:\\n'") }} || {{ narrative_vital_signs(
                language, ta_max, ta_min, heart_rate, temperature, saturation, glucose, diuresis
            ) }},
            {{ framed(language, "e'-Complementarias:\\n'", "e'-Complementary:\\n'") }}
            || {{ complementary }}
        ),
        ''
    )
{%- endmacro %}

{#- Measured values, one per line; null if nothing was measured. -#}
{% macro narrative_vital_signs(
    language, ta_max, ta_min, heart_rate, temperature, saturation, glucose, diuresis
) -%}
    nullif(
        concat_ws(
            e'\n',
            {{ framed(language, "'Tensión arterial: '", "'Blood pressure: '") }}
            || {{ ta_max }}::varchar || ' / ' || {{ ta_min }}::varchar,
            {%- for spanish, english, value in [
                ("Frecuencia cardiaca", "Heart rate", heart_rate),
                ("Temperatura", "Temperature", temperature),
                ("Saturación de oxígeno", "Oxygen saturation", saturation),
                ("Glucemia", "Glucose", glucose),
                ("Diuresis", "Urine output", diuresis),
            ] %}
                {{ framed(language, "'" ~ spanish ~ ": '", "'" ~ english ~ ": '") }}
                || {{ value }}::varchar{% if not loop.last %},{% endif %}
            {%- endfor %}
        ),
        ''
    )
{%- endmacro %}
