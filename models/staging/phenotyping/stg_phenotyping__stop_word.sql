with source as (
    select
        word,
        language,
        reason,
    from {{ ref('reading_stop_words') }}
)

select * from source
