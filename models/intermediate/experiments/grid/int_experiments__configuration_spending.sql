with asks as (
    select distinct
        configuration_id,
        request_key,
    from {{ ref('int_experiments__generation_asks') }}
),

-- every attempt, whoever asked for it: failed ones cost money too
attempts as (
    select
        request_key,
        unnest(attempts, recursive := true),
    from {{ ref('int_experiments__generation_responses') }}
),

calls as (
    select
        attempts.*,
        {{ call_cost("attempts") }} as cost_usd,
        prices.input_usd_per_mtok is not null as is_priced,
    from attempts
    {{ join_price_of_the_day() }}
),

from_models as (
    select
        asks.configuration_id,
        round(sum(calls.cost_usd), 12) as generation_usd,
        -- one that may have been billed, for tokens that the provider did not count, has no cost
        count_if(not calls.is_priced or (calls.cost_usd is null and calls.charged_usd > 0))::integer
            as n_unpriced_calls,
        median(calls.latency_ms) filter (where calls.is_final) as median_latency_ms,
    from asks
    inner join calls on asks.request_key = calls.request_key
    group by all
),

-- SQL costs nothing per token; the cost of a model that was never called is unknown
final as (
    select
        configurations.configuration_id,
        case
            when configurations.model_kind = 'sql' then 0 else from_models.generation_usd
        end as generation_usd,
        coalesce(from_models.n_unpriced_calls, 0)::integer as n_unpriced_calls,
        from_models.median_latency_ms,
    from {{ ref('int_experiments__configurations') }} as configurations
    left join from_models on configurations.configuration_id = from_models.configuration_id
)

select * from final
