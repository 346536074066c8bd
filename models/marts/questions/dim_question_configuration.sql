with final as (
    select
        configurations.configuration_id,
        configurations.model_alias,
        configurations.strategy,
        configurations.question_set,
        models.provider,
        models.api_model,
        models.family,
        configurations.description,
        configurations.is_baseline,
    from {{ ref('int_questions__configurations') }} as configurations
    left join {{ ref('stg_registry__llm_model') }} as models
        on configurations.model_alias = models.model_alias
)

select * from final
