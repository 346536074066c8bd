{{ config(tags=['tier1']) }}

with answers as (
    select
        answers.configuration_id,
        answers.case_id,
        answers.request_key,
        answers.prompt_alias,
        answers.prompt_version,
    from {{ ref('fct_answer') }} as answers
    where answers.answer_text is not null and answers.recorded_in is null
),

requests as (
    select distinct
        request_key,
        system_text,
        user_text,
    from {{ ref('int_experiments__generation_asks') }}
),

prompts as (
    select
        prompt_alias,
        prompt_version,
        system_template,
        split_part(user_template, '{', 1) as user_text_beginning,
    from {{ ref('dim_prompt') }}
)

select
    answers.configuration_id,
    answers.case_id,
    answers.request_key,
    answers.prompt_version,
from answers
left join requests on answers.request_key = requests.request_key
left join prompts
    on
        answers.prompt_alias = prompts.prompt_alias
        and answers.prompt_version = prompts.prompt_version
where
    prompts.prompt_alias is null
    or requests.request_key is null
    -- for a model without a system role, the instructions precede the question
    or not starts_with(
        concat_ws(e'\n\n', requests.system_text, requests.user_text),
        concat_ws(e'\n\n', prompts.system_template, prompts.user_text_beginning)
    )
