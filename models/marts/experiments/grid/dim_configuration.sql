with configurations as (
    select * from {{ ref('int_experiments__configurations') }}
),

models as (
    select * from {{ ref('dim_llm_model') }}
),

test_sets as (
    select * from {{ ref('dim_test_set') }}
),

-- of recorded answers nobody here knows which model of the registry gave them, under its name or
-- another. The star skips empty sets, such as one defined over cases that were not imported
final as (
    select
        configurations.configuration_id,
        configurations.model_alias,
        configurations.prompt_alias,
        configurations.prompt_version,
        configurations.test_set,
        if(configurations.model_kind = 'recorded', 'recorded', models.provider) as provider,
        if(configurations.model_kind = 'recorded', configurations.model_alias, models.api_model)
            as api_model,
        configurations.model_family as family,
        test_sets.version as test_set_version,
    from configurations
    inner join models on configurations.model_alias = models.model_alias
    inner join test_sets on configurations.test_set = test_sets.test_set
    where configurations.is_test_set_named or test_sets.n_cases > 0
)

select * from final
