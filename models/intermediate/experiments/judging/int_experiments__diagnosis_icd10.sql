with concepts as (
    select * from {{ ref('int_experiments__diagnosis_concepts') }}
),

aliases as (
    select
        alias_normalised,
        concept_id,
        vocabulary,
        source,
    from {{ ref('dim_concept_alias') }}
    where scope != 'abbreviation'
),

-- a disease has an ICD-10 code where ICD-10-CM carries another of its names; by the name of a class
-- of Mondo ICD-10-CM may mean more: autism spectrum disorder is not all of F84
through_names as (
    select
        concepts.reading_key,
        codes.concept_id as icd10_code,
        concepts.is_exact and concepts.vocabulary = 'disease' as is_exact,
        codes.source != 'inclusion_term' as is_title,
        concepts.is_alternative,
    from concepts
    inner join aliases as names
        on
            concepts.concept_id = names.concept_id
            and concepts.vocabulary = names.vocabulary
    inner join aliases as codes
        on names.alias_normalised = codes.alias_normalised and codes.vocabulary = 'icd10cm'
    where concepts.vocabulary in ('disease', 'mondo')
),

everything as (
    select
        reading_key,
        concept_id as icd10_code,
        is_exact,
        is_title,
        is_alternative,
    from concepts
    where vocabulary = 'icd10cm'
    union all
    select
        reading_key,
        icd10_code,
        is_exact,
        is_title,
        is_alternative,
    from through_names
),

final as (
    select
        everything.reading_key,
        everything.icd10_code,
        codes.parent_code,
        codes.category_code,
        codes.block_code,
        codes.chapter_code,
        bool_or(everything.is_exact) as is_exact,
        bool_or(everything.is_title) as is_title,
        bool_and(everything.is_alternative) as is_alternative,
    from everything
    inner join {{ ref('dim_icd10_code') }} as codes on everything.icd10_code = codes.code
    group by all
)

select * from final
