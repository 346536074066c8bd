with final as (
    select diagnosis,
    from {{ ref('int_experiments__judged_lists') }}
    where is_scored
    union
    select diagnosis,
    from {{ ref('judge_anchors') }}
)

select * from final
