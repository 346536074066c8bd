with final as (
    select
        child as mondo_id,
        parent as parent_mondo_id,
    from {{ ref('disease_class_correction') }}
)

select * from final
