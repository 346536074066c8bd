{{ config(tags=['tier1']) }}

select
    tenant_id,
    case_id,
    check_name,
    item,
    reason,
from {{ ref('fct_recommendation_verdict') }}
where tier = 1 and not passed and check_name != 'latency' and recommender = 'guideline_rules'
