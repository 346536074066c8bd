with final as (
    select
        tenant_id,
        case_id,
        recommender,
        configuration,
        status,
        json_extract_string(recommendation_json, '$.severity') as severity,
        recommendation_json,
        json_array_length(recommendation_json, '$.recommended_actions')::integer as n_actions,
        retrieve_ms,
        recommend_ms,
        generate_ms,
        documents,
    from {{ ref('int_recommendations__recommendations') }}
)

select * from final
