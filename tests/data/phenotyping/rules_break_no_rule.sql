-- The baseline's recommendations name nothing that is not in their packet and keep the critical
-- rules. What a model gets wrong is data; what the rules get wrong is a mistake here.
{{ config(tags=['tier1']) }}
select
    case_id,
    rule,
    place,
    detail,
from {{ ref('fct_work_up_violation') }}
where reasoner = 'rules'
