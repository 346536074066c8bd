with configurations as (
    select * from {{ ref('question_configurations') }}
),

sets as (
    select distinct question_set
    from {{ ref('int_questions__questions') }}
),

models as (
    select * from {{ ref('stg_registry__llm_model') }}
),

final as (
    select
        configurations.model_alias
        || '/' || configurations.strategy
        || '/' || sets.question_set as configuration_id,
        configurations.model_alias,
        configurations.strategy,
        sets.question_set,
        configurations.description,
        configurations.strategy = 'options' as is_baseline,
        configurations.strategy = 'options' or coalesce(models.is_phi_approved, false)
            as is_phi_approved,
    from configurations
    -- a set that is not imported here has no questions to answer
    inner join sets on configurations.question_set in (sets.question_set, '*')
    left join models on configurations.model_alias = models.model_alias
    qualify
        row_number() over (
            partition by configurations.model_alias, configurations.strategy, sets.question_set
            order by configurations.question_set = '*'
        ) = 1
)

select * from final
