with responses as (
    select
        request_key,
        answer_text,
    from {{ ref('int_questions__type_responses') }}
    where status = 'ok'
),

-- the name of one type and nothing else; whatever else stands there leaves the question untyped
final as (
    select
        request_key,
        lower(trim(answer_text, e' \t\r\n.*_"''`')) as question_type,
    from responses
)

select * from final
