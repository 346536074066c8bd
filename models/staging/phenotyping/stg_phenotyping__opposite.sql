with source as (
    select
        one,
        other,
        source,
    from {{ ref('opposite_words') }}
)

select * from source
