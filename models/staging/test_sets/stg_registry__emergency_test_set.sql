with final as (
    select
        test_set,
        seed,
        cast(n_unusable as integer) as n_unusable,
        description,
    from {{ ref('emergency_test_sets') }}
)

select * from final
