with golden as (
    select
        'golden_set' as tenant_id,
        case_id,
        stratum as condition,
        patient_json,
        md5(patient_json || expected_json) as case_version,
        true as is_golden,
    from {{ ref('stg_recommendations__golden_case') }}
),

-- held-out patients are evaluated by the jobs that say so: selectors nightly and config_gate
held_out as (
    select
        tenant_id,
        patient_id as case_id,
        condition,
        patient_json,
        md5(patient_json) as case_version,
        false as is_golden,
    from {{ ref('int_recommendations__patients') }}
    where is_holdout and {{ evaluates_held_out() }}
),

final as (
    select
        tenant_id,
        case_id,
        condition,
        patient_json,
        case_version,
        is_golden,
    from golden
    union all
    select
        tenant_id,
        case_id,
        condition,
        patient_json,
        case_version,
        is_golden,
    from held_out
)

select * from final
