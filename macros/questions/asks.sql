{#- The CTEs that every relation of asks needs: composed prompts, and models with today's limits and
    prices, as request_columns() expects them. -#}
{% macro prompts_and_models() -%}
prompts as (
    select
        versions.prompt_alias,
        versions.prompt_version,
        versions.system_template,
        versions.user_template,
        registry.output_format,
    from {{ ref('stg_prompts__version') }} as versions
    inner join {{ ref('stg_registry__prompt') }} as registry
        on versions.prompt_alias = registry.prompt_alias
),

prices_today as (
    select
        provider,
        api_model,
        input_usd_per_mtok,
        cached_input_usd_per_mtok,
        output_usd_per_mtok,
    from {{ ref('stg_registry__llm_price') }}
    where valid_from <= current_date and (valid_to is null or current_date <= valid_to)
),

models as (
    select
        registered.model_alias,
        registered.provider,
        registered.api_model,
        registered.base_url_env,
        registered.api_key_env,
        registered.parameters,
        registered.max_output_tokens,
        registered.max_concurrency,
        registered.requests_per_minute,
        registered.tokens_per_minute,
        registered.requests_per_day,
        registered.timeout_seconds,
        prices_today.input_usd_per_mtok,
        prices_today.cached_input_usd_per_mtok,
        prices_today.output_usd_per_mtok,
    from {{ ref('stg_registry__llm_model') }} as registered
    left join prices_today
        on
            registered.provider = prices_today.provider
            and registered.api_model = prices_today.api_model
)
{%- endmacro %}

{#- The options as they are shown, one a line: 'A) Aspirin'. -#}
{% macro lettered_options(options) -%}
    array_to_string(
        list_transform(
            range(1, len({{ options }}) + 1),
            lambda i: chr((64 + i)::integer) || ') ' || {{ options }}[i]
        ),
        e'\n'
    )
{%- endmacro %}

{#- What stands where a question has no vignette, or no stem of its own. -#}
{% macro shown_vignette(vignette) -%}
    coalesce({{ vignette }}, '(no case: the question stands alone)')
{%- endmacro %}
{% macro shown_stem(stem) -%}
    coalesce({{ stem }}, '(the question is part of the case above)')
{%- endmacro %}
