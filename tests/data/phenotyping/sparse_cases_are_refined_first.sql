{{ config(tags=['tier1']) }}

with cases as (
    select
        case_id,
        completeness,
        n_present,
    from {{ ref('fct_phenotyped_case') }}
    where completeness < {{ work_up_number('sparse_completeness') }} and status != 'stopped'
),

first_steps as (
    select
        case_id,
        reasoner,
        action_type,
        -- the first test of a clinical picture, or a test that begins with it
        regexp_matches(step_id, '^(picture|confirm):') as is_of_picture,
    from {{ ref('fct_next_step') }}
    where step_rank = 1
)

select
    cases.case_id,
    first_steps.reasoner,
    first_steps.action_type,
from cases
left join first_steps on cases.case_id = first_steps.case_id
where
    coalesce(first_steps.action_type, '') != 'refine_phenotype'
    and not (coalesce(first_steps.is_of_picture, false) and cases.n_present >= 3)
