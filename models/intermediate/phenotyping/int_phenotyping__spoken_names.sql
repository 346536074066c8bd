with phenotypes as (
    select hpo_id,
    from {{ ref('dim_hpo_term') }}
    where is_phenotypic_abnormality
),

aliases as (
    select
        alias_normalised,
        concept_id,
        vocabulary,
    from {{ ref('dim_concept_alias') }}
    where
        vocabulary in ('hpo', 'disease')
        -- abbreviations and wider names are left out: MS in a sentence names too many things for a
        -- rule that rejects answers
        and scope in ('preferred', 'exact')
        and language = 'en'
),

final as (
    select
        aliases.alias_normalised as name,
        if(aliases.vocabulary = 'hpo', 'phenotype', 'disease') as kind,
        -- of two concepts with one name the lower id, in every build the same one
        min(aliases.concept_id) as concept,
    from aliases
    left join phenotypes on aliases.concept_id = phenotypes.hpo_id
    where aliases.vocabulary = 'disease' or phenotypes.hpo_id is not null
    group by all
    union all
    select
        name,
        'test' as kind,
        means as concept,
    from {{ ref('test_names') }}
)

select * from final
