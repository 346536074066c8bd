-- Generated and imported records in one layout. A generated one is what a hospital exports: the
-- phrases put together as one person writes, with that person's habits (capitals, no accents,
-- typing errors) and with codes as people type them.
with patients as (
    select
        *,
        {{ uniform("draw_key || ':upper'") }} < 0.06 as is_upper_case,
        {{ uniform("draw_key || ':accents'") }} < 0.12 as is_without_accents,
        {{ uniform("draw_key || ':swap'") }} < 0.15 as is_careless,
        if({{ uniform("draw_key || ':separator'") }} < 0.7, '. ', ', ') as separator,
        -- a draw in [0, 1) for each thing that is decided below
        {{ uniform("draw_key || ':code'") }} as code_draw,
        {{ uniform("draw_key || ':discharge'") }} as discharge_draw,
        {{ uniform("draw_key || ':days'") }} as days_draw,
        {{ uniform("draw_key || ':where'") }} as ward_draw,
        replace(code_template, '~', side) as code,
        lead(replace(code_template, '~', side), 17, 'R69') over (
            partition by test_set order by source_row
        ) as somebody_elses_code,
    from {{ ref('int_test_sets__emergency_patients') }}
),

phrases as (
    select * from {{ ref('int_test_sets__emergency_phrases') }}
),

-- one phrase of some kinds, a list of others
parts as (
    select
        test_set,
        source_row,
        {%- for kind in [
            "complaint", "opening", "state", "treatment", "negation", "test", "judgement",
            "comorbidity", "unusable_reason",
        ] %}
            max(phrase) filter (where kind = '{{ kind }}') as {{ kind }},
        {%- endfor %}
        {%- for kind in ["history", "negated", "background"] %}
            list(phrase order by phrase_order) filter (where kind = '{{ kind }}') as {{ kind }},
        {%- endfor %}
        list(phrase order by kind, phrase_order)
        filter (where kind in ('examination', 'normal_examination')) as examination,
    from phrases
    group by all
),

-- 'No fiebre, no tos', 'Sin fiebre, sin tos', 'Niega fiebre ni tos'
negations as (
    select
        *,
        replace(
            negation,
            '{lista}',
            case negation
                when 'No {lista}' then array_to_string(negated, ', no ')
                when 'Sin {lista}' then array_to_string(negated, ', sin ')
                else array_to_string(negated, ' ni ')
            end
        ) as negative_findings,
    from parts
),

written as (
    select
        patients.*,
        negations.complaint,
        negations.judgement,
        negations.comorbidity,
        negations.unusable_reason,
        if(
            patients.is_unusable, null,
            replace(negations.opening, '{motivo}', negations.complaint) || patients.separator
            || if(
                patients.separator = '. ',
                array_to_string(
                    list_transform(
                        negations.history, lambda phrase: {{ sentence_case("phrase") }}
                    ),
                    '. '
                ),
                array_to_string(negations.history, ', ')
            )
            || coalesce('. ' || negations.negative_findings, '')
            || coalesce('. ' || negations.treatment, '') || '.'
        ) as history,
        negations.state || '. '
        || array_to_string(
            list_transform(negations.examination, lambda phrase: {{ sentence_case("phrase") }}),
            '. '
        ) || '.' as examination,
        negations.test as complementary,
        array_to_string(negations.background, '. ') as background,
    from patients
    inner join negations
        on
            patients.test_set = negations.test_set
            and patients.source_row = negations.source_row
),

styled as (
    select
        * replace (
            {%- for column in ["history", "examination", "complementary", "background"] %}
                {{ in_own_style(column, "is_without_accents", "is_upper_case") }} as {{ column }}
                {%- if not loop.last %},{% endif %}
            {%- endfor %}
        ),
        20 + floor((length(history) - 40) * code_draw)::integer as slip_position,
    from written
),

generated as (
    select
        test_set,
        source_row as record_number,
        'generated' as source_file,
        'generated' as source_hash,
        'urg' as source_format,
        source_row as source_line,
        'es' as language,
        'source' as frame,
        {{ sentence_case("complaint") }} || '.-' as reason,
        -- two letters in the middle of the history are swapped
        case
            when is_careless and length(history) > 40
                then
                    left(history, slip_position)
                    || substr(history, slip_position + 2, 1)
                    || substr(history, slip_position + 1, 1)
                    || substr(history, slip_position + 3)
            else history
        end as history,
        background,
        examination,
        complementary,
        case sex when 'female' then 'Mujer' else 'Hombre' end as sex,
        age_years::varchar as age,
        {%- for column in [
            "ta_max", "ta_min", "frec_cardiaca", "temperatura", "sat_oxigeno", "glucemia",
            "diuresis",
        ] %}
            if(
                is_without_vitals or is_unusable,
                null,
                {{ column }}::double::varchar
            ) as {{ column }},
        {%- endfor %}
        case
            when is_unusable then null
            when contains(upper(judgement), upper(comorbidity))
                then judgement
            else concat_ws(' / ', judgement, comorbidity)
        end as judgement,
        -- admitted patients are coded again on discharge: their codes are right
        case
            when code is null or outcome != 'discharge' then code
            when code_draw < 0.03 then null
            when code_draw < 0.05 then replace(code, '.', '')
            when code_draw < 0.06 then lower(code) || ' '
            when code_draw < 0.07 then left(code, 3)
            when code_draw < 0.08 then somebody_elses_code
            when code_draw < 0.085 then 'ZZ' || left(code, 1)
            else code
        end as icd10_code,
        case
            when is_unusable then unusable_reason
            when outcome = 'death' then 'Fallecimiento'
            when outcome != 'discharge' then 'Ingreso hospitalario'
            when discharge_draw < 0.03 then 'Ingreso hospitalario'
            when age_group = 'child' and discharge_draw < 0.6
                then 'Control por su pediatra'
            when discharge_draw < 0.6 then 'Control por su médico de familia'
            when discharge_draw < 0.63 then 'Alta voluntaria'
            else 'Alta a domicilio'
        end as discharge_reason,
        -- within the bounds of docs/specification.md#encounter-outcomes; a death comes early or
        -- from intensive care
        case
            when is_unusable then null
            when outcome = 'severe' then 5 + floor(13 * days_draw)
            when outcome = 'critical' and ward_draw < 0.5
                then 18 + floor(25 * days_draw)
            when outcome = 'critical' then floor(17 * days_draw)
            when outcome = 'death' then floor(4 * days_draw)
            when discharge_draw < 0.03 then 1 + floor(4 * days_draw)
        end::integer::varchar as ward_days,
        case
            when outcome = 'critical' and ward_draw >= 0.5
                then 1 + floor(9 * days_draw)
            when outcome = 'death' and ward_draw < 0.4
                then 1 + floor(4 * days_draw)
            when outcome in ('critical', 'severe') then 0
        end::integer::varchar as icu_days,
        false as is_for_reading,
        false as contains_phi,
    from styled
),

imported as (
    select
        * replace (
            -- records imported before there was a choice, or by another command
            coalesce(
                frame, if(source_format in ('urg', 'rarebench', 'phenopacket'), 'source', 'plain')
            ) as frame,
            coalesce(is_for_reading, false) as is_for_reading
        ),
    from {{ ref('stg_cases__record') }}
),

-- by name: a generated record lacks half of what an import may bring
final as (
    select * from generated
    union all by name
    select * from imported
)

-- the import decides the layout
select * from final  -- noqa: AM04
