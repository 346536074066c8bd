with final as (
    select
        child as mondo_id,
        parent as parent_mondo_id,
    from {{ ref('mondo_is_a') }}
)

select * from final
