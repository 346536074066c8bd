with by_rules as (
    select * from {{ ref('int_recommendations__rule_recommendations') }}
),

answers as (
    select * from {{ ref('int_recommendations__generation_answers') }}
),

parsed as (
    select * from {{ ref('int_recommendations__parsed_recommendations') }}
),

-- a case without an answer stays, without a recommendation, and fails every check
by_models as (
    select
        answers.*,
        answers.model_alias as recommender,
        parsed.recommendation_json,
    from answers
    left join parsed
        on answers.tenant_id = parsed.tenant_id and answers.case_id = parsed.case_id
),

recommendations as (
    select
        *,
        'ok' as status,
    from by_rules
    union all by name
    select * from by_models
),

final as (
    select
        tenant_id,
        case_id,
        recommender,
        configuration,
        status,
        json_extract_string(recommendation_json, '$.severity') as severity,
        recommendation_json,
        json_array_length(recommendation_json, '$.recommended_actions')::integer as n_actions,
        n_calls,
        retrieve_ms,
        recommend_ms,
        generate_ms,
        documents,
    from recommendations
)

select * from final
