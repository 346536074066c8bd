with source as (
    select
        query_id,
        document,
        cast(relevance as integer) as relevance,
        source,
    from {{ ref('retrieval_judgments') }}
)

select * from source
