with cases as (
    select
        case_id,
        gold_concept_id,
        icd10_code,
        gold_diagnosis,
        gold_codes,
    from {{ ref('dim_case') }}
),

anchors as (
    select
        case_id,
        gold_diagnosis,
    from {{ ref('stg_registry__judge_anchor') }}
),

final as (
    select
        case_id,
        gold_concept_id,
        icd10_code,
        gold_diagnosis,
        gold_codes,
    from cases
    union all
    select
        case_id,
        cast(null as varchar) as gold_concept_id,
        cast(null as varchar) as icd10_code,
        gold_diagnosis,
        cast([] as varchar[]) as gold_codes,
    from anchors
)

select * from final
