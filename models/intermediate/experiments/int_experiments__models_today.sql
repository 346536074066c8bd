with models as (
    select
        model_alias,
        kind,
        provider,
        api_model,
        family,
        base_url_env,
        api_key_env,
        parameters,
        max_output_tokens,
        max_concurrency,
        requests_per_minute,
        tokens_per_minute,
        requests_per_day,
        timeout_seconds,
    from {{ ref('stg_registry__llm_model') }}
),

prices as (
    select
        provider,
        api_model,
        input_usd_per_mtok,
        cached_input_usd_per_mtok,
        output_usd_per_mtok,
        batch_factor,
    from {{ ref('stg_registry__llm_price') }}
    where valid_from <= current_date and (valid_to is null or current_date <= valid_to)
),

-- a model's own row, else its provider's
capabilities as (
    select
        models.model_alias,
        known.max_tokens_parameter,
        known.accepts_temperature,
        known.accepts_system_role,
        known.accepts_json_schema,
        known.accepts_reasoning_effort,
        known.accepts_batch,
    from models
    inner join {{ ref('stg_registry__llm_capability') }} as known
        on models.provider = known.provider and known.api_model in (models.api_model, '*')
    qualify
        row_number() over (partition by models.model_alias order by known.api_model = '*') = 1
),

final as (
    select
        models.model_alias,
        models.kind,
        models.provider,
        models.api_model,
        models.family,
        models.base_url_env,
        models.api_key_env,
        {{ accepted_parameters("models.parameters", "models.max_output_tokens") }} as parameters,
        models.max_output_tokens,
        models.max_concurrency,
        models.requests_per_minute,
        models.tokens_per_minute,
        models.requests_per_day,
        models.timeout_seconds,
        prices.input_usd_per_mtok,
        prices.cached_input_usd_per_mtok,
        prices.output_usd_per_mtok,
        prices.batch_factor,
        coalesce(capabilities.accepts_system_role, true) as accepts_system_role,
        coalesce(capabilities.accepts_json_schema, false) as accepts_json_schema,
        coalesce(capabilities.accepts_batch, false) as accepts_batch,
    from models
    left join capabilities on models.model_alias = capabilities.model_alias
    left join prices
        on models.provider = prices.provider and models.api_model = prices.api_model
)

select * from final
