with configurations as (
    select * from {{ ref('int_experiments__configurations') }}
),

final as (
    select
        configurations.configuration_id,
        configurations.model_alias,
        configurations.prompt_alias,
        configurations.prompt_version,
        configurations.test_set,
        models.provider,
        models.api_model,
        models.family,
        test_sets.version as test_set_version,
    from configurations
    inner join {{ ref('dim_llm_model') }} as models
        on configurations.model_alias = models.model_alias
    inner join {{ ref('dim_test_set') }} as test_sets
        on configurations.test_set = test_sets.test_set
)

select * from final
