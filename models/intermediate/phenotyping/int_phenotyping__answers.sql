with packets as (
    select * from {{ ref('int_phenotyping__packets') }}
),

final as (
    select
        packets.case_id,
        'rules' as reasoner,
        packets.packet,
        packets.packet_hash,
        recommended.recommendation,
        'ok' as status,
        null::varchar as parse_reason,
        null::varchar as request_key,
        null::varchar as prompt_version,
        recommended.duration_ms,
    from packets
    inner join {{ ref('int_phenotyping__rule_recommendations') }} as recommended
        on packets.case_id = recommended.case_id
    union all
    select
        packets.case_id,
        asks.model_alias as reasoner,
        packets.packet,
        packets.packet_hash,
        parsed.recommendation,
        case
            when parsed.parse_status is not null then parsed.parse_status
            when responses.status = 'ok' then 'parse_error'
            else responses.status
        end as status,
        parsed.parse_reason,
        asks.request_key,
        asks.prompt_version,
        null::double as duration_ms,
    from packets
    inner join {{ ref('int_phenotyping__reasoning_asks') }} as asks
        on packets.case_id = asks.case_id
    inner join {{ ref('int_phenotyping__reasoning_responses') }} as responses
        on asks.request_key = responses.request_key
    left join {{ ref('int_phenotyping__parsed_recommendations') }} as parsed
        on asks.request_key = parsed.request_key
)

select * from final
