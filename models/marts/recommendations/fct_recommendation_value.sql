with final as (
    select
        tenant_id,
        recommender,
        configuration,
        condition,
        metric_name,
        case_id,
        tier,
        value,
    from {{ ref('int_recommendations__case_values') }}
)

select * from final
