with questions as (
    select
        questions.question_id,
        questions.question_set,
        questions.question_text,
        questions.contains_phi,
    from {{ ref('int_questions__questions') }} as questions
    inner join {{ ref('int_questions__rule_types') }} as rule_types
        on questions.question_id = rule_types.question_id
    where questions.is_scored  -- nothing else is paid for
    -- what no rule types, and a sample of what one does, to see how far the two agree
    qualify
        rule_types.type_rule is null
        or row_number() over (
            partition by questions.question_set, rule_types.type_rule is null
            order by sha256(questions.question_id)
        ) <= {{ parameter('typist_sample') }}
),

-- who types a set: the model of this run, or the one that was asked before, whose types stay
typists as (
    select
        question_set,
        model_alias,
        {{ is_chosen("model_alias", "question_typist") }} as is_of_run,
    from {{ ref('stg_questions__configuration') }}
    where strategy = 'typing'
    union all by name
    select
        '*' as question_set,
        '{{ var("question_typist") }}' as model_alias,
        true as is_of_run,
),

type_list as (
    select
        string_agg('- ' || question_type || ': ' || meaning, e'\n' order by question_type)
            as types_shown,
    from {{ ref('question_types') }}
),

{{ prompts_and_models() }},

asked as (
    select
        questions.question_id,
        registered.model_alias,
        prompts.output_format,
        prompts.system_template as system_text,
        {{ fill_template("prompts.user_template", [
            ("type_list", "type_list.types_shown"),
            ("question_text", "questions.question_text"),
        ]) }} as user_text,
        prompts.response_schema,
        1 as repeat_number,
        typists.is_of_run
        and {{ is_chosen_or_any("questions.question_set", "question_sets") }} as is_selected,
        questions.contains_phi and not registered.is_phi_approved as is_blocked_by_policy,
        questions.contains_phi,
    from questions
    cross join type_list
    inner join typists on typists.question_set in (questions.question_set, '*')
    inner join {{ ref('stg_registry__llm_model') }} as registered
        on typists.model_alias = registered.model_alias and registered.kind = 'llm'
    inner join prompts on prompts.prompt_alias = 'question_type'
    qualify
        row_number() over (
            partition by questions.question_id
            order by not is_selected, typists.question_set = '*', typists.model_alias
        ) = 1
),

final as (
    select
        asked.question_id,
        asked.model_alias,
        asked.output_format,
        {{ request_columns("asked.response_schema") }},
    from asked
    inner join models on asked.model_alias = models.model_alias
)

select * from final
