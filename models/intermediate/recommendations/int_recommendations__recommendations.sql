with final as (
    select
        tenant_id,
        case_id,
        recommender,
        configuration,
        'ok' as status,
        recommendation_json,
        documents,
        retrieve_ms,
        recommend_ms,
        cast(null as double) as generate_ms,
    from {{ ref('int_recommendations__rule_recommendations') }}
)

select * from final
