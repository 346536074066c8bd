with cells as (
    select
        configuration_id,
        question_id,
        model_alias,
        strategy,
        is_blocked_by_policy,
    from {{ ref('int_questions__expected_cells') }}
    where not is_baseline
),

questions as (
    select
        question_id,
        {{ shown_vignette("vignette") }} as vignette,
        {{ shown_stem("question_stem") }} as question_stem,
        {{ lettered_options("options") }} as options_shown,
        questions.n_options,
        questions.contains_phi,
    from {{ ref('int_questions__questions') }} as questions
    inner join {{ ref('int_questions__splits') }} using (question_id)
),

shown_fields as (
    select
        request_key,
        string_agg(
            replace(field, '_', ' ') || coalesce(' ' || field_rank, '') || ': ' || field_text,
            e'\n' order by item_number
        ) as analysis,
    from {{ ref('int_questions__analysis_fields') }}
    where field not in ('full_text', 'differential_reasoning')
    group by all
),

analyses as (
    select
        asks.configuration_id,
        asks.question_id,
        shown_fields.analysis,
    from {{ ref('int_questions__analysis_asks') }} as asks
    inner join shown_fields on asks.request_key = shown_fields.request_key
),

{{ prompts_and_models() }},

-- the choice of an analysis_first cell is requested only after a readable analysis
asked as (
    select
        cells.configuration_id,
        cells.question_id,
        cells.model_alias,
        prompts.prompt_alias,
        prompts.prompt_version,
        prompts.output_format,
        array_to_string(
            list_transform(range(1, questions.n_options + 1), lambda i: chr((64 + i)::integer)), ''
        ) as letters,
        prompts.system_template as system_text,
        {{ fill_template("prompts.user_template", [
            ("options", "questions.options_shown"),
            ("question_stem", "questions.question_stem"),
            ("vignette", "questions.vignette"),
            ("analysis", "coalesce(analyses.analysis, '')"),
        ]) }} as user_text,
        prompts.response_schema,
        1 as repeat_number,
        {{ is_chosen("cells.model_alias", "questions") }} as is_selected,
        cells.is_blocked_by_policy,
        questions.contains_phi,
    from cells
    inner join questions on cells.question_id = questions.question_id
    inner join prompts
        on prompts.prompt_alias = case
            when cells.strategy = 'direct' then 'question_choice_direct' else 'question_choice'
        end
    left join analyses
        on
            cells.configuration_id = analyses.configuration_id
            and cells.question_id = analyses.question_id
    where cells.strategy = 'direct' or analyses.analysis is not null
),

final as (
    select
        asked.configuration_id,
        asked.question_id,
        asked.model_alias,
        asked.prompt_alias,
        asked.prompt_version,
        asked.output_format,
        asked.letters,
        {{ request_columns("asked.response_schema") }},
    from asked
    inner join models on asked.model_alias = models.model_alias
)

select * from final
