with requests as (
    select distinct
        request_key,
        'question_type' as task,
    from {{ ref('int_questions__type_asks') }}
    union all
    select distinct
        request_key,
        'question_analysis' as task,
    from {{ ref('int_questions__analysis_asks') }}
    union all
    select distinct
        request_key,
        'question_choice' as task,
    from {{ ref('int_questions__choice_asks') }}
),

{{ priced_calls(ref('int_questions__call_attempts')) }}

select * from final
