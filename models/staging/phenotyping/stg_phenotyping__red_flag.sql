with source as (
    select
        hpo_id,
        severity,
        reason,
        source,
    from {{ ref('red_flags') }}
)

select * from source
