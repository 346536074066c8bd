{{ config(tags=['tier1']) }}

with expected as (
    select
        configurations.configuration_id,
        questions.question_id,
    from {{ ref('dim_question_configuration') }} as configurations
    inner join {{ ref('dim_question') }} as questions
        on configurations.question_set = questions.question_set
),

present as (
    select
        configuration_id,
        question_id,
        count(*) as n_rows,
    from {{ ref('fct_question_answer') }}
    group by all
)

select
    coalesce(expected.configuration_id, present.configuration_id) as configuration_id,
    coalesce(expected.question_id, present.question_id) as question_id,
    present.n_rows,
from expected
full join present
    on
        expected.configuration_id = present.configuration_id
        and expected.question_id = present.question_id
where expected.question_id is null or present.question_id is null or present.n_rows != 1
