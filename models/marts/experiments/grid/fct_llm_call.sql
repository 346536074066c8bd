with final as (
    select
        attempt_id,
        request_key,
        run_id,
        model_alias,
        provider,
        api_model,
        returned_model,
        task,
        status,
        finish_reason,
        error_kind,
        error_message,
        execution,
        usage_json,
        raw_response,
        attempt_number,
        http_status,
        input_tokens,
        cached_input_tokens,
        output_tokens,
        latency_ms,
        cost_usd,
        started_at,
        ended_at,
        is_final,
        is_priced,
    from {{ ref('int_experiments__call_costs') }}
)

select * from final
