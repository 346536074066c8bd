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
        not bool_or(tier = 1 and not passed) over (
            partition by tenant_id, case_id, recommender
        ) as may_be_shown,
    from {{ ref('int_recommendations__verdicts') }}
)

select * from final
