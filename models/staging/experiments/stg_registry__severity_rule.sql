with source as (
    select
        rule_id,
        cast(priority as integer) as priority,
        kind,
        pattern,
        severity,
        reason,
        source,
    from {{ ref('severity_rules') }}
)

select * from source
