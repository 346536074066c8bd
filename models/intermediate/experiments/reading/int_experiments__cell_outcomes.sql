with cells as (
    select * from {{ ref('int_experiments__expected_cells') }}
),

-- a prompt's version is not of the grid: a changed word changes no cell
configurations as (
    select * from {{ ref('int_experiments__configurations') }}
),

asks as (
    select * from {{ ref('int_experiments__generation_asks') }}
),

responses as (
    select * from {{ ref('int_experiments__generation_responses') }}
),

parsed as (
    select * from {{ ref('int_experiments__parsed_answers') }}
),

recorded as (
    select * from {{ ref('int_experiments__recorded_answers') }}
),

parse_outcomes as (
    select * from {{ ref('parse_outcomes') }}
),

lists as (
    select
        configuration_id,
        case_id,
        count(*) as n_diagnoses,
        count(*) filter (where is_judged) as n_judged,
        count(*) filter (where diagnosis_rank <= {{ deepest_list() }}) as n_within_depth,
        count(*) + coalesce(sum(len(repeats)), 0) as n_listed,
    from {{ ref('int_experiments__ranked_diagnoses') }}
    group by all
),

final as (
    select
        cells.configuration_id,
        cells.case_id,
        asks.request_key,
        cells.model_alias,
        cells.prompt_alias,
        configurations.prompt_version,
        cells.test_set,
        -- a list that could be read is an answer, even if the text was cut off after it
        case
            when lists.n_diagnoses > 0 then 'ok'
            when cells.model_kind = 'sql' then 'parse_error'
            when cells.model_kind = 'recorded' and recorded.case_id is null then 'missing_from_run'
            when cells.model_kind = 'recorded' or responses.status = 'ok'
                then coalesce(parsed.failure_status, parse_outcomes.status, 'parse_error')
            else responses.status
        end as status,
        coalesce(responses.answer_text, recorded.answer_text) as answer_text,
        responses.finish_reason,
        parsed.parse_status,
        parsed.read_as,
        recorded.recorded_in,
        responses.error_kind,
        responses.error_message,
        cells.sample_order,
        coalesce(lists.n_diagnoses, 0)::integer as n_diagnoses,
        coalesce(lists.n_judged, 0)::integer as n_judged,
        coalesce(lists.n_within_depth, 0)::integer as n_within_depth,
        coalesce(parsed.n_items, lists.n_listed, 0)::integer as n_items,
        coalesce(responses.n_attempts, 0)::integer as n_attempts,
        responses.latency_ms,
    from cells
    inner join configurations using (configuration_id)
    left join asks using (configuration_id, case_id)
    left join responses using (request_key)
    left join recorded using (configuration_id, case_id)
    left join parsed on coalesce(asks.request_key, recorded.answer_key) = parsed.answer_key
    left join parse_outcomes using (parse_status)
    left join lists using (configuration_id, case_id)
)

select * from final
