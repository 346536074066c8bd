with answers as (
    select * from {{ ref('int_phenotyping__answers') }}
),

violation_counts as (
    select
        case_id,
        reasoner,
        count(*)::integer as n_violations,
    from {{ ref('int_phenotyping__violations') }}
    group by all
),

rule_recommendations as (
    select * from {{ ref('int_phenotyping__rule_recommendations') }}
),

checked as (
    select
        answers.*,
        coalesce(violation_counts.n_violations, 0) as n_violations,
        if(violation_counts.n_violations > 0, 'violates_rules', answers.status) as checked_status,
        checked_status != 'ok' as is_fallback,
    from answers
    left join violation_counts
        on
            answers.case_id = violation_counts.case_id
            and answers.reasoner = violation_counts.reasoner
),

-- the rules replace a model that gave no answer or broke a rule
final as (
    select
        checked.case_id,
        checked.reasoner,
        checked.packet,
        checked.packet_hash,
        checked.recommendation as answer,
        if(checked.is_fallback, by_rules.recommendation, checked.recommendation) as recommendation,
        checked.checked_status as status,
        checked.parse_reason,
        checked.request_key,
        checked.prompt_version,
        checked.n_violations,
        checked.is_fallback,
    from checked
    inner join rule_recommendations as by_rules on checked.case_id = by_rules.case_id
)

select * from final
