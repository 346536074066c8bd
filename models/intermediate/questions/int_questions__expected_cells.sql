with configurations as (
    select * from {{ ref('dim_question_configuration') }}
),

questions as (
    select * from {{ ref('dim_question') }}
),

models as (
    select * from {{ ref('stg_registry__llm_model') }}
),

-- the baseline is SQL: its input never leaves the machine
final as (
    select
        configurations.configuration_id,
        questions.question_id,
        configurations.model_alias,
        configurations.strategy,
        configurations.question_set,
        questions.question_type,
        configurations.is_baseline,
        questions.contains_phi
        and not configurations.is_baseline
        and not coalesce(models.is_phi_approved, false) as is_blocked_by_policy,
    from configurations
    inner join questions on configurations.question_set = questions.question_set
    left join models on configurations.model_alias = models.model_alias
)

select * from final
