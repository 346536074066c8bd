-- Of a golden case its author expects them; of a held-out patient the archetype it was drawn from.
with golden_cases as (
    select * from {{ ref('stg_recommendations__golden_case') }}
),

kinds as (
    select
        case_id,
        unnest(['problem', 'rule', 'red_flag', 'source_type']) as fact_kind,
        unnest([
            json_extract(expected_json, '$.problems'),
            json_extract(expected_json, '$.rules'),
            json_extract(expected_json, '$.escalations'),
            json_extract(expected_json, '$.source_types'),
        ]) as expectations,
    from golden_cases
    union all
    select
        case_id,
        'severity' as fact_kind,
        json_array(json_extract(expected_json, '$.severity')) as expectations,
    from golden_cases
),

stated as (
    select
        case_id,
        fact_kind,
        unnest(cast(expectations as json[])) as expectation,
    from kinds
),

golden as (
    select
        'golden_set' as tenant_id,
        case_id,
        fact_kind,
        expectation ->> '$.value' as expected,
        expectation ->> '$.because' as because,
    from stated
    -- a case without a problem of the field has the word none
    where expectation ->> '$.value' != 'none'
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
