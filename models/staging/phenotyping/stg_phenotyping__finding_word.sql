with source as (
    select
        word,
        same_as,
        source,
    from {{ ref('finding_words') }}
)

select * from source
