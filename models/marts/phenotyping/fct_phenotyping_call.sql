with requests as (
    select
        request_key,
        'phenotype_reasoning' as task,
    from {{ ref('int_phenotyping__reasoning_requests') }}
    union all
    select distinct
        request_key,
        'phenotype_' || task as task,
    from {{ ref('int_phenotyping__extraction_asks') }}
),

attempts as (
    select
        attempt_id,
        run_id,
        request_key,
        model_alias,
        provider,
        api_model,
        returned_model,
        status,
        error_kind,
        error_message,
        raw_response,
        attempt_number,
        input_tokens,
        cached_input_tokens,
        output_tokens,
        latency_ms,
        started_at,
        ended_at,
        execution,
        is_final,
    from {{ ref('int_phenotyping__call_attempts') }}
),

prices as (
    select
        provider,
        api_model,
        input_usd_per_mtok,
        cached_input_usd_per_mtok,
        output_usd_per_mtok,
        batch_factor,
        valid_from,
        valid_to,
    from {{ ref('stg_registry__llm_price') }}
),

final as (
    select
        attempts.attempt_id,
        attempts.request_key,
        attempts.run_id,
        attempts.model_alias,
        requests.task,
        attempts.returned_model,
        attempts.status,
        attempts.error_kind,
        attempts.error_message,
        attempts.raw_response,
        attempts.attempt_number::integer as attempt_number,
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
    from attempts
    inner join requests on attempts.request_key = requests.request_key
    left join prices
        on
            attempts.provider = prices.provider
            and attempts.api_model = prices.api_model
            and attempts.started_at::date >= prices.valid_from
            and (prices.valid_to is null or attempts.started_at::date <= prices.valid_to)
)

select * from final
