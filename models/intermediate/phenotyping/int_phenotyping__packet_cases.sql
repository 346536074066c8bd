with patients as (
    select
        case_id,
        sex,
        prior_tests,
        family_history,
        age_years,
    from {{ ref('int_phenotyping__patients') }}
    where not is_stopped
),

final as (
    select
        patients.case_id,
        patients.sex,
        patients.prior_tests,
        patients.family_history,
        patients.age_years,
        completeness.completeness,
    from patients
    inner join {{ ref('int_phenotyping__completeness') }} as completeness
        on patients.case_id = completeness.case_id
)

select * from final
