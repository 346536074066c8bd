with patients as (
    select
        source_row,
        code_template,
        age_group,
        sex,
        age_years,
    from {{ ref('int_test_sets__emergency_patients') }}
    where not is_unusable
),

final as (
    select
        patients.source_row,
        patients.code_template,
        patients.sex,
        patients.age_years,
    from patients
    left join {{ ref('emergency_diagnoses') }} as diagnoses
        on patients.code_template = diagnoses.code_template
    where
        diagnoses.code_template is null
        or diagnoses.sex not in ('any', patients.sex)
        or patients.age_years not between diagnoses.min_age_years and diagnoses.max_age_years
        or (patients.age_group = 'child') != (patients.age_years <= 15)
)

select * from final
