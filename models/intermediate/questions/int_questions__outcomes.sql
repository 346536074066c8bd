with cells as (
    select * from {{ ref('int_questions__expected_cells') }}
),

questions as (
    select * from {{ ref('int_questions__typed_questions') }}
),

analyses as (
    select
        asks.configuration_id,
        asks.question_id,
        asks.request_key,
        asks.prompt_alias,
        asks.prompt_version,
        responses.answer_text,
        {{ read_status("parsed.parse_status", "responses.status") }} as status,
    from {{ ref('int_questions__analysis_asks') }} as asks
    inner join {{ ref('int_questions__analysis_responses') }} as responses
        on asks.request_key = responses.request_key
    left join {{ ref('int_questions__parsed_analyses') }} as parsed
        on asks.request_key = parsed.request_key
),

choices as (
    select
        asks.configuration_id,
        asks.question_id,
        asks.request_key,
        asks.prompt_alias,
        asks.prompt_version,
        responses.answer_text,
        parsed.letter,
        parsed.justification,
        parsed.parse_reason,
        {{ read_status("parsed.parse_status", "responses.status") }} as status,
    from {{ ref('int_questions__choice_asks') }} as asks
    inner join {{ ref('int_questions__choice_responses') }} as responses
        on asks.request_key = responses.request_key
    left join {{ ref('int_questions__parsed_choices') }} as parsed
        on asks.request_key = parsed.request_key
),

joined as (
    select
        cells.configuration_id,
        cells.question_id,
        cells.question_set,
        cells.question_type,
        analyses.request_key as analysis_request_key,
        choices.request_key as choice_request_key,
        analyses.prompt_version as analysis_prompt_version,
        choices.prompt_version as choice_prompt_version,
        analyses.status as analysis_status,
        -- a choice that could not be asked for shares the fate of its analysis
        case
            when cells.is_baseline then 'ok'
            when cells.strategy = 'analysis_first' and analyses.status != 'ok' then analyses.status
            else choices.status
        end as status,
        analyses.answer_text as analysis_text,
        choices.answer_text as choice_text,
        if(cells.is_baseline, lexical.letter, choices.letter) as chosen_letter,
        choices.justification,
        choices.parse_reason,
        questions.answer_letter,
        cells.strategy = 'analysis_first' as has_analysis,
    from cells
    inner join questions on cells.question_id = questions.question_id
    left join analyses
        on
            cells.configuration_id = analyses.configuration_id
            and cells.question_id = analyses.question_id
    left join choices
        on
            cells.configuration_id = choices.configuration_id
            and cells.question_id = choices.question_id
    left join {{ ref('int_questions__lexical_choices') }} as lexical
        on cells.question_id = lexical.question_id and cells.is_baseline
),

final as (
    select
        joined.configuration_id,
        joined.question_id,
        joined.question_set,
        joined.question_type,
        joined.analysis_request_key,
        joined.choice_request_key,
        joined.analysis_prompt_version,
        joined.choice_prompt_version,
        joined.analysis_status,
        joined.status,
        statuses.outcome_class,
        joined.analysis_text,
        joined.choice_text,
        joined.chosen_letter,
        joined.justification,
        joined.parse_reason,
        matches.match_field,
        matches.match_text,
        untyped.match_field as untyped_match_field,
        matches.match_rank,
        untyped.match_rank as untyped_match_rank,
        coalesce(joined.chosen_letter = joined.answer_letter, false) as is_choice_correct,
        joined.has_analysis,
        coalesce(not matches.is_fallback and matches.match_rank <= 1, false) as is_top1,
        coalesce(not matches.is_fallback and matches.match_rank <= 3, false) as is_top3,
        matches.question_id is not null as is_mentioned,
        coalesce(matches.is_fallback, false) as is_fallback,
        joined.question_type = 'diagnostic'
        and coalesce(matches.match_field = 'differential', false)
            as is_in_differential,
        coalesce(not untyped.is_fallback and untyped.match_rank <= 1, false) as is_top1_untyped,
        untyped.question_id is not null as is_mentioned_untyped,
    from joined
    left join {{ ref('outcome_statuses') }} as statuses
        on joined.status = statuses.status
    left join {{ ref('int_questions__answer_matches') }} as matches
        on
            joined.configuration_id = matches.configuration_id
            and joined.question_id = matches.question_id
            and matches.scheme = 'by_type'
    left join {{ ref('int_questions__answer_matches') }} as untyped
        on
            joined.configuration_id = untyped.configuration_id
            and joined.question_id = untyped.question_id
            and untyped.scheme = 'untyped'
)

select * from final
