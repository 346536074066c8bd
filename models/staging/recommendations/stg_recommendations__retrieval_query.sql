with source as (
    select
        query_id,
        query_text,
        condition,
        cast(is_treatment as boolean) as is_treatment,
        source,
    from {{ ref('retrieval_queries') }}
)

select * from source
