with source as (
    select
        rule,
        cast(points as double) as points,
        cast(threshold as double) as threshold,
        reason,
        source,
    from {{ ref('reanalysis_rules') }}
)

select * from source
