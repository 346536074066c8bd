{#- What a price is multiplied by: the provider's batch API is cheaper. -#}
{% macro batch_discount(execution) -%}
    case when {{ execution }} = 'batch' then coalesce(batch_factor, 1) else 1 end
{%- endmacro %}

{#- US dollars of one call. Prices are dollars for a million tokens; input_tokens is the whole
    input, of which cached_input_tokens were read from the provider's cache at the cached price. -#}
{% macro usd_cost(input_tokens, cached_input_tokens, output_tokens) -%}
    (
        ({{ input_tokens }} - coalesce({{ cached_input_tokens }}, 0)) * input_usd_per_mtok
        + coalesce({{ cached_input_tokens }}, 0)
        * coalesce(cached_input_usd_per_mtok, input_usd_per_mtok)
        + {{ output_tokens }} * output_usd_per_mtok
    ) / 1e6
{%- endmacro %}

{#- Tokens a text will cost, estimated high: one for every 3 UTF-8 bytes (English text has about 4
    to a token, Spanish about 3.5), and a few for the message frame. -#}
{% macro estimate_tokens(text_expression) -%}
    (ceil(strlen(coalesce({{ text_expression }}, '')) / 3.0)::integer + 8)
{%- endmacro %}

{#- The price of a call on the day it began, from a relation aliased `attempts`; a call without a
    price stays, unpriced. -#}
{% macro join_price_of_the_day() -%}
    left join {{ ref('stg_registry__llm_price') }} as prices
        on
            attempts.provider = prices.provider
            and attempts.api_model = prices.api_model
            and attempts.started_at::date >= prices.valid_from
            and (prices.valid_to is null or attempts.started_at::date <= prices.valid_to)
{%- endmacro %}

{#- US dollars of one attempt at the price of its day, with the discount of a batch; null without a
    price or usage. Wants join_price_of_the_day(). -#}
{% macro call_cost(attempts) -%}
    {{ usd_cost(
        attempts ~ ".input_tokens", attempts ~ ".cached_input_tokens", attempts ~ ".output_tokens"
    ) }} * {{ batch_discount(attempts ~ ".execution") }}
{%- endmacro %}
