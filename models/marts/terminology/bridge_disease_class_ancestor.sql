with ancestors as (
    select * from {{ ref('int_terminology__mondo_ancestor') }}
),

release as (
    select release
    from {{ ref('terminology_manifest') }}
    where seed = 'mondo_is_a'
),

final as (
    select
        ancestors.mondo_id,
        ancestors.ancestor_mondo_id,
        release.release,
        ancestors.distance,
    from ancestors
    cross join release
)

select * from final
