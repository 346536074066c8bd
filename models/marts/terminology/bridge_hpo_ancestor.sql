with recursive terms as (
    select * from {{ ref('hpo_term') }}
),

links as (
    select * from {{ ref('hpo_is_a') }}
),

release as (
    select release
    from {{ ref('terminology_manifest') }}
    where seed = 'hpo_is_a'
),

climbs as (
    {{ climbs("terms", "id", "links") }}
),

final as (
    select
        climbs.id as hpo_id,
        climbs.ancestor_id as ancestor_hpo_id,
        release.release,
        -- a term has several parents and so several ways up: the shortest counts
        min(climbs.distance) as distance,
    from climbs
    cross join release
    group by all
)

select * from final
