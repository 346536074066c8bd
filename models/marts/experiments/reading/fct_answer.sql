with outcomes as (
    select * from {{ ref('int_experiments__cell_outcomes') }}
),

statuses as (
    select * from {{ ref('outcome_statuses') }}
),

cells as (
    select * from {{ ref('int_experiments__expected_cells') }}
),

case_findings as (
    select * from {{ ref('int_experiments__case_findings') }}
),

-- of each case as one text, a finding a line
findings as (
    select
        case_id,
        string_agg(
            hpo_id || ' ' || hpo_name || if(is_excluded, ', absent', ''), chr(10)
            order by is_excluded, hpo_id
        ) as findings,
    from case_findings
    group by all
),

asked_with as (
    select
        cells.configuration_id,
        findings.case_id,
        findings.findings,
    from cells
    inner join findings on cells.case_id = findings.case_id
    where cells.ranker in ('int_experiments__ic_ranking', 'int_experiments__profile_ranking')
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
        asked_with.findings,
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
    left join asked_with
        on
            outcomes.configuration_id = asked_with.configuration_id
            and outcomes.case_id = asked_with.case_id
)

select * from final
