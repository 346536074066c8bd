with definitions as (
    select
        test_set,
        description,
    from {{ ref('stg_registry__simulated_test_set') }}
),

cases as (
    select
        test_set,
        sha256(string_agg(content_hash, '' order by case_id)) as content_hash,
        count(*)::integer as n_cases,
        count(*) filter (where is_holdout)::integer as n_holdout,
        count(*) filter (where gold_severity is null)::integer as n_without_severity,
        count(*) filter (where icd10_code is null)::integer as n_without_icd10,
        bool_or(contains_phi) as contains_phi,
    from {{ ref('dim_case') }}
    group by all
),

final as (
    select
        definitions.test_set,
        definitions.description,
        cases.content_hash,
        left(cases.content_hash, 12) as version,
        cases.n_cases,
        cases.n_holdout,
        cases.n_without_severity,
        cases.n_without_icd10,
        cases.contains_phi,
    from definitions
    inner join cases on definitions.test_set = cases.test_set
)

select * from final
