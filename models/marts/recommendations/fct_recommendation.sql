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

failures as (
    select
        tenant_id,
        case_id,
        recommender,
        list(distinct check_name order by check_name) as failed_checks,
    from {{ ref('int_recommendations__verdicts') }}
    where tier = 1 and not passed
    group by all
),

final as (
    select
        recommendations.tenant_id,
        recommendations.case_id,
        recommendations.recommender,
        recommendations.configuration,
        recommendations.status,
        json_extract_string(recommendations.recommendation_json, '$.severity') as severity,
        recommendations.recommendation_json,
        coalesce(failures.failed_checks, []) as failed_checks,
        json_array_length(
            recommendations.recommendation_json, '$.recommended_actions'
        )::integer as n_actions,
        recommendations.n_calls,
        recommendations.retrieve_ms,
        recommendations.recommend_ms,
        recommendations.generate_ms,
        recommendations.documents,
        failures.failed_checks is null as may_be_shown,
    from recommendations
    left join failures using (tenant_id, case_id, recommender)
)

select * from final
