with patients as (
    select
        test_set,
        source_row,
        draw_key,
        code_template,
        outcome,
        sex,
        side,
        age_group,
        age_years,
        ta_max,
        ta_min,
        frec_cardiaca,
        temperatura,
        sat_oxigeno,
        glucemia,
        diuresis,
        is_without_vitals,
        is_unusable,
        {{ uniform("draw_key || ':upper'") }} < 0.06 as is_upper_case,
        {{ uniform("draw_key || ':accents'") }} < 0.12 as is_without_accents,
        {{ uniform("draw_key || ':swap'") }} < 0.15 as is_mistyped,
        if({{ uniform("draw_key || ':separator'") }} < 0.7, '. ', ', ') as separator,
        {{ uniform("draw_key || ':code'") }} as code_luck,
        {{ uniform("draw_key || ':discharge'") }} as discharge_luck,
        {{ uniform("draw_key || ':days'") }} as days_luck,
        {{ uniform("draw_key || ':where'") }} as place_luck,
    from {{ ref('int_test_sets__emergency_patients') }}
),

phrases as (
    select * from {{ ref('int_test_sets__emergency_phrases') }}
),

parts as (
    select
        patients.test_set,
        patients.source_row,
        max(phrases.phrase) filter (where phrases.kind = 'complaint') as complaint,
        max(phrases.phrase) filter (where phrases.kind = 'opening') as opening,
        max(phrases.phrase) filter (where phrases.kind = 'state') as state,
        max(phrases.phrase) filter (where phrases.kind = 'treatment') as treatment,
        max(phrases.phrase) filter (where phrases.kind = 'negation') as negation,
        max(phrases.phrase) filter (where phrases.kind = 'test') as test,
        max(phrases.phrase) filter (where phrases.kind = 'judgement') as judgement,
        max(phrases.phrase) filter (where phrases.kind = 'comorbidity') as comorbidity,
        max(phrases.phrase) filter (where phrases.kind = 'unusable_reason') as unusable_reason,
        list(phrases.phrase order by phrases.phrase_order)
        filter (where phrases.kind = 'history') as history,
        list(phrases.phrase order by phrases.phrase_order)
        filter (where phrases.kind = 'negated') as negated,
        list(phrases.phrase order by phrases.kind, phrases.phrase_order)
        filter (where phrases.kind in ('examination', 'normal_examination')) as examination,
        list(phrases.phrase order by phrases.phrase_order)
        filter (where phrases.kind = 'background') as background,
    from patients
    inner join phrases
        on
            patients.test_set = phrases.test_set
            and patients.source_row = phrases.source_row
    group by all
),

written as (
    select
        patients.test_set,
        patients.source_row,
        patients.draw_key,
        patients.outcome,
        patients.sex,
        patients.age_group,
        patients.age_years,
        patients.ta_max,
        patients.ta_min,
        patients.frec_cardiaca,
        patients.temperatura,
        patients.sat_oxigeno,
        patients.glucemia,
        patients.diuresis,
        patients.is_without_vitals,
        patients.is_unusable,
        patients.is_upper_case,
        patients.is_without_accents,
        patients.is_mistyped,
        patients.code_luck,
        patients.discharge_luck,
        patients.days_luck,
        patients.place_luck,
        parts.complaint,
        parts.judgement,
        parts.comorbidity,
        parts.unusable_reason,
        if(
            patients.is_unusable, null,
            replace(parts.opening, '{motivo}', parts.complaint) || patients.separator
            || if(
                patients.separator = '. ',
                array_to_string(
                    list_transform(parts.history, lambda phrase: {{ sentence_case("phrase") }}),
                    '. '
                ),
                array_to_string(parts.history, ', ')
            )
            || coalesce(
                '. ' || replace(
                    parts.negation, '{lista}',
                    case parts.negation
                        when 'No {lista}' then array_to_string(parts.negated, ', no ')
                        when 'Sin {lista}' then array_to_string(parts.negated, ', sin ')
                        else array_to_string(parts.negated, ' ni ')
                    end
                ),
                ''
            )
            || coalesce('. ' || parts.treatment, '') || '.'
        ) as enfermedad_actual,
        parts.state || '. '
        || array_to_string(
            list_transform(parts.examination, lambda phrase: {{ sentence_case("phrase") }}), '. '
        ) || '.' as exploracion,
        parts.test as exploracion_compl,
        array_to_string(parts.background, '. ') as antecedentes,
    from patients
    inner join parts
        on patients.test_set = parts.test_set and patients.source_row = parts.source_row
),

