with source as (
    select
        stage,
        percentile,
        cast(target_ms as double) as target_ms,
        source,
    from {{ ref('latency_targets') }}
)

select * from source
