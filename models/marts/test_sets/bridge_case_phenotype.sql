with simulated_cases as (
    select * from {{ ref('int_test_sets__simulated_cases') }}
),

recorded_cases as (
    select *
    from {{ ref('int_test_sets__recorded_cases') }}
    where reject_reason is null and not is_for_reading
),

simulated as (
    select
        phenotypes.*,
        simulated_cases.language,
        false as is_excluded,
    from {{ ref('int_test_sets__simulated_phenotypes') }} as phenotypes
    inner join simulated_cases on phenotypes.case_id = simulated_cases.case_id
),

-- a finding reported both as seen and as not seen counts as seen
recorded as (
    select
        recorded_cases.case_id,
        phenotypes.hpo_id,
        'recorded' as origin,
        recorded_cases.language,
        bool_and(phenotypes.is_excluded) as is_excluded,
    from {{ ref('int_test_sets__record_phenotypes') }} as phenotypes
    inner join recorded_cases
        on
            phenotypes.test_set = recorded_cases.test_set
            and phenotypes.record_number = recorded_cases.case_number
    where phenotypes.hpo_id is not null
    group by all
),

phenotypes as (
    select * from simulated
    union all by name
    select * from recorded
),

terms as (
    select * from {{ ref('dim_hpo_term') }}
),

translations as (
    select * from {{ ref('dim_hpo_term_translation') }}
),

final as (
    select
        phenotypes.case_id,
        phenotypes.hpo_id,
        terms.hpo_name,
        coalesce(translations.name, terms.hpo_name) as written_name,
        coalesce(translations.name_language, 'en') as written_language,
        phenotypes.origin,
        phenotypes.is_excluded,
    from phenotypes
    inner join terms on phenotypes.hpo_id = terms.hpo_id
    left join translations
        on
            phenotypes.hpo_id = translations.hpo_id
            and phenotypes.language = translations.language
)

select * from final
