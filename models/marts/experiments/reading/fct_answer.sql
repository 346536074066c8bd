with outcomes as (
    select * from {{ ref('int_experiments__cell_outcomes') }}
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
        -- an item that repeats an earlier diagnosis or names none; rpt_answer_issue says which
        outcomes.n_items - outcomes.n_diagnoses as n_dropped,
        outcomes.n_attempts,
        outcomes.latency_ms,
    from outcomes
    left join statuses using (status)
)

select * from final
