with cells as (
    select
        configuration_id,
        question_id,
        model_alias,
        strategy,
        repeat_number,
        is_selected,
        is_blocked_by_policy,
    from {{ ref('int_questions__expected_cells') }}
    where not (is_baseline or is_recorded)
),

questions as (
    select
        question_id,
        {{ shown_vignette("vignette") }} as vignette,
        {{ shown_stem("question_stem") }} as question_stem,
        questions.options,
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
    from {{ ref('int_questions__parsed_analyses') }}
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

-- a model that always names the same place, or knows the published order by heart, is seen where
-- the options change places
shown as (
    select
        cells.*,
        questions.* exclude (question_id, options),
        if(
            cells.strategy = 'direct_shuffled',
            {{ shuffled_order("questions.n_options", "cells.question_id", "cells.repeat_number") }},
            range(1, questions.n_options + 1)
        ) as option_order,
        {{ lettered_options("list_select(questions.options, option_order)") }} as options_shown,
    from cells
    inner join questions on cells.question_id = questions.question_id
),

-- the choice of an analysis_first cell is requested only after a readable analysis
asked as (
    select
        shown.configuration_id,
        shown.question_id,
        shown.model_alias,
        shown.option_order,
        prompts.prompt_alias,
        prompts.prompt_version,
        prompts.output_format,
        array_to_string(
            list_transform(range(1, shown.n_options + 1), lambda i: chr((64 + i)::integer)), ''
        ) as letters,
        prompts.system_template as system_text,
        {{ fill_template("prompts.user_template", [
            ("options", "shown.options_shown"),
            ("question_stem", "shown.question_stem"),
            ("vignette", "shown.vignette"),
            ("analysis", "coalesce(analyses.analysis, '')"),
        ]) }} as user_text,
        prompts.response_schema,
        shown.repeat_number,
        shown.is_selected,
        shown.is_blocked_by_policy,
        shown.contains_phi,
    from shown
    inner join prompts
        on prompts.prompt_alias = case
            when shown.strategy = 'analysis_first' then 'question_choice'
            when shown.strategy = 'options_only' then 'question_options_only'
            else 'question_choice_direct'
        end
    left join analyses
        on
            shown.configuration_id = analyses.configuration_id
            and shown.question_id = analyses.question_id
    where shown.strategy != 'analysis_first' or analyses.analysis is not null
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
        asked.option_order,
        {{ request_columns("asked.response_schema") }},
    from asked
    inner join models on asked.model_alias = models.model_alias
)

select * from final
