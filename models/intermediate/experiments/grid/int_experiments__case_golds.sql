{{ config(materialized='view') }}

with final as (
    select
        case_id,
        -- a key of content: cases with the same gold diagnosis share one verdict per answer
        {{ gold_key("gold_names", "gold_codes", "gold_concept_id", "icd10_code") }} as gold_key,
        gold_names,
        gold_codes,
        gold_concept_id,
        icd10_code,
    from {{ ref('dim_case') }}
)

select * from final
