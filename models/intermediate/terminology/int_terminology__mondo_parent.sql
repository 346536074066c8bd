with final as (
    select
        links.mondo_id,
        links.parent_mondo_id,
    from {{ ref('stg_mondo__is_a') }} as links
    anti join {{ ref('stg_clinical__class_correction') }} as corrections
        on
            links.mondo_id = corrections.mondo_id
            and links.parent_mondo_id = corrections.parent_mondo_id
)

select * from final
