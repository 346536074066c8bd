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
    from {{ ref('stg_registry__llm_price') }}
    where valid_from <= current_date and (valid_to is null or current_date <= valid_to)
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
        models.parameters,
        models.max_output_tokens,
        models.max_concurrency,
        models.requests_per_minute,
        models.tokens_per_minute,
        models.requests_per_day,
        models.timeout_seconds,
        prices.input_usd_per_mtok,
        prices.cached_input_usd_per_mtok,
        prices.output_usd_per_mtok,
    from models
    left join prices
        on models.provider = prices.provider and models.api_model = prices.api_model
)

select * from final
