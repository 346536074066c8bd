-- Of a golden case its author expects them; of a held-out patient the archetype it was drawn from.
with golden as (
    select
        'golden_set' as tenant_id,
        case_id,
        fact_kind,
        expected,
        because,
    from {{ ref('int_recommendations__golden_expectations') }}
),

patients as (
    select * from {{ ref('int_recommendations__patients') }}
    where is_holdout and {{ evaluates_held_out() }}
),

of_archetypes as (
    select * from {{ ref('patient_archetype_expectations') }}
),

held_out as (
    select
        patients.tenant_id,
        patients.patient_id as case_id,
        of_archetypes.fact_kind,
        of_archetypes.expected,
        of_archetypes.source as because,
    from patients
    inner join of_archetypes using (archetype)
    where
        of_archetypes.told_by is null
        or contains(patients.patient_json, of_archetypes.told_by)
),

final as (
    select * from golden
    union all
    select * from held_out
)

select * from final
