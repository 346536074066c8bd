-- A removed link is one that Mondo has; an added one it lacks, between two classes that it has.
with corrections as (
    select * from {{ ref('disease_class_correction') }}
),

classes as (
    select mondo_id from {{ ref('mondo_name') }}
),

final as (
    select
        corrections.child,
        corrections.parent,
    from corrections
    left join {{ ref('mondo_is_a') }} as links
        on corrections.child = links.child and corrections.parent = links.parent
    where
        (links.child is not null) != (corrections.correction = 'removed')
        or corrections.child not in (select mondo_id from classes)
        or corrections.parent not in (select mondo_id from classes)
)

select * from final
