with source as (
    select
        provider,
        api_model,
        cast(valid_from as date) as valid_from,
        cast(valid_to as date) as valid_to,
        cast(input_usd_per_mtok as double) as input_usd_per_mtok,
        cast(cached_input_usd_per_mtok as double) as cached_input_usd_per_mtok,
        cast(output_usd_per_mtok as double) as output_usd_per_mtok,
        cast(batch_factor as double) as batch_factor,
        source,
    from {{ ref('llm_prices') }}
)

select * from source
