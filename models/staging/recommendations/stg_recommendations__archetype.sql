with source as (
    select
        archetype,
        condition,
        harbour_general,
        valley_pulmonary,
        source,
    from {{ ref('patient_archetypes') }}
)

select * from source
