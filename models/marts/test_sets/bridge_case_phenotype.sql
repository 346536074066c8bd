with simulated as (
    select
        phenotypes.case_id,
        phenotypes.hpo_id,
        phenotypes.origin,
        cases.language,
        false as is_excluded,
    from {{ ref('int_test_sets__simulated_phenotypes') }} as phenotypes
    inner join {{ ref('int_test_sets__simulated_cases') }} as cases
        on phenotypes.case_id = cases.case_id
),

-- what a source reports as seen and as not seen was seen
recorded as (
    select
        cases.case_id,
        phenotypes.hpo_id,
        'recorded' as origin,
        cases.language,
        bool_and(phenotypes.is_excluded) as is_excluded,
    from {{ ref('int_test_sets__record_phenotypes') }} as phenotypes
    inner join {{ ref('int_test_sets__recorded_cases') }} as cases
        on
            phenotypes.test_set = cases.test_set
            and phenotypes.record_number = cases.case_number
    where
        phenotypes.hpo_id is not null
        and cases.reject_reason is null
        and not cases.is_for_reading
    group by all
),

phenotypes as (
    select
        case_id,
        hpo_id,
        origin,
        language,
        is_excluded,
    from simulated
    union all
    select
        case_id,
        hpo_id,
        origin,
        language,
        is_excluded,
    from recorded
),

terms as (
    select * from {{ ref('dim_hpo_term') }}
),

names as (
    select * from {{ ref('dim_hpo_term_translation') }}
),

final as (
    select
        phenotypes.case_id,
        phenotypes.hpo_id,
        terms.hpo_name,
        coalesce(names.name, terms.hpo_name) as written_name,
        coalesce(names.name_language, 'en') as written_language,
        phenotypes.origin,
        phenotypes.is_excluded,
    from phenotypes
    inner join terms on phenotypes.hpo_id = terms.hpo_id
    left join names
        on phenotypes.hpo_id = names.hpo_id and phenotypes.language = names.language
)

select * from final
