with configurations as (
    select * from {{ ref('dim_question_configuration') }}
),

questions as (
    select * from {{ ref('dim_question') }}
),

models as (
    select * from {{ ref('stg_registry__llm_model') }}
),

cells as (
    select
        configurations.configuration_id,
        questions.question_id,
        configurations.model_alias,
        configurations.strategy,
        configurations.question_set,
        questions.question_type,
        configurations.repeat_number,
        configurations.is_baseline,
        configurations.is_recorded,
        -- a baseline is SQL, recorded answers are there: nothing leaves the machine
        questions.contains_phi
        and not (configurations.is_baseline or configurations.is_recorded)
        and not coalesce(models.is_phi_approved, false) as is_blocked_by_policy,
        -- what no key scores is not paid for
        not (configurations.is_baseline or configurations.is_recorded)
        and questions.is_scored
        and {{ is_chosen("configurations.model_alias", "questions") }}
        and {{ is_chosen_or_any("configurations.strategy", "question_strategies") }}
        and {{ is_chosen_or_any("configurations.question_set", "question_sets") }}
        and {{ is_chosen_or_any("questions.question_type", "question_types") }} as is_chosen,
    from configurations
    inner join questions on configurations.question_set = questions.question_set
    left join models on configurations.model_alias = models.model_alias
),

-- the sample is the same for every configuration, and a larger one contains a smaller one
final as (
    select
        * exclude (is_chosen),
        is_chosen
        and row_number() over (
            partition by configuration_id order by not is_chosen, sha256(question_id)
        ) <= {{ var("question_limit") or 1000000000 }} as is_selected,
    from cells
)

select * from final
