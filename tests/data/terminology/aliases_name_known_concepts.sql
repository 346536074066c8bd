with aliases as (
    select
        alias_normalised,
        concept_id,
        vocabulary,
        scope,
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

inclusion_terms as (
    select count(*) as n_terms,
    from {{ ref('stg_icd10cm__inclusion_term') }}
),

expected (alias_normalised, concept_id, scope) as (
    values
    ('heart failure', 'I50', 'preferred'),
    ('high blood pressure', 'I10', 'narrow'),
    ('congestive heart failure nos', 'I50.9', 'inclusion'),
    ('asd', 'HP:0001631', 'abbreviation'),
    ('crohn disease', 'K50', 'exact'),
    ('essential hypertension', 'I10', 'exact'),
    ('influenza', 'J11.1', 'inclusion'),
    ('marfan syndrome', 'OMIM:154700', 'preferred'),
    ('congenital lobar emphysema', 'OMIM:130710', 'preferred'),
    ('hepatolenticular degeneration', 'MONDO:0010200', 'exact')
),

unknown_concepts as (
    select
        aliases.alias_normalised,
        aliases.concept_id,
        'no such concept' as problem,
    from aliases
    anti join concepts
        on aliases.concept_id = concepts.concept_id and aliases.vocabulary = concepts.vocabulary
),

missing_anchors as (
    select
        expected.alias_normalised,
        expected.concept_id,
        'expected alias, not there with scope ' || expected.scope as problem,
    from expected
    cross join inclusion_terms
    anti join aliases
        on
            expected.alias_normalised = aliases.alias_normalised
            and expected.concept_id = aliases.concept_id
            and expected.scope = aliases.scope
    where inclusion_terms.n_terms > 0 or expected.scope not in ('inclusion', 'narrow')
),

final as (
    select * from unknown_concepts
    union all
    select * from missing_anchors
)

select * from final
