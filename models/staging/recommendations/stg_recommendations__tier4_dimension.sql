with source as (
    select
        dimension,
        question,
        meaning_of_1,
        meaning_of_5,
        source,
    from {{ ref('tier4_dimensions') }}
)

select * from source
