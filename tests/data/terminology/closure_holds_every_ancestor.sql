with findings as (
    select
        disease_id,
        hpo_id,
        frequency,
    from {{ ref('bridge_disease_phenotype') }}
    where not is_excluded
),

closure as (
    select
        disease_id,
        hpo_id,
        frequency,
    from {{ ref('bridge_disease_phenotype_closure') }}
),

parents as (
    select
        hpo_id,
        ancestor_hpo_id,
    from {{ ref('bridge_hpo_ancestor') }}
    where distance = 1
),

findings_missing as (
    select
        findings.disease_id,
        findings.hpo_id,
        'finding without a row' as problem,
    from findings
    left join closure
        on findings.disease_id = closure.disease_id and findings.hpo_id = closure.hpo_id
    where closure.frequency is null or closure.frequency < findings.frequency
),

parents_missing as (
    select
        closure.disease_id,
        closure.hpo_id,
        'parent without a row, or rarer' as problem,
    from closure
    inner join parents on closure.hpo_id = parents.hpo_id
    left join closure as above
        on closure.disease_id = above.disease_id and parents.ancestor_hpo_id = above.hpo_id
    where above.frequency is null or above.frequency < closure.frequency
),

content_upside_down as (
    select
        null as disease_id,
        below.hpo_id,
        'carries less information than its parent' as problem,
    from parents
    inner join {{ ref('dim_hpo_term') }} as below on parents.hpo_id = below.hpo_id
    inner join {{ ref('dim_hpo_term') }} as above on parents.ancestor_hpo_id = above.hpo_id
    where below.information_content < above.information_content
),

final as (
    select * from findings_missing
    union all
    select * from parents_missing
    union all
    select * from content_upside_down
)

select * from final
