with phenotypes as (
    select
        disease_id,
        hpo_id,
        frequency,
    from {{ ref('int_terminology__disease_phenotype') }}
    where not is_excluded
),

ancestors as (
    select * from {{ ref('int_terminology__hpo_ancestor') }}
),

-- who has a finding has everything above it: an ancestor is at least as frequent as the most
-- frequent thing below it
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
