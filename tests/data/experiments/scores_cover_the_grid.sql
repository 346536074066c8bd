{{ config(tags=['tier1']) }}

with scored as (
    select
        configuration_id,
        judge_id,
        count(*) as n_scored,
    from {{ ref('fct_case_score') }}
    group by all
),

expected as (
    select
        configuration_id,
        count(*) as n_expected,
    from {{ ref('fct_answer') }}
    group by all
),

judges as (
    select judge_id
    from {{ ref('dim_judge') }}
    where kind = 'terminology'
)

select
    expected.configuration_id,
    scored.judge_id,
    scored.n_scored,
    expected.n_expected,
from expected
left join scored on expected.configuration_id = scored.configuration_id
where scored.n_scored is distinct from expected.n_expected
union all
select
    expected.configuration_id,
    judges.judge_id,
    0 as n_scored,
    expected.n_expected,
from expected
cross join judges
anti join scored
    on expected.configuration_id = scored.configuration_id and judges.judge_id = scored.judge_id
