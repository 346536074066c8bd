with checks as (
    select * from {{ ref('stg_recommendations__check') }}
),

final as (
    select
        check_id,
        recommendation_id,
        patient_key,
        system,
        recommender,
        check_name,
        outcome,
        reasons,
        len(reasons)::integer as n_reasons,
        took_ms,
        passed,
        may_be_shown,
        checked_at,
    from checks
)

select * from final
