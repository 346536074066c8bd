with phenotypes as (
    select *
    from {{ ref('bridge_disease_phenotype') }}
    where not is_excluded
),

ancestors as (
    select * from {{ ref('bridge_hpo_ancestor') }}
),

-- a finding implies its ancestors: an ancestor is at least as frequent as its most frequent
-- descendant
final as (
    select
        phenotypes.disease_id,
        ancestors.ancestor_hpo_id as hpo_id,
        max(phenotypes.frequency) as frequency,
    from phenotypes
    inner join ancestors on phenotypes.hpo_id = ancestors.hpo_id
    group by all
)

select * from final
