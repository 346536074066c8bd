{{ config(tags=['tier1']) }}

select
    case_id,
    rule,
    place,
    detail,
from {{ ref('fct_work_up_violation') }}
where reasoner = 'rules'
