with phenotypes as (
    select * from {{ ref('int_terminology__disease_phenotype') }}
),

release as (
    select release
    from {{ ref('terminology_manifest') }}
    where seed = 'disease_phenotype_omim'
),

final as (
    select
        phenotypes.disease_id,
        phenotypes.hpo_id,
        phenotypes.frequency_source,
        phenotypes.sex,
        phenotypes.onset_hpo_ids,
        phenotypes.sources,
        release.release,
        phenotypes.n_observed,
        phenotypes.n_total,
        phenotypes.n_annotations,
        phenotypes.frequency,
        phenotypes.is_excluded,
    from phenotypes
    cross join release
)

select * from final
