with phenotypes as (
    select
        disease_id,
        hpo_id,
        frequency_source,
        sex,
        onset_hpo_ids,
        sources,
        n_observed,
        n_total,
        n_annotations,
        frequency,
        is_excluded,
    from {{ ref('int_terminology__disease_phenotype') }}
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
