with source as (
    select
        case_id,
        stratum,
        tests,
        patient_json,
        expected_json,
    from {{ source('golden_set', 'golden_case') }}
)

select * from source
