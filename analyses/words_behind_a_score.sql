-- From a number to the words behind it: of one configuration and case (change them at the end) each
-- judge's score, the label of each rank with its rule, what was sent, what came back and how it was
-- read. `kernel29 case CASE_ID --full` shows the same for all configurations.
with judged as (
    select * from {{ ref('fct_judged_diagnosis') }}
),

scores as (
    select * from {{ ref('fct_case_score') }}
),

answers as (
    select * from {{ ref('fct_answer') }}
),

requests as (
    select * from {{ ref('dim_llm_request') }}
),

calls as (
    select * from {{ ref('fct_llm_call') }}
    where is_final
),

final as (
    select
        judged.configuration_id,
        judged.case_id,
        judged.judge_id,
        scores.semantic_score,
        scores.severity_score,
        judged.diagnosis_rank,
        judged.diagnosis,
        judged.semantic_relation,
        judged.semantic_rule,
        judged.semantic_reason,
        judged.severity,
        judged.severity_rule,
        judged.severity_reason,
        answers.prompt_alias,
        answers.prompt_version,
        answers.read_as,
        requests.system_text,
        requests.user_text,
        requests.text_withheld,
        requests.parameters,
        answers.answer_text,
        calls.raw_response,
        calls.started_at,
        calls.cost_usd,
    from judged
    left join scores
        on
            judged.configuration_id = scores.configuration_id
            and judged.case_id = scores.case_id
            and judged.judge_id = scores.judge_id
    left join answers
        on
            judged.configuration_id = answers.configuration_id
            and judged.case_id = answers.case_id
    left join requests on answers.request_key = requests.request_key
    left join calls on answers.request_key = calls.request_key
    where
        judged.configuration_id = 'gpt4o/dxgpt_standard/simulated_rare_200'
        and judged.case_id = 'simulated_rare_200/0008'
    order by judged.judge_id, judged.diagnosis_rank
)

select * from final
