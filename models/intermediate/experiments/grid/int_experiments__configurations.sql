with recorded as (
    select
        runs.configuration_id,
        runs.model_alias,
        runs.prompt_alias,
        runs.prompt_version,
        runs.test_set,
        runs.model_family,
    from {{ ref('int_experiments__recorded_runs') }} as runs
    -- of a test set that is not here there are no cases to expect; rpt_recorded_run shows the run
    semi join {{ ref('dim_test_set') }} as test_sets on runs.test_set = test_sets.test_set
),

configurations as (
    select * from {{ ref('int_experiments__registered_configurations') }}
),

models as (
    select * from {{ ref('stg_registry__llm_model') }}
),

prompts as (
    select * from {{ ref('stg_prompts__version') }}
),

-- what was recorded is not asked again under the same name
registered as (
    select
        configurations.configuration_id,
        configurations.model_alias,
        configurations.prompt_alias,
        configurations.test_set,
        prompts.prompt_version,
        models.kind as model_kind,
        models.family as model_family,
        models.is_phi_approved,
    from configurations
    inner join models on configurations.model_alias = models.model_alias
    inner join prompts on configurations.prompt_alias = prompts.prompt_alias
    anti join recorded on configurations.configuration_id = recorded.configuration_id
),

final as (
    select
        configuration_id,
        model_alias,
        prompt_alias,
        test_set,
        prompt_version,
        model_kind,
        model_family,
        is_phi_approved,
    from registered
    union all
    select
        configuration_id,
        model_alias,
        prompt_alias,
        test_set,
        prompt_version,
        'recorded' as model_kind,
        model_family,
        false as is_phi_approved,
    from recorded
)

select * from final
