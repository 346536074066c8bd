with requests as (
    select
        request_key,
        'question_type' as task,
    from {{ ref('int_questions__type_requests') }}
    union all
    select
        request_key,
        'question_analysis' as task,
    from {{ ref('int_questions__analysis_requests') }}
    union all
    select
        request_key,
        'question_choice' as task,
    from {{ ref('int_questions__choice_requests') }}
),

{{ priced_calls(ref('int_questions__call_attempts')) }}

select * from final
