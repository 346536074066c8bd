{{ config(materialized='view') }}

with final as (
    select
        patient_id,
        tenant_id,
        archetype,
        condition,
        patient_json,
        is_holdout,
    from {{ ref('int_recommendations__patients') }}
)

select * from final
