with recursive classes as (
    select * from {{ ref('mondo_name') }}
),

corrections as (
    select * from {{ ref('disease_class_correction') }}
),

-- a link that Mondo has wrong is not followed, and one that it lacks is
links as (
    select
        mondo_links.child,
        mondo_links.parent,
    from {{ ref('mondo_is_a') }} as mondo_links
    anti join corrections
        on mondo_links.child = corrections.child and mondo_links.parent = corrections.parent
    union all
    select
        child,
        parent,
    from corrections
    where correction = 'added'
),

release as (
    select release
    from {{ ref('terminology_manifest') }}
    where seed = 'mondo_is_a'
),

climbs as (
    {{ climbs("classes", "mondo_id", "links") }}
),

final as (
    select
        climbs.id as mondo_id,
        climbs.ancestor_id as ancestor_mondo_id,
        release.release,
        min(climbs.distance) as distance,
    from climbs
    cross join release
    group by all
)

select * from final
