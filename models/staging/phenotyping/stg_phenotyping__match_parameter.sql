with source as (
    select
        parameter,
        cast(value as double) as parameter_value,
        reason,
    from {{ ref('disease_match_parameters') }}
)

select * from source