-- the code as somebody typed it. Admitted patients are coded again on discharge: theirs are right
codes as (
    select
        test_set,
        source_row,
        code_luck,
        outcome != 'discharge' as is_coded_again,
        replace(code_template, '~', side) as code,
        lead(replace(code_template, '~', side), 17, 'R69') over (
            partition by test_set order by source_row
        ) as somebody_elses_code,
    from patients
),

typed as (
    select
        test_set,
        source_row,
        case
            when code is null or is_coded_again then code
            when code_luck < 0.03 then null
            when code_luck < 0.05 then replace(code, '.', '')
            when code_luck < 0.06 then lower(code) || ' '
            when code_luck < 0.07 then left(code, 3)
            when code_luck < 0.08 then somebody_elses_code
            when code_luck < 0.085 then 'ZZ' || left(code, 1)
            else code
        end as diag_cie,
    from codes
),

-- two letters of a word in the middle of the history change places
mistyped as (
    select
        test_set,
        source_row,
        is_mistyped and length(enfermedad_actual) > 40 as is_mistyped,
        20 + floor((length(enfermedad_actual) - 40) * code_luck)::integer as place,
    from written
),

styled as (
    select
        written.test_set,
        written.source_row,
        {%- for column in [
            "enfermedad_actual", "exploracion", "exploracion_compl", "antecedentes",
        ] %}
            {{ in_own_style(
                "written." ~ column, "written.is_without_accents", "written.is_upper_case"
            ) }} as {{ column }},
        {%- endfor %}
    from written
),

final as (
    select
        written.test_set,
        written.source_row,
        {{ sentence_case("written.complaint") }} || '.-' as motivo_consulta,
        case
            when mistyped.is_mistyped
                then
                    left(styled.enfermedad_actual, mistyped.place)
                    || substr(styled.enfermedad_actual, mistyped.place + 2, 1)
                    || substr(styled.enfermedad_actual, mistyped.place + 1, 1)
                    || substr(styled.enfermedad_actual, mistyped.place + 3)
            else styled.enfermedad_actual
        end as enfermedad_actual,
        styled.exploracion,
        styled.exploracion_compl,
        styled.antecedentes,
        case
            when written.is_unusable then null
            when contains(upper(written.judgement), upper(written.comorbidity))
                then written.judgement
            else concat_ws(' / ', written.judgement, written.comorbidity)
        end as juicio_diagnostico,
        typed.diag_cie,
        case written.sex when 'female' then 'Mujer' else 'Hombre' end as sexo,
        written.age_years::varchar as edad,
        {%- for column in [
            "ta_max", "ta_min", "frec_cardiaca", "temperatura", "sat_oxigeno", "glucemia",
            "diuresis",
        ] %}
            if(
                written.is_without_vitals or written.is_unusable,
                null,
                written.{{ column }}::double::varchar
            ) as {{ column }},
        {%- endfor %}
        case
            when written.is_unusable then written.unusable_reason
            when written.outcome = 'death' then 'Fallecimiento'
            when written.outcome != 'discharge' then 'Ingreso hospitalario'
            when written.discharge_luck < 0.03 then 'Ingreso hospitalario'
            when written.age_group = 'child' and written.discharge_luck < 0.6
                then 'Control por su pediatra'
            when written.discharge_luck < 0.6 then 'Control por su médico de familia'
            when written.discharge_luck < 0.63 then 'Alta voluntaria'
            else 'Alta a domicilio'
        end as motivo_alta_ingreso,
        -- the bounds are the source's filters; a death comes early or from intensive care
        case
            when written.is_unusable then null
            when written.outcome = 'severe' then 5 + floor(13 * written.days_luck)
            when written.outcome = 'critical' and written.place_luck < 0.5
                then 18 + floor(25 * written.days_luck)
            when written.outcome = 'critical' then floor(17 * written.days_luck)
            when written.outcome = 'death' then floor(4 * written.days_luck)
            when written.discharge_luck < 0.03 then 1 + floor(4 * written.days_luck)
        end::integer::varchar as est_planta,
        case
            when written.outcome = 'critical' and written.place_luck >= 0.5
                then 1 + floor(9 * written.days_luck)
            when written.outcome = 'death' and written.place_luck < 0.4
                then 1 + floor(4 * written.days_luck)
            when written.outcome in ('critical', 'severe') then 0
        end::integer::varchar as est_uci,
    from written
    inner join styled
        on written.test_set = styled.test_set and written.source_row = styled.source_row
    inner join typed
        on written.test_set = typed.test_set and written.source_row = typed.source_row
    inner join mistyped
        on written.test_set = mistyped.test_set and written.source_row = mistyped.source_row
)

select * from final
