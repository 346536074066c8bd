with patients as (
    select
        case_id,
        n_present,
        n_with_onset,
        n_excluded,
        coalesce(prior_tests, '') != '' as has_prior_tests,
        coalesce(family_history, '') != '' as has_family_history,
    from {{ ref('int_phenotyping__patients') }}
),

weights as (
    select
        max(weight) filter (where component = 'phenotypes') as phenotypes,
        max(weight) filter (where component = 'timing') as timing,
        max(weight) filter (where component = 'exclusions') as exclusions,
        max(weight) filter (where component = 'tests') as tests,
        max(weight) filter (where component = 'family') as family,
    from {{ ref('completeness_weights') }}
),

final as (
    select
        patients.case_id,
        patients.n_present,
        patients.n_with_onset,
        patients.n_excluded,
        {{ data_completeness(
            "patients.n_present", "patients.n_with_onset", "patients.n_excluded",
            "patients.has_prior_tests", "patients.has_family_history"
        ) }} as completeness,
        patients.has_prior_tests,
        patients.has_family_history,
    from patients
    cross join weights
)

select * from final
