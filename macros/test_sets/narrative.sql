{#- The standard case text of the source (chapter 2, section 1 and its appendix): five sections, the
    neutral reason for consultation, and the placeholders the source writes where nothing is known. -#}
{% macro narrative_case(reason, history, background, examination, tests) -%}
    concat_ws(
        e'\n\n',
        e'Motivo de consulta:\n'
        || coalesce({{ reason }}, 'Paciente acude a consulta para ser diagnosticado'),
        e'Anamnesis:\n' || {{ history }},
        e'Antecedentes:\n' || coalesce({{ background }}, 'No hay antecedentes'),
        e'Exploracion:\n' || coalesce({{ examination }}, 'No se realiza'),
        e'Pruebas clinicas:\n' || coalesce({{ tests }}, 'nan')
    )
{%- endmacro %}

{#- First sentence of the history: 'Paciente Hombre de 54 años.', or the source's placeholders. -#}
{% macro narrative_patient(sex, age_years) -%}
    'Paciente '
    || case {{ sex }} when 'male' then 'Hombre' when 'female' then 'Mujer' else 'de sexo desconocido' end
    || ' de ' || coalesce({{ age_years }}::integer::varchar, 'desconocidos') || ' años.'
{%- endmacro %}

{#- The history of a case that is only a list of phenotypes. -#}
{% macro narrative_phenotypes(names) -%}
    ' El paciente presenta los siguientes síntomas:'
    || list_aggregate(list_transform({{ names }}, lambda name: e'\n- ' || name), 'string_agg', '')
{%- endmacro %}

{#- Which language the phenotype names of one case are written in: one, or 'mixed' where a translation
    has some of them. Null where there are none. -#}
{% macro phenotype_language(name_language) -%}
    case when count(distinct {{ name_language }}) > 1 then 'mixed' else min({{ name_language }}) end
{%- endmacro %}

{#- What was looked for and not found, of a case that is only a list of phenotypes. -#}
{% macro narrative_excluded_phenotypes(names) -%}
    e'\nNo presenta:'
    || list_aggregate(list_transform({{ names }}, lambda name: e'\n- ' || name), 'string_agg', '')
{%- endmacro %}

{#- The source's section of tests: rapid ones (vital signs, numbers with a decimal point) and
    complementary ones, each under its heading only if there is any; null if there is none. -#}
{% macro narrative_tests(ta_max, ta_min, heart_rate, temperature, saturation, glucose, diuresis, complementary) -%}
    nullif(
        concat_ws(
            e'\n',
            e'-Rapidas:\n' || nullif(
                concat_ws(
                    e'\n',
                    'Tensión arterial: ' || {{ ta_max }}::varchar || ' / ' || {{ ta_min }}::varchar,
                    'Frecuencia cardiaca: ' || {{ heart_rate }}::varchar,
                    'Temperatura: ' || {{ temperature }}::varchar,
                    'Saturación de oxígeno: ' || {{ saturation }}::varchar,
                    'Glucemia: ' || {{ glucose }}::varchar,
                    'Diuresis: ' || {{ diuresis }}::varchar
                ),
                ''
            ),
            e'-Complementarias:\n' || {{ complementary }}
        ),
        ''
    )
{%- endmacro %}
