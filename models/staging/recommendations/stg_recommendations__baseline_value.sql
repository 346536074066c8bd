with source as (
    select
        baseline_id,
        baseline_name,
        baseline_number,
        promoted_at,
        why,
        run_id,
        tenant_id,
        recommender,
        configuration,
        condition,
        tier,
        metric_name,
        case_id,
        case_version,
        value,
    from {{ source('baselines', 'baseline_value') }}
)

select * from source
