with source as (
    select
        configuration,
        kind,
        name,
        weight,
        source,
    from {{ ref('retrieval_boosts') }}
)

select * from source
