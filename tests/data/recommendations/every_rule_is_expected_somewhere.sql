with asked_for as (
    select distinct expected as rule_id
    from {{ ref('int_recommendations__expectations') }}
    where tenant_id = 'golden_set' and fact_kind = 'rule'
),

missing as (
    select 'rule ' || rules.rule_id || ' is expected of no case' as what
    from {{ ref('dim_guideline_rule') }} as rules
    anti join asked_for on rules.rule_id = asked_for.rule_id
)

select what
from missing
union all
select 'there are ' || count(*) || ' rules instead of twelve' as what
from {{ ref('dim_guideline_rule') }}
having count(*) != 12
