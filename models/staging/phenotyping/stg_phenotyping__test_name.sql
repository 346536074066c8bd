with source as (
    select
        name,
        means,
        source,
    from {{ ref('test_names') }}
)

select * from source
