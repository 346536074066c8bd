with requests as (
    select
        request_key,
        'question_type' as task,
    from {{ ref('int_questions__type_requests') }}
    union all
    select
        request_key,
        'question_analysis' as task,
    from {{ ref('int_questions__analysis_requests') }}
    union all
    select
        request_key,
        'question_choice' as task,
    from {{ ref('int_questions__choice_requests') }}
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
    from {{ ref('int_questions__call_attempts') }}
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
    {{ join_price_of_the_day() }}
)

select * from final
