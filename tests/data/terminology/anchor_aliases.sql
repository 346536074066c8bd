{{ config(severity='warn', meta={'holds_of': 'data'}) }}

with aliases as (
    select
        alias_normalised,
        concept_id,
        scope,
    from {{ ref('dim_concept_alias') }}
),

inclusion_terms as (
    select count(*) as n_terms,
    from {{ ref('icd10cm_inclusion_term') }}
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
    ('hepatolenticular degeneration', 'MONDO:0010200', 'exact'),
    ('amebic keratitis', 'ORPHA:67043', 'exact')
),

final as (
    select
        expected.alias_normalised,
        expected.concept_id,
        expected.scope,
    from expected
    cross join inclusion_terms
    anti join aliases
        on
            expected.alias_normalised = aliases.alias_normalised
            and expected.concept_id = aliases.concept_id
            and expected.scope = aliases.scope
    where inclusion_terms.n_terms > 0 or expected.scope not in ('inclusion', 'narrow')
)

select * from final
