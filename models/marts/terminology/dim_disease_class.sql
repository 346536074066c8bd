with classes as (
    select
        mondo_id,
        name as class_name,
    from {{ ref('mondo_name') }}
    where scope = 'preferred'
),

-- the number of classes at or below this one: the fewer, the more specific its name
sizes as (
    select
        ancestor_mondo_id as mondo_id,
        count(*) as n_classes,
    from {{ ref('bridge_disease_class_ancestor') }}
    group by all
),

totals as (
    select count(*) as n_classes
    from classes
),

release as (
    select release
    from {{ ref('terminology_manifest') }}
    where seed = 'mondo_name'
),

final as (
    select
        classes.mondo_id,
        classes.class_name,
        release.release,
        sizes.n_classes,
        {{ information_content("sizes.n_classes", "totals.n_classes") }} as information_content,
    from classes
    inner join sizes on classes.mondo_id = sizes.mondo_id
    cross join totals
    cross join release
)

select * from final
