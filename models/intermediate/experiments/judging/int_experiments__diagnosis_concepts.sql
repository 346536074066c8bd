with readings as (
    select * from {{ ref('int_experiments__diagnosis_readings') }}
),

name_concepts as (
    select * from {{ ref('int_experiments__name_concepts') }}
),

aliases as (
    select * from {{ ref('dim_concept_alias') }}
    where scope != 'abbreviation'
),

matched as (
    select *
    from readings
    inner join name_concepts on readings.reading = name_concepts.name
),

-- the first reading that a vocabulary knows decides; readings known only in part come later
decided as (
    select *
    from matched
    qualify
        row(not is_exact, reading_order)
        = min(row(not is_exact, reading_order)) over (
            partition by reading_key, vocabulary
        )
),

named as (
    select
        reading_key,
        concept_id,
        vocabulary,
        true as is_named,
        bool_or(found_by = 'name') as is_by_name,
        bool_or(is_exact) as is_exact,
        bool_or(is_title) as is_title,
        bool_and(is_alternative) as is_alternative,
    from decided
    group by all
),

-- a disease has the ICD-10-CM code that carries another of its names. Under the name of a Mondo
-- class ICD-10-CM may mean more: autism spectrum disorder is not all of F84
coded as (
    select
        named.reading_key,
        codes.concept_id,
        'icd10cm' as vocabulary,
        false as is_named,
        false as is_by_name,
        bool_or(named.is_exact and named.vocabulary = 'disease') as is_exact,
        bool_or(codes.source != 'inclusion_term') as is_title,
        bool_and(named.is_alternative) as is_alternative,
    from named
    inner join aliases as names using (concept_id, vocabulary)
    inner join aliases as codes
        on names.alias_normalised = codes.alias_normalised and codes.vocabulary = 'icd10cm'
    where named.vocabulary in ('disease', 'mondo')
    group by all
),

final as (
    select * from named
    union all
    select * from coded
)

select * from final
