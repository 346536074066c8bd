{{ config(tags=['tier1']) }}
-- the recommender without a language model passes every check of tier 1: if not, either it or
-- a check is broken
select
    tenant_id,
    case_id,
    check_name,
    item,
    reason,
from {{ ref('fct_recommendation_verdict') }}
where tier = 1 and not passed and check_name != 'latency' and recommender = 'guideline_rules'
