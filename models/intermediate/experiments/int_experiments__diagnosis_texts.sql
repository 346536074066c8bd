with final as (
    select diagnosis,
    from {{ ref('int_experiments__judged_lists') }}
    where is_scored
    union
    select diagnosis,
    from {{ ref('stg_registry__judge_anchor') }}
)

select * from final
