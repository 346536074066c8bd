with rules as (
    select * from {{ ref('int_recommendations__rule_recommendations') }}
),

answers as (
    select * from {{ ref('int_recommendations__generation_answers') }}
),

parsed as (
    select * from {{ ref('int_recommendations__parsed_recommendations') }}
),

final as (
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
    from rules
    union all
    -- what was not answered stays, without a recommendation: it fails every check
    select
        answers.tenant_id,
        answers.case_id,
        answers.model_alias as recommender,
        answers.configuration,
        answers.status,
        parsed.recommendation_json,
        answers.documents,
        answers.retrieve_ms,
        cast(null as double) as recommend_ms,
        answers.generate_ms,
    from answers
    left join parsed
        on answers.tenant_id = parsed.tenant_id and answers.case_id = parsed.case_id
)

select * from final
