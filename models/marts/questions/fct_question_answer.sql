with cells as (
    select * from {{ ref('int_questions__expected_cells') }}
),

questions as (
    select * from {{ ref('dim_question') }}
),

asked_questions as (
    select
        question_id,
        language,
        options,
        {{ comparable_text("question_text") }} as asked_text,
    from {{ ref('int_questions__questions') }}
),

asked_words as (
    select
        question_id,
        {{ content_stems("asked_text", "language") }} as asked_stems,
    from asked_questions
),

options as (
    select
        question_id,
        language,
        unnest(options) as option_text,
        unnest(list_transform(options, lambda option: length(option))) as n_characters,
        unnest(range(1, len(options) + 1)) as option_number,
    from asked_questions
),

compared as (
    select
        question_id,
        language,
        option_number,
        n_characters,
        {{ comparable_text("option_text") }} as option_text,
    from options
),

stemmed as (
    select
        question_id,
        option_number,
        n_characters,
        {{ content_stems("option_text", "language") }} as option_stems,
    from compared
),

shares as (
    select
        stemmed.question_id,
        chr((64 + stemmed.option_number)::integer) as letter,
        stemmed.n_characters,
        coalesce(
            {{ stem_recall("asked_words.asked_stems", "stemmed.option_stems") }}, 0
        ) as overlap,
    from stemmed
    inner join asked_words on stemmed.question_id = asked_words.question_id
),

-- The baselines that look at the options alone. Ties are broken by a hash, so that no letter is
-- favoured.
lexical_choices as (
    select
        question_id,
        arg_max(letter, (overlap, md5(question_id || letter))) as letter,
        -- test writers spell out what is right: what this gains is known without the question
        arg_max(letter, (n_characters, md5(question_id || letter))) as longest_letter,
    from shares
    group by all
),

recorded_answers as (
    select
        configurations.configuration_id,
        questions.question_id,
        recorded.answer_text,
        recorded.letter,
        recorded.parse_reason,
        recorded.parse_status as status,
    from {{ ref('stg_questions__recorded_answer') }} as recorded
    inner join {{ ref('dim_question_configuration') }} as configurations
        on
            recorded.model_alias = configurations.model_alias
            and recorded.question_set = configurations.question_set
            and recorded.repeat_number = configurations.repeat_number
            and configurations.is_recorded
    inner join questions
        on
            recorded.question_set = questions.question_set
            and recorded.question_number = questions.question_number
),

matches as (
    select * from {{ ref('int_questions__answer_matches') }}
),

statuses as (
    select * from {{ ref('outcome_statuses') }}
),

-- an analysis that could be read has fields
read_analyses as (
    select distinct
        request_key,
        'ok' as parse_status,
    from {{ ref('int_questions__parsed_analyses') }}
),

analyses as (
    select
        asks.*,
        responses.answer_text,
        {{ read_status("parsed.parse_status", "responses.status") }} as status,
    from {{ ref('int_questions__analysis_asks') }} as asks
    inner join {{ ref('int_questions__analysis_responses') }} as responses
        on asks.request_key = responses.request_key
    left join read_analyses as parsed
        on asks.request_key = parsed.request_key
),

choices as (
    select
        asks.*,
        responses.answer_text,
        {{ published_letter("parsed.letter", "asks.option_order") }} as letter,
        parsed.justification,
        parsed.parse_reason,
        {{ read_status("parsed.parse_status", "responses.status") }} as status,
    from {{ ref('int_questions__choice_asks') }} as asks
    inner join {{ ref('int_questions__choice_responses') }} as responses
        on asks.request_key = responses.request_key
    left join {{ ref('int_questions__parsed_choices') }} as parsed
        on asks.request_key = parsed.request_key
),

outcomes as (
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
        -- a choice that could not be requested has the status of its analysis
        case
            when cells.is_baseline then 'ok'
            when cells.is_recorded then coalesce(recorded_answers.status, 'missing_from_run')
            when cells.strategy = 'analysis_first' and analyses.status != 'ok' then analyses.status
            else choices.status
        end as status,
        analyses.answer_text as analysis_text,
        coalesce(choices.answer_text, recorded_answers.answer_text) as choice_text,
        case
            when cells.is_baseline and cells.strategy = 'options_only'
                then lexical_choices.longest_letter
            when cells.is_baseline then lexical_choices.letter
            else coalesce(choices.letter, recorded_answers.letter)
        end as chosen_letter,
        choices.justification,
        coalesce(choices.parse_reason, recorded_answers.parse_reason) as parse_reason,
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
    left join recorded_answers
        on
            cells.configuration_id = recorded_answers.configuration_id
            and cells.question_id = recorded_answers.question_id
    left join lexical_choices
        on cells.question_id = lexical_choices.question_id and cells.is_baseline
),

-- top 1 and top 3 count only in the type's own field; a fallback is only a mention
final as (
    select
        outcomes.configuration_id,
        outcomes.question_id,
        outcomes.question_set,
        outcomes.question_type,
        outcomes.analysis_request_key,
        outcomes.choice_request_key,
        outcomes.analysis_prompt_version,
        outcomes.choice_prompt_version,
        outcomes.analysis_status,
        outcomes.status,
        statuses.outcome_class,
        outcomes.analysis_text,
        outcomes.choice_text,
        outcomes.chosen_letter,
        outcomes.justification,
        outcomes.parse_reason,
        by_type.match_field,
        by_type.match_text,
        untyped.match_field as untyped_match_field,
        by_type.match_rank,
        untyped.match_rank as untyped_match_rank,
        coalesce(outcomes.chosen_letter = outcomes.answer_letter, false) as is_choice_correct,
        outcomes.has_analysis,
        coalesce(not by_type.is_fallback and by_type.match_rank <= 1, false) as is_top1,
        coalesce(not by_type.is_fallback and by_type.match_rank <= 3, false) as is_top3,
        by_type.question_id is not null as is_mentioned,
        coalesce(by_type.is_fallback, false) as is_fallback,
        outcomes.question_type = 'diagnostic'
        and coalesce(by_type.match_field = 'differential', false) as is_in_differential,
        coalesce(not untyped.is_fallback and untyped.match_rank <= 1, false) as is_top1_untyped,
        untyped.question_id is not null as is_mentioned_untyped,
    from outcomes
    left join statuses on outcomes.status = statuses.status
    left join matches as by_type
        on
            outcomes.configuration_id = by_type.configuration_id
            and outcomes.question_id = by_type.question_id
            and by_type.scheme = 'by_type'
    left join matches as untyped
        on
            outcomes.configuration_id = untyped.configuration_id
            and outcomes.question_id = untyped.question_id
            and untyped.scheme = 'untyped'
)

select * from final
