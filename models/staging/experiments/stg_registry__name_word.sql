with source as (
    select
        word,
        same_as,
        kind,
        reason,
        source,
    from {{ ref('name_words') }}
)

select * from source
