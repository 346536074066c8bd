with concepts as (
    select
        diagnosis_normalised,
        concept_id,
        vocabulary,
    from {{ ref('int_experiments__diagnosis_concepts') }}
),

aliases as (
    select
        alias_normalised,
        concept_id,
        vocabulary,
    from {{ ref('dim_concept_alias') }}
    where scope != 'abbreviation'
),

-- a rare disease has an ICD-10 code where ICD-10-CM carries one of its names
through_disease as (
    select
        concepts.diagnosis_normalised,
        codes.concept_id as icd10_code,
    from concepts
    inner join aliases as names
        on concepts.concept_id = names.concept_id and names.vocabulary = 'disease'
    inner join aliases as codes
        on names.alias_normalised = codes.alias_normalised and codes.vocabulary = 'icd10cm'
    where concepts.vocabulary = 'disease'
),

everything as (
    select
        diagnosis_normalised,
        concept_id as icd10_code,
    from concepts
    where vocabulary = 'icd10cm'
    union all
    select
        diagnosis_normalised,
        icd10_code,
    from through_disease
),

final as (
    select distinct
        everything.diagnosis_normalised,
        everything.icd10_code,
        codes.parent_code,
        codes.category_code,
        codes.block_code,
        codes.chapter_code,
    from everything
    inner join {{ ref('dim_icd10_code') }} as codes on everything.icd10_code = codes.code
)

select * from final
