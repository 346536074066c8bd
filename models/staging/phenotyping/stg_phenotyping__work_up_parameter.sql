with source as (
    select
        parameter,
        cast(value as double) as parameter_value,
        reason,
    from {{ ref('work_up_parameters') }}
)

select * from source
