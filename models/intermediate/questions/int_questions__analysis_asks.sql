with cells as (
    select
        configuration_id,
        question_id,
        model_alias,
        question_type,
        repeat_number,
        is_selected,
        is_blocked_by_policy,
    from {{ ref('int_questions__expected_cells') }}
    -- 'direct' skips the analysis, and the baseline asks nobody
    where strategy = 'analysis_first'
),

questions as (
    select
        question_id,
        {{ shown_vignette("vignette") }} as vignette,
        {{ shown_stem("question_stem") }} as question_stem,
        contains_phi,
    from {{ ref('dim_question') }}
),

{{ prompts_and_models() }},

asked as (
    select
        cells.configuration_id,
        cells.question_id,
        cells.model_alias,
        -- the prompt never has the options: the analysis is to be made before they can steer it
        types.analysis_prompt as prompt_alias,
        prompts.prompt_version,
        prompts.output_format,
        prompts.system_template as system_text,
        {{ fill_template("prompts.user_template", [
            ("question_stem", "questions.question_stem"),
            ("vignette", "questions.vignette"),
        ]) }} as user_text,
        prompts.response_schema,
        cells.repeat_number,
        cells.is_selected,
        cells.is_blocked_by_policy,
        questions.contains_phi,
    from cells
    inner join questions on cells.question_id = questions.question_id
    inner join {{ ref('question_types') }} as types
        on cells.question_type = types.question_type
    inner join prompts on types.analysis_prompt = prompts.prompt_alias
),

final as (
    select
        asked.configuration_id,
        asked.question_id,
        asked.model_alias,
        asked.prompt_alias,
        asked.prompt_version,
        asked.output_format,
        {{ request_columns("asked.response_schema") }},
    from asked
    inner join models on asked.model_alias = models.model_alias
)

select * from final
