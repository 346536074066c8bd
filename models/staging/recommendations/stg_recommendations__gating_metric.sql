with source as (
    select
        metric_name,
        cast(tier as integer) as tier,
        cast(gates as boolean) as gates,
        meaning,
        source,
    from {{ ref('gating_metrics') }}
)

select * from source
