with source as (
    select
        check_id,
        system,
        recommender,
        recommendation_id,
        patient_key,
        check_name,
        outcome,
        reasons,
        took_ms,
        passed,
        may_be_shown,
        checked_at,
    from {{ source('checks', 'recommendation_check') }}
)

select * from source
