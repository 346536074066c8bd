with final as (
    select
        tenant_id,
        recommender,
        condition,
        metric_name,
        status,
        baseline_id,
        baseline_name,
        tier,
        value_before,
        value_after,
        metric_value,
        n_cases,
        n_paired,
        n_new,
        n_changed,
        n_missing,
        n_worse,
        n_better,
        p_value,
        worse_cases,
        better_cases,
        gates,
    from {{ ref('int_recommendations__gate') }}
)

select * from final
