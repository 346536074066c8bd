with aliases as (
    select
        alias_normalised,
        concept_id,
        vocabulary,
    from {{ ref('dim_concept_alias') }}
),

concepts as (
    select
        code as concept_id,
        'icd10cm' as vocabulary,
    from {{ ref('dim_icd10_code') }}
    union all
    select
        hpo_id as concept_id,
        'hpo' as vocabulary,
    from {{ ref('dim_hpo_term') }}
    union all
    select
        disease_id as concept_id,
        'disease' as vocabulary,
    from {{ ref('dim_disease') }}
    union all
    select
        mondo_id as concept_id,
        'mondo' as vocabulary,
    from {{ ref('dim_disease_class') }}
),

final as (
    select
        aliases.alias_normalised,
        aliases.concept_id,
        aliases.vocabulary,
    from aliases
    anti join concepts
        on aliases.concept_id = concepts.concept_id and aliases.vocabulary = concepts.vocabulary
)

select * from final
