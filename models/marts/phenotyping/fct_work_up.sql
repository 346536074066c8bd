with final as (
    select
        case_id,
        reasoner,
        packet,
        packet_hash,
        answer,
        recommendation,
        status,
        parse_reason,
        request_key,
        prompt_version,
        n_violations,
        is_fallback,
    from {{ ref('int_phenotyping__work_ups') }}
)

select * from final
