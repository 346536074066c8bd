with recursive terms as (
    select hpo_id,
    from {{ ref('stg_hpo__term') }}
),

parents as (
    select
        hpo_id,
        parent_hpo_id,
    from {{ ref('stg_hpo__is_a') }}
),

-- `union` and not `union all`: a term reached twice in as many steps goes on once
climbs as (
    select
        hpo_id,
        hpo_id as ancestor_hpo_id,
        0 as distance,
    from terms
    union
    select
        climbs.hpo_id,
        parents.parent_hpo_id as ancestor_hpo_id,
        climbs.distance + 1 as distance,
    from climbs
    inner join parents on climbs.ancestor_hpo_id = parents.hpo_id
),

final as (
    select
        hpo_id,
        ancestor_hpo_id,
        min(distance) as distance,
    from climbs
    group by all
)

select * from final
