with source as (
    select
        lab,
        aliases,
        unit,
        low,
        high,
        accepted_units,
        source,
    from {{ ref('lab_tests') }}
)

select * from source
