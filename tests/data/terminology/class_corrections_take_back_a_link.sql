with final as (
    select
        corrections.mondo_id,
        corrections.parent_mondo_id,
    from {{ ref('stg_clinical__class_correction') }} as corrections
    anti join {{ ref('stg_mondo__is_a') }} as links
        on
            corrections.mondo_id = links.mondo_id
            and corrections.parent_mondo_id = links.parent_mondo_id
)

select * from final
