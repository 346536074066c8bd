with configurations as (
    select
        model_alias,
        prompt_alias,
        test_set,
    from {{ ref('stg_registry__configuration') }}
),

models as (
    select
        model_alias,
        kind,
        is_phi_approved,
    from {{ ref('stg_registry__llm_model') }}
),

prompts as (
    select
        prompt_alias,
        prompt_version,
    from {{ ref('stg_prompts__version') }}
),

final as (
    select
        configurations.model_alias
        || '/' || configurations.prompt_alias
        || '/' || configurations.test_set as configuration_id,
        configurations.model_alias,
        configurations.prompt_alias,
        configurations.test_set,
        prompts.prompt_version,
        models.kind as model_kind,
        models.is_phi_approved,
    from configurations
    inner join models on configurations.model_alias = models.model_alias
    inner join prompts on configurations.prompt_alias = prompts.prompt_alias
)

select * from final
