{#- What a price is multiplied by: the provider's batch API is cheaper. -#}
{% macro batch_discount(execution) -%}
    case when {{ execution }} = 'batch' then coalesce(batch_factor, 1) else 1 end
{%- endmacro %}

{#- US dollars of one call. Prices are dollars for a million tokens; input_tokens is the whole input,
    of which cached_input_tokens were read from the provider's cache at the cached price. -#}
{% macro usd_cost(input_tokens, cached_input_tokens, output_tokens) -%}
    (
        ({{ input_tokens }} - coalesce({{ cached_input_tokens }}, 0)) * input_usd_per_mtok
        + coalesce({{ cached_input_tokens }}, 0)
        * coalesce(cached_input_usd_per_mtok, input_usd_per_mtok)
        + {{ output_tokens }} * output_usd_per_mtok
    ) / 1e6
{%- endmacro %}

{#- Tokens a text will cost, estimated high: one for every 3 UTF-8 bytes (English text has about 4 to
    a token, Spanish about 3.5), and a few for the message frame. -#}
{% macro estimate_tokens(text_expression) -%}
    (ceil(strlen(coalesce({{ text_expression }}, '')) / 3.0)::integer + 8)
{%- endmacro %}

{#- The price of a call on the day it began, from a relation aliased `attempts`; a call nobody has a price
    for stays, without one. -#}
{% macro join_price_of_the_day() -%}
    left join {{ ref('stg_registry__llm_price') }} as prices
        on
            attempts.provider = prices.provider
            and attempts.api_model = prices.api_model
            and attempts.started_at::date >= prices.valid_from
            and (prices.valid_to is null or attempts.started_at::date <= prices.valid_to)
{%- endmacro %}

{#- Attempts with their task and price, as the last CTEs of a call mart: wants a CTE `requests`
    (request_key, task) before it. `attempts`: the relation with the attempts of the domain. -#}
{% macro priced_calls(attempts) -%}
    attempts as (
        select
            attempt_id,
            run_id,
            request_key,
            model_alias,
            provider,
            api_model,
            returned_model,
            status,
            error_kind,
            error_message,
            raw_response,
            attempt_number,
            input_tokens,
            cached_input_tokens,
            output_tokens,
            latency_ms,
            started_at,
            ended_at,
            execution,
            is_final,
        from {{ attempts }}
    ),

    final as (
        select
            attempts.attempt_id,
            attempts.request_key,
            attempts.run_id,
            attempts.model_alias,
            requests.task,
            attempts.returned_model,
            attempts.status,
            attempts.error_kind,
            attempts.error_message,
            attempts.raw_response,
            attempts.attempt_number::integer as attempt_number,
            attempts.input_tokens,
            attempts.cached_input_tokens,
            attempts.output_tokens,
            attempts.latency_ms,
            {{ usd_cost(
                "attempts.input_tokens", "attempts.cached_input_tokens", "attempts.output_tokens"
            ) }} * {{ batch_discount("attempts.execution") }} as cost_usd,
            attempts.started_at,
            attempts.ended_at,
            attempts.is_final,
        from attempts
        inner join requests on attempts.request_key = requests.request_key
        {{ join_price_of_the_day() }}
    )
{%- endmacro %}
