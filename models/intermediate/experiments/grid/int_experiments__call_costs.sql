with attempts as (
    select * from {{ ref('int_experiments__call_attempts') }}
),

requests as (
    select
        request_key,
        'generation' as task,
    from {{ ref('int_experiments__generation_requests') }}
    union all
    select
        request_key,
        'semantic_judge' as task,
    from {{ ref('int_experiments__semantic_requests') }}
    union all
    select
        request_key,
        'severity_judge' as task,
    from {{ ref('int_experiments__severity_requests') }}
),

final as (
    select
        attempts.attempt_id,
        attempts.request_key,
        attempts.run_id,
        attempts.model_alias,
        attempts.provider,
        attempts.api_model,
        attempts.returned_model,
        coalesce(requests.task, 'earlier request') as task,
        attempts.status,
        attempts.finish_reason,
        attempts.error_kind,
        attempts.error_message,
        coalesce(attempts.execution, 'direct') as execution,
        attempts.usage_json,
        attempts.raw_response,
        attempts.attempt_number,
        attempts.http_status,
        attempts.input_tokens,
        attempts.cached_input_tokens,
        attempts.output_tokens,
        attempts.latency_ms,
        {{ usd_cost(
            "attempts.input_tokens", "attempts.cached_input_tokens", "attempts.output_tokens"
        ) }} * {{ batch_discount("attempts.execution") }} as cost_usd,
        attempts.started_at,
        attempts.ended_at,
        attempts.is_final,
        prices.input_usd_per_mtok is not null as is_priced,
    from attempts
    left join requests on attempts.request_key = requests.request_key
    {{ join_price_of_the_day() }}
)

select * from final
