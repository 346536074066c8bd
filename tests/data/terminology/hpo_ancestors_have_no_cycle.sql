with ancestors as (
    select
        hpo_id,
        ancestor_hpo_id,
        distance,
    from {{ ref('bridge_hpo_ancestor') }}
),

without_self as (
    select
        terms.hpo_id,
        'no row for itself' as problem,
    from {{ ref('dim_hpo_term') }} as terms
    anti join ancestors
        on
            terms.hpo_id = ancestors.hpo_id
            and terms.hpo_id = ancestors.ancestor_hpo_id
            and ancestors.distance = 0
),

false_distance as (
    select
        hpo_id,
        'distance 0 to another term' as problem,
    from ancestors
    where (distance = 0) != (hpo_id = ancestor_hpo_id)
),

cycles as (
    select
        up.hpo_id,
        'ancestor of its ancestor ' || up.ancestor_hpo_id as problem,
    from ancestors as up
    inner join ancestors as down
        on
            up.hpo_id = down.ancestor_hpo_id
            and up.ancestor_hpo_id = down.hpo_id
    where up.hpo_id != up.ancestor_hpo_id
),

rootless as (
    select
        terms.hpo_id,
        'in use, and not below the root' as problem,
    from {{ ref('dim_hpo_term') }} as terms
    where terms.depth is null and not terms.is_obsolete
),

final as (
    select * from without_self
    union all
    select * from false_distance
    union all
    select * from cycles
    union all
    select * from rootless
)

select * from final
