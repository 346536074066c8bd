{{ config(severity='warn', meta={'holds_of': 'data'}) }}

with expected as (
    select
        case_id,
        fact_kind,
        expected as fact,
    from {{ ref('int_recommendations__expectations') }}
    where tenant_id = 'golden_set' and fact_kind in ('rule', 'red_flag')
),

derived as (
    select
        case_id,
        fact_kind,
        fact,
    from {{ ref('int_recommendations__case_facts') }}
    where tenant_id = 'golden_set' and fact_kind in ('rule', 'red_flag')
)

select
    coalesce(expected.case_id, derived.case_id) as case_id,
    coalesce(expected.fact_kind, derived.fact_kind) as fact_kind,
    expected.fact as expected_by_author,
    derived.fact as derived_from_seeds,
from expected
full outer join derived
    on
        expected.case_id = derived.case_id
        and expected.fact_kind = derived.fact_kind
        and expected.fact = derived.fact
where expected.fact is null or derived.fact is null
