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

-- A set that is not imported here has no questions. A configuration for all sets (*) yields to one
-- that names the set.
final as (
    select
        configurations.model_alias
        || '/' || configurations.strategy
        || '/' || sets.question_set as configuration_id,
        configurations.model_alias,
        configurations.strategy,
        sets.question_set,
        models.provider,
        models.api_model,
        models.family,
        configurations.description,
        configurations.strategy = 'options' as is_baseline,
    from configurations
    inner join sets on configurations.question_set in (sets.question_set, '*')
    left join models on configurations.model_alias = models.model_alias
    qualify
        row_number() over (
            partition by configurations.model_alias, configurations.strategy, sets.question_set
            order by configurations.question_set = '*'
        ) = 1
)

select * from final
