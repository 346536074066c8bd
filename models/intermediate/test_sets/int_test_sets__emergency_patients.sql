-- The patients of the emergency department and their vital signs. Every random number has a key of
-- its own after the patient's, so that a new one changes none of the others.
with draw as (
    select * from {{ ref('int_test_sets__emergency_draw') }}
),

diagnoses as (
    select * from {{ ref('emergency_diagnoses') }}
),

-- the limits of the diagnosis; 15 is the last pediatric year
-- (docs/specification.md#encounter-outcomes)
limits as (
    select
        draw.* exclude (draw_key, seed),
        draw.seed || ':' || draw.draw_key as draw_key,
        diagnoses.presentation,
        case
            when coalesce(diagnoses.sex, 'any') != 'any' then diagnoses.sex
            when {{ uniform("draw.seed || ':sex:' || draw.draw_key") }} < 0.52 then 'female'
            else 'male'
        end as sex,
        case
            when draw.age_group = 'child' then coalesce(diagnoses.min_age_years, 0)
            else greatest(coalesce(diagnoses.min_age_years, 16), 16)
        end as lowest_age,
        case
            when draw.age_group = 'child' then least(coalesce(diagnoses.max_age_years, 15), 15)
            else coalesce(diagnoses.max_age_years, 90)
        end as highest_age,
        {%- for sign in ["fever", "desaturation", "tachycardia", "pressure", "glucose"] %}
            coalesce(diagnoses.{{ sign }}_level, 0) as {{ sign }}_level,
        {%- endfor %}
    from draw
    left join diagnoses on draw.code_template = diagnoses.code_template
),

-- children are mostly young, admitted patients mostly old: the exponent bends the uniform number
people as (
    select
        *,
        if({{ uniform("draw_key || ':side'") }} < 0.5, '1', '2') as side,
        least(
            highest_age,
            lowest_age + floor(
                (highest_age - lowest_age + 1)
                * pow(
                    {{ uniform("draw_key || ':age'") }},
                    case
                        when age_group = 'child' then 1.6
                        when outcome = 'discharge' then 1.3
                        else 0.5
                    end
                )
            )
        )::integer as age_years,
        outcome != 'discharge' as is_admitted,
    from limits
),

-- resting values by age, shifted by the illness
vitals as (
    select
        *,
        case
            when age_years < 1 then 95
            when age_years < 6 then 100
            when age_years < 13 then 108
            else 113 + 0.3 * least(age_years, 80)
        end
        + 22 * ({{ uniform("draw_key || ':ta'") }} - 0.5)
        + case pressure_level when 1 then 38 when 2 then -38 else 0 end as systolic,
        case
            when age_years < 1 then 132
            when age_years < 4 then 112
            when age_years < 11 then 92
            else 76
        end
        + 20 * ({{ uniform("draw_key || ':fc'") }} - 0.5)
        + 25 * tachycardia_level + 8 * fever_level as heart_rate,
        case fever_level when 0 then 36.5 when 1 then 37.7 else 38.8 end
        + ({{ uniform("draw_key || ':temp'") }} - 0.5)
        * case fever_level when 0 then 1.0 when 1 then 0.8 else 1.2 end as temperature,
        case desaturation_level when 0 then 96 when 1 then 93 when 2 then 88 else 80 end
        + floor(4 * {{ uniform("draw_key || ':sat'") }}) as saturation,
        case glucose_level when 2 then 240 when 3 then 430 when 4 then 45 else 104 end
        * (0.9 + 0.2 * {{ uniform("draw_key || ':glu'") }}) as glucose,
    from people
),

-- patients sent home from the waiting room have no vital signs, small children seldom a blood
-- pressure
final as (
    select
        test_set,
        source_row,
        draw_key,
        code_template,
        presentation,
        age_group,
        outcome,
        sex,
        side,
        age_years,
        case
            when
                {{ uniform("draw_key || ':ta?'") }}
                < if(is_admitted or pressure_level > 0, 0.97, if(age_years < 12, 0.12, 0.68))
                then round(systolic)
        end as ta_max,
        case
            when ta_max is not null
                then round(systolic * (0.56 + 0.08 * {{ uniform("draw_key || ':tamin'") }}))
        end as ta_min,
        case
            when {{ uniform("draw_key || ':fc?'") }} < if(is_admitted, 0.98, 0.7)
                then round(heart_rate)
        end as frec_cardiaca,
        case
            when
                {{ uniform("draw_key || ':t?'") }}
                < if(is_admitted or fever_level > 0, 0.92, 0.6)
                then round(temperature, 1)
        end as temperatura,
        case
            when
                {{ uniform("draw_key || ':sat?'") }}
                < if(is_admitted or desaturation_level > 0, 0.97, 0.5)
                then saturation
        end as sat_oxigeno,
        case
            when {{ uniform("draw_key || ':glu?'") }} < if(glucose_level > 0, 0.95, 0.06)
                then round(glucose)
        end as glucemia,
        case
            when is_admitted and {{ uniform("draw_key || ':diu?'") }} < 0.3
                then
                    round(
                        if(pressure_level = 2, 100, 500)
                        + 900 * {{ uniform("draw_key || ':diu'") }}
                        * if(pressure_level = 2, 0.3, 1),
                        -1
                    )
        end as diuresis,
        not is_admitted and {{ uniform("draw_key || ':vitals'") }} < 0.15 as is_without_vitals,
        is_unusable,
    from vitals
)

select * from final
