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
        steps.step_id like 'picture:%' as is_of_picture,
        -- what confirms a disease may begin with the first test of a picture
        steps.step_id like 'confirm:%' as is_confirming,
    from {{ ref('fct_next_step') }} as steps
    -- what a red flag asks for does not wait
    where steps.step_id not like 'flag:%'
    qualify row_number() over (
        partition by steps.case_id, steps.reasoner
        order by steps.step_rank
    ) = 1
)

select
    cases.case_id,
    first_steps.reasoner,
    first_steps.action_type,
from cases
left join first_steps on cases.case_id = first_steps.case_id
where
    coalesce(first_steps.action_type, '') != 'refine_phenotype'
    and not coalesce(first_steps.is_of_picture, false)
    and not (coalesce(first_steps.is_confirming, false) and cases.n_present >= 3)
