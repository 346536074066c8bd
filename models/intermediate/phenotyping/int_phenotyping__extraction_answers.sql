with asks as (
    select distinct
        request_key,
        task,
    from {{ ref('int_phenotyping__extraction_asks') }}
),

responses as (
    select
        request_key,
        answer_text,
    from {{ ref('int_phenotyping__extraction_responses') }}
    where status = 'ok'
),

final as (
    select
        responses.request_key,
        asks.task,
        responses.answer_text,
    from responses
    inner join asks on responses.request_key = asks.request_key
)

select * from final
