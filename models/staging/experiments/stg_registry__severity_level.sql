with source as (
    select
        severity,
        cast(severity_value as integer) as severity_value,
        cast(is_label as boolean) as is_label,
        source,
    from {{ ref('severity_levels') }}
)

select * from source
