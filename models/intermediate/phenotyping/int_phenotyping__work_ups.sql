with answers as (
    select * from {{ ref('int_phenotyping__answers') }}
),

violation_counts as (
    select
        case_id,
        reasoner,
        count(*) as n_violations,
    from {{ ref('int_phenotyping__violations') }}
    group by all
),

judged as (
    select
        answers.case_id,
        answers.reasoner,
        answers.packet,
        answers.packet_hash,
        answers.recommendation as answer,
        if(coalesce(violation_counts.n_violations, 0) > 0, 'violates_rules', answers.status)
            as status,
        answers.parse_reason,
        answers.request_key,
        answers.prompt_version,
        answers.duration_ms,
        coalesce(violation_counts.n_violations, 0)::integer as n_violations,
    from answers
    left join violation_counts
        on
            answers.case_id = violation_counts.case_id
            and answers.reasoner = violation_counts.reasoner
),

-- what a model could not say, or may not, the rules say in its place
final as (
    select
        judged.case_id,
        judged.reasoner,
        judged.packet,
        judged.packet_hash,
        judged.answer,
        if(judged.status = 'ok', judged.answer, fallbacks.recommendation) as recommendation,
        judged.status,
        judged.parse_reason,
        judged.request_key,
        judged.prompt_version,
        judged.n_violations,
        judged.duration_ms,
        judged.status != 'ok' as is_fallback,
    from judged
    inner join {{ ref('int_phenotyping__rule_recommendations') }} as fallbacks
        on judged.case_id = fallbacks.case_id
)

select * from final
