with outcomes as (
    select
        configuration_id,
        case_id,
        request_key,
        prompt_alias,
        prompt_version,
        test_set,
        status,
        answer_text,
        finish_reason,
        parse_status,
        read_as,
        recorded_in,
        error_kind,
        error_message,
        n_diagnoses,
        n_items - n_diagnoses as n_dropped,
        n_attempts,
        latency_ms,
    from {{ ref('int_experiments__cell_outcomes') }}
),

statuses as (
    select * from {{ ref('outcome_statuses') }}
),

final as (
    select
        outcomes.configuration_id,
        outcomes.case_id,
        outcomes.request_key,
        outcomes.prompt_alias,
        outcomes.prompt_version,
        outcomes.test_set,
        outcomes.status,
        statuses.outcome_class,
        outcomes.answer_text,
        outcomes.finish_reason,
        outcomes.parse_status,
        outcomes.read_as,
        outcomes.recorded_in,
        outcomes.error_kind,
        outcomes.error_message,
        outcomes.n_diagnoses,
        outcomes.n_dropped,
        outcomes.n_attempts,
        outcomes.latency_ms,
    from outcomes
    left join statuses on outcomes.status = statuses.status
)

select * from final
