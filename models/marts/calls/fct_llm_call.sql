with attempts as (
    select * from {{ ref('stg_ledger__attempt') }}
),

requests as (
    select * from {{ ref('stg_ledger__request') }}
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
        coalesce(requests.domain, 'unknown') as domain,
        coalesce(requests.task, 'unknown') as task,
        attempts.status,
        attempts.finish_reason,
        attempts.error_kind,
        attempts.error_message,
        coalesce(attempts.execution, 'direct') as execution,
        attempts.usage_json,
        -- the response is about the patient as well
        case
            when not coalesce(requests.contains_phi, false) then attempts.raw_response
        end as raw_response,
        attempts.attempt_number,
        attempts.http_status,
        attempts.input_tokens,
        attempts.cached_input_tokens,
        attempts.output_tokens,
        attempts.latency_ms,
        {{ call_cost("attempts") }} as cost_usd,
        attempts.charged_usd::double as charged_usd,
        attempts.started_at,
        attempts.ended_at,
        attempts.is_final,
        prices.input_usd_per_mtok is not null as is_priced,
    from attempts
    left join requests on attempts.request_key = requests.request_key
    {{ join_price_of_the_day() }}
)

select * from final
