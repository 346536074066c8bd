with source as (
    select
        parse_status,
        status,
        description,
    from {{ ref('parse_outcomes') }}
)

select * from source
