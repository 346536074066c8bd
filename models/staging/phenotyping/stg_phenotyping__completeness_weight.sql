with source as (
    select
        component,
        cast(weight as double) as weight,
        full_at,
        source,
    from {{ ref('completeness_weights') }}
)

select * from source
