-- A removed link is one that Mondo, HPO or ICD-10-CM has; an added one they lack, between two
-- classes or codes that they have.
with corrections as (
    select * from {{ ref('disease_class_correction') }}
),

codes as (
    select * from {{ ref('dim_icd10_code') }}
),

links as (
    select
        child,
        parent,
    from {{ ref('mondo_is_a') }}
    union all
    select
        child,
        parent,
    from {{ ref('hpo_is_a') }}
    union all
    select
        corrections.child,
        corrections.parent,
    from corrections
    inner join codes as lower_codes on corrections.child = lower_codes.code
    inner join codes as upper_codes on corrections.parent = upper_codes.code
    where starts_with(lower_codes.path, upper_codes.path || ' > ')
),

classes as (
    select mondo_id from {{ ref('mondo_name') }}
    union all
    select id as mondo_id
    from {{ ref('hpo_term') }}
    union all
    select code as mondo_id
    from codes
),

final as (
    select
        corrections.child,
        corrections.parent,
    from corrections
    left join links
        on corrections.child = links.child and corrections.parent = links.parent
    where
        (links.child is not null) != (corrections.correction = 'removed')
        or corrections.child not in (select mondo_id from classes)
        or corrections.parent not in (select mondo_id from classes)
)

select * from final
