with source as (
    select
        parameter,
        cast(value as double) as parameter_value,
        used_by,
        reason,
    from {{ ref('parameters') }}
)

select * from source
