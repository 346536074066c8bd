with requests as (
    select
        request_key,
        'recommendation' as task,
    from {{ ref('int_recommendations__generation_requests') }}
    union all
    select
        request_key,
        'recommendation_judge' as task,
    from {{ ref('int_recommendations__judge_requests') }}
),

{{ priced_calls(ref('int_recommendations__call_attempts')) }}

select * from final
