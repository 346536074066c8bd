with ancestors as (
    select * from {{ ref('int_terminology__hpo_ancestor') }}
),

release as (
    select release
    from {{ ref('terminology_manifest') }}
    where seed = 'hpo_is_a'
),

final as (
    select
        ancestors.hpo_id,
        ancestors.ancestor_hpo_id,
        release.release,
        ancestors.distance,
    from ancestors
    cross join release
)

select * from final
