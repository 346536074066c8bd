with source as (
    select
        archetype,
        kind,
        name,
        probability,
        low,
        high,
        unit,
        source,
    from {{ ref('patient_archetype_features') }}
)

select * from source
