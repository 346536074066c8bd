with packets as (
    select * from {{ ref('int_phenotyping__packets') }}
),

rule_recommendations as (
    select * from {{ ref('int_phenotyping__rule_recommendations') }}
),

asks as (
    select * from {{ ref('int_phenotyping__reasoning_asks') }}
),

responses as (
    select * from {{ ref('int_phenotyping__reasoning_responses') }}
),

parsed as (
    select * from {{ ref('int_phenotyping__parsed_recommendations') }}
),

by_rules as (
    select
        case_id,
        'rules' as reasoner,
        recommendation,
        'ok' as status,
        duration_ms,
    from rule_recommendations
),

by_models as (
    select
        asks.case_id,
        asks.model_alias as reasoner,
        parsed.recommendation,
        coalesce(
            -- an answer that came but left nothing to parse is a parse error, not a success
            parsed.parse_status, if(responses.status = 'ok', 'parse_error', responses.status)
        ) as status,
        parsed.parse_reason,
        asks.request_key,
        asks.prompt_version,
        responses.latency_ms as duration_ms,
    from asks
    inner join responses on asks.request_key = responses.request_key
    left join parsed on asks.request_key = parsed.request_key
),

answers as (
    select * from by_rules
    union all by name
    select * from by_models
),

final as (
    select
        answers.*,
        -- rules and models answer the same packet, so one check applies to both
        packets.packet,
        packets.packet_hash,
    from answers
    inner join packets on answers.case_id = packets.case_id
)

select * from final
