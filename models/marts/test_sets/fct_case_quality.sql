with cases as (
    select
        case_id,
        test_set,
        gold_concept_id,
        icd10_code,
        content_hash,
        is_holdout,
    from {{ ref('dim_case') }}
),

leaks as (
    select
        case_id,
        leaked_name,
    from {{ ref('int_test_sets__case_leakage') }}
),

duplicates as (
    select
        case_id,
        duplicate_of_case_id,
        near_duplicate_of_case_id,
        similarity,
        n_copies,
    from {{ ref('int_test_sets__case_duplicates') }}
),

ambiguous_golds as (
    select distinct case_id,
    from {{ ref('bridge_case_judgement') }}
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
