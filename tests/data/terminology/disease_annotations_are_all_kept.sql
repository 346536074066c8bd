with recursive all_annotations as (
    select * from {{ ref('disease_phenotype_omim') }}
    union all by name
    select * from {{ ref('disease_phenotype_orpha') }}
    union all by name
    select * from {{ ref('disease_phenotype_decipher') }}
),

{{ current_hpo_terms() }},

annotations as (
    select distinct
        disease_id as source_disease_id,
        hpo_id,
    from all_annotations
    where aspect = 'P'
),

resolved as (
    select
        annotations.source_disease_id,
        annotations.hpo_id,
        canonical_diseases.disease_id,
        current_terms.current_hpo_id,
    from annotations
    left join {{ ref('int_terminology__disease_canonical') }} as canonical_diseases
        on annotations.source_disease_id = canonical_diseases.source_disease_id
    left join current_terms on annotations.hpo_id = current_terms.hpo_id
),

final as (
    select
        resolved.source_disease_id,
        resolved.hpo_id,
    from resolved
    anti join {{ ref('bridge_disease_phenotype') }} as phenotypes
        on
            resolved.disease_id = phenotypes.disease_id
            and resolved.current_hpo_id = phenotypes.hpo_id
)

select * from final
