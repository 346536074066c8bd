with terms as (
    select * from {{ ref('stg_hpo__term') }}
),

-- depth is the shortest way up to the root of the ontology
places as (
    select
        hpo_id,
        max(distance) filter (where ancestor_hpo_id = '{{ hpo_root() }}') as depth,
        bool_or(ancestor_hpo_id = '{{ hpo_phenotypic_abnormality() }}')
            as is_phenotypic_abnormality,
    from {{ ref('int_terminology__hpo_ancestor') }}
    group by all
),

disease_counts as (
    select
        hpo_id,
        count(*) as n_diseases,
    from {{ ref('bridge_disease_phenotype_closure') }}
    group by all
),

totals as (
    select count(distinct disease_id) as n_diseases
    from {{ ref('bridge_disease_phenotype_closure') }}
),

release as (
    select release
    from {{ ref('terminology_manifest') }}
    where seed = 'hpo_term'
),

final as (
    select
        terms.hpo_id,
        terms.hpo_name,
        terms.replaced_by_hpo_id as replaced_by,
        release.release,
        places.depth,
        coalesce(disease_counts.n_diseases, 0) as n_diseases,
        {{ information_content("disease_counts.n_diseases", "totals.n_diseases") }}
            as information_content,
        terms.is_obsolete,
        places.is_phenotypic_abnormality,
    from terms
    inner join places on terms.hpo_id = places.hpo_id
    left join disease_counts on terms.hpo_id = disease_counts.hpo_id
    cross join totals
    cross join release
)

select * from final
