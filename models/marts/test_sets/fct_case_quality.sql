with cases as (
    select * from {{ ref('dim_case') }}
),

leaks as (
    select * from {{ ref('int_test_sets__case_leakage') }}
),

duplicates as (
    select * from {{ ref('int_test_sets__case_duplicates') }}
),

ambiguous_golds as (
    select distinct case_id,
    from {{ ref('fct_clinical_impression') }}
    where status = 'ambiguous'
),

final as (
    select
        cases.case_id,
        cases.test_set,
        duplicates.duplicate_of_case_id,
        duplicates.near_duplicate_of_case_id,
        leaks.leaked_name,
        duplicates.similarity,
        duplicates.n_copies,
        duplicates.duplicate_of_case_id is not null as is_exact_duplicate,
        duplicates.near_duplicate_of_case_id is not null as is_near_duplicate,
        leaks.case_id is not null as is_leaking,
        cases.gold_concept_id is not null or cases.icd10_code is not null as is_gold_known,
        ambiguous_golds.case_id is not null as is_gold_ambiguous,
    from cases
    inner join duplicates on cases.case_id = duplicates.case_id
    left join leaks on cases.case_id = leaks.case_id
    left join ambiguous_golds on cases.case_id = ambiguous_golds.case_id
)

select * from final
