with models as (
    select
        model_alias,
        kind,
        provider,
        api_model,
        family,
        description,
        source,
        is_phi_approved,
        is_retired,
    from {{ ref('stg_registry__llm_model') }}
),

today as (
    select
        model_alias,
        parameters,
        input_usd_per_mtok,
        output_usd_per_mtok,
    from {{ ref('int_experiments__models_today') }}
),

final as (
    select
        models.model_alias,
        models.kind,
        models.provider,
        models.api_model,
        models.family,
        today.parameters,
        models.description,
        models.source,
        today.input_usd_per_mtok,
        today.output_usd_per_mtok,
        models.is_phi_approved,
        models.is_retired,
        today.input_usd_per_mtok is not null and today.output_usd_per_mtok is not null as is_priced,
    from models
    inner join today on models.model_alias = today.model_alias
)

select * from final
