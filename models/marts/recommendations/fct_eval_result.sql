with final as (
    select
        id,
        run_id,
        run_type,
        timestamp,
        tenant_id,
        condition,
        tier,
        metric_name,
        metric_value,
        baseline_id,
        passed_baseline,
        metadata,
    from {{ ref('int_recommendations__eval_history') }}
)

select * from final
