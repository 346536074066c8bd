with golden_cases as (
    select * from {{ ref('stg_recommendations__golden_case') }}
),

patients as (
    select * from {{ ref('int_recommendations__patients') }}
),

expectations as (
    select
        case_id,
        list(expected order by expected) filter (fact_kind = 'rule') as expected_rules,
        list(expected order by expected) filter (fact_kind = 'red_flag') as expected_flags,
    from {{ ref('int_recommendations__expectations') }}
    where tenant_id = 'golden_set'
    group by all
),

-- an author who expects nothing of a golden case writes empty lists: they are empty, not unknown
golden as (
    select
        'golden_set' as tenant_id,
        case_id,
        cast(null as varchar) as archetype,
        stratum as condition,
        patient_json,
        md5(patient_json || expected_json) as case_version,
        coalesce(expectations.expected_rules, []) as expected_rules,
        coalesce(expectations.expected_flags, []) as expected_flags,
        true as is_golden,
    from golden_cases
    left join expectations using (case_id)
),

-- only the jobs nightly and config_gate evaluate held-out patients
held_out as (
    select
        tenant_id,
        patient_id as case_id,
        archetype,
        condition,
        patient_json,
        md5(patient_json) as case_version,
        false as is_golden,
    from patients
    where is_holdout and {{ evaluates_held_out() }}
),

final as (
    select * from golden
    union all by name
    select * from held_out
)

select * from final
