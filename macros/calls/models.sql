{#- The models as they are called today, in CTEs that end with `models`: the registry's limits, the
    price that is valid on the day of the build, and only parameters the model accepts. Reads
    nothing but staging, so that every domain that calls models can use it. -#}
{% macro callable_models() -%}
registered as (
    select
        model_alias,
        kind,
        provider,
        api_model,
        family,
        base_url,
        base_url_env,
        hosts,
        is_phi_reviewed,
        api_key_env,
        parameters,
        max_output_tokens,
        max_concurrency,
        requests_per_minute,
        tokens_per_minute,
        requests_per_day,
        tokens_per_day,
        timeout_seconds,
        repeat_number,
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
        registered.model_alias,
        known.max_tokens_parameter,
        known.accepts_temperature,
        known.accepts_system_role,
        known.accepts_json_schema,
        known.accepts_reasoning_effort,
        known.accepts_batch,
    from registered
    inner join {{ ref('llm_capabilities') }} as known
        on registered.provider = known.provider and known.api_model in (registered.api_model, '*')
    qualify
        row_number() over (partition by registered.model_alias order by known.api_model = '*') = 1
),

models as (
    select
        registered.model_alias,
        registered.kind,
        registered.provider,
        registered.api_model,
        registered.family,
        registered.base_url,
        registered.base_url_env,
        registered.hosts,
        registered.is_phi_reviewed,
        registered.api_key_env,
        {{ accepted_parameters("registered.parameters", "registered.max_output_tokens") }}
            as parameters,
        registered.max_output_tokens,
        registered.max_concurrency,
        registered.requests_per_minute,
        registered.tokens_per_minute,
        registered.requests_per_day,
        registered.tokens_per_day,
        registered.timeout_seconds,
        registered.repeat_number,
        prices.input_usd_per_mtok,
        prices.cached_input_usd_per_mtok,
        prices.output_usd_per_mtok,
        prices.batch_factor,
        coalesce(capabilities.accepts_system_role, true) as accepts_system_role,
        coalesce(capabilities.accepts_json_schema, false) as accepts_json_schema,
        -- a batch is collected by the environment it was submitted with, which has no such address
        coalesce(capabilities.accepts_batch, false) and registered.base_url is null
            as accepts_batch,
    from registered
    left join capabilities on registered.model_alias = capabilities.model_alias
    left join prices
        on registered.provider = prices.provider and registered.api_model = prices.api_model
)
{%- endmacro %}
