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
        steps.case_id,
        steps.reasoner,
        steps.action_type,
        -- the first test of a clinical picture, or a test that begins with it
        regexp_matches(steps.step_id, '^(picture|confirm):') as is_of_picture,
        coalesce(picture_tests.leads, false) as is_common,
    from {{ ref('fct_next_step') }} as steps
    left join {{ ref('picture_tests') }} as picture_tests
        on steps.step_id = 'picture:' || picture_tests.picture
    where steps.step_rank = 1
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
    and not coalesce(first_steps.is_common, false)
