with expected as (
    select
        unnest([
            'c3opus', 'c35sonnet', 'c3sonnet', 'mistralmoe', 'mistral7b', 'llama2_7b', 'llama3_8b',
            'llama3_70b', 'cohere_cplus', 'geminipro', 'gpt4_0613azure', 'gpt4turboazure',
            'gpt4turbo1106', 'gpt4turbo0409', 'gpt4o', 'o1_mini', 'o1_preview', 'mistralmoebig'
        ]) as model_alias,
),

final as (
    select expected.model_alias,
    from expected
    left join {{ ref('stg_registry__llm_model') }} as models
        on expected.model_alias = models.model_alias
    left join {{ ref('llm_capabilities') }} as capabilities
        on models.provider = capabilities.provider and capabilities.api_model = '*'
    where capabilities.provider is null
)

select * from final
