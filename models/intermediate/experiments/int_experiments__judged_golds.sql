with cases as (
    select
        case_id,
        gold_concept_id,
        icd10_code,
        gold_names,
        gold_codes,
    from {{ ref('dim_case') }}
),

anchors as (
    select
        case_id,
        [gold_diagnosis] as gold_names,
    from {{ ref('stg_registry__judge_anchor') }}
),

final as (
    select
        case_id,
        gold_concept_id,
        icd10_code,
        gold_names,
        gold_codes,
    from cases
    union all
    select
        case_id,
        cast(null as varchar) as gold_concept_id,
        cast(null as varchar) as icd10_code,
        gold_names,
        cast([] as varchar[]) as gold_codes,
    from anchors
)

select * from final
