with requests as (
    select distinct
        request_key,
        'recommendation' as task,
    from {{ ref('int_recommendations__generation_asks') }}
    union all
    select distinct
        request_key,
        'recommendation_judge' as task,
    from {{ ref('int_recommendations__judge_asks') }}
),

{{ priced_calls(ref('int_recommendations__call_attempts')) }}

select * from final
