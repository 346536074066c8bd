with final as (
    select
        segment,
        population,
        age_group,
        outcome,
        cast(n_cases as integer) as n_cases,
        cast(n_in_first_1000 as integer) as n_in_first_1000,
    from {{ ref('emergency_segments') }}
)

select * from final
