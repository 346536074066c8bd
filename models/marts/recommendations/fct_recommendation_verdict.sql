{{ config(materialized='view') }}

with final as (
    select
        tenant_id,
        case_id,
        recommender,
        check_name,
        item,
        reason,
        tier,
        check_ms,
        passed,
    from {{ ref('int_recommendations__verdicts') }}
)

select * from final
