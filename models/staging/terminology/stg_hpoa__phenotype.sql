with phenotypes as (
    select
        disease_id,
        hpo_id,
        is_negated,
        frequency,
        onset,
        sex,
        modifier,
        aspect,
        evidence,
        source,
    from {{ ref('disease_phenotype_omim') }}
    union all
    select
        disease_id,
        hpo_id,
        is_negated,
        frequency,
        onset,
        sex,
        modifier,
        aspect,
        evidence,
        source,
    from {{ ref('disease_phenotype_orpha') }}
    union all
    select
        disease_id,
        hpo_id,
        is_negated,
        frequency,
        onset,
        sex,
        modifier,
        aspect,
        evidence,
        source,
    from {{ ref('disease_phenotype_decipher') }}
),

final as (
    select
        disease_id as source_disease_id,
        hpo_id,
        onset as onset_hpo_id,
        modifier as modifier_hpo_ids,
        aspect,
        frequency as frequency_text,
        lower(sex) as sex,
        evidence,
        source,
        is_negated::boolean as is_negated,
    from phenotypes
)

select * from final
