with final as (
    select
        case_id,
        stratum,
        tests,
        patient_json,
        expected_json,
    from {{ ref('stg_recommendations__golden_case') }}
)

select * from final
