-- ICD-10-CM has codes for few rare diseases: only those with exactly the same name get one here
with names as (
    select * from {{ ref('dim_concept_alias') }}
),

final as (
    select
        names.concept_id as disease_id,
        min(codes.concept_id) as icd10_code,
    from names
    inner join names as codes
        on names.alias_normalised = codes.alias_normalised and codes.vocabulary = 'icd10cm'
    where names.vocabulary = 'disease' and names.scope != 'abbreviation'
    group by all
    having count(distinct codes.concept_id) = 1
)

select * from final
