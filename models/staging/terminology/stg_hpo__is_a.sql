with final as (
    select
        child as hpo_id,
        parent as parent_hpo_id,
    from {{ ref('hpo_is_a') }}
)

select * from final
