{{ config(materialized='view') }}

with final as (
    select
        'none' as probe,
        configuration_id,
        case_id,
        diagnosis_rank,
        diagnosis,
        diagnosis_normalised,
        is_scored,
    from {{ ref('int_experiments__ranked_diagnoses') }}
    union all
    select
        probe,
        configuration_id,
        case_id,
        diagnosis_rank,
        diagnosis,
        diagnosis_normalised,
        true as is_scored,
    from {{ ref('int_experiments__probe_lists') }}
)

select * from final
