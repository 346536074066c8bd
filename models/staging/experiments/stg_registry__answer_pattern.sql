with source as (
    select
        pattern_order,
        status,
        pattern,
        source,
    from {{ ref('answer_patterns') }}
)

select * from source
