with source as (
    select
        rule,
        effect,
        meaning,
        remedy,
    from {{ ref('reading_rules') }}
)

select * from source
