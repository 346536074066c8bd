with source as (
    select
        setting,
        cast(steepness as double) as steepness,
        cast(midpoint as double) as midpoint,
        source,
    from {{ ref('difficulty_settings') }}
)

select * from source
