with final as (
    select
        code_template,
        presentation,
        sex,
        cast(min_age_years as integer) as min_age_years,
        cast(max_age_years as integer) as max_age_years,
        cast(fever_level as integer) as fever_level,
        cast(desaturation_level as integer) as desaturation_level,
        cast(tachycardia_level as integer) as tachycardia_level,
        cast(pressure_level as integer) as pressure_level,
        cast(glucose_level as integer) as glucose_level,
        source,
    from {{ ref('emergency_diagnoses') }}
)

select * from final
