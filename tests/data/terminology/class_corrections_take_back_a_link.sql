with final as (
    select
        corrections.child,
        corrections.parent,
    from {{ ref('disease_class_correction') }} as corrections
    anti join {{ ref('mondo_is_a') }} as links
        on corrections.child = links.child and corrections.parent = links.parent
)

select * from final
