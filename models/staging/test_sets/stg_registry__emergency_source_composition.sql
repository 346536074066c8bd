with final as (
    select
        test_set,
        cast(n_cases as integer) as n_cases,
        level,
        code,
        cast(percent as double) as percent,
        source,
    from {{ ref('emergency_source_composition') }}
)

select * from final
