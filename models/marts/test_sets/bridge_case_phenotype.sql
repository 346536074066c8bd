with simulated as (
    select
        case_id,
        hpo_id,
        origin,
    from {{ ref('int_test_sets__simulated_phenotypes') }}
),

recorded as (
    select distinct
        cases.case_id,
        phenotypes.hpo_id,
        'recorded' as origin,
    from {{ ref('int_test_sets__record_phenotypes') }} as phenotypes
    inner join {{ ref('int_test_sets__recorded_cases') }} as cases
        on
            phenotypes.test_set = cases.test_set
            and phenotypes.record_number = cases.case_number
    where
        phenotypes.hpo_id is not null
        and not phenotypes.is_excluded
        and cases.reject_reason is null
),

phenotypes as (
    select * from simulated
    union all
    select * from recorded
),

terms as (
    select
        hpo_id,
        hpo_name,
    from {{ ref('dim_hpo_term') }}
),

final as (
    select
        phenotypes.case_id,
        phenotypes.hpo_id,
        terms.hpo_name,
        phenotypes.origin,
    from phenotypes
    inner join terms on phenotypes.hpo_id = terms.hpo_id
)

select * from final
