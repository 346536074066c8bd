with source as (
    select
        hpo_id,
        severity,
        reason,
        source,
    from {{ ref('hpo_red_flags') }}
)

select * from source
