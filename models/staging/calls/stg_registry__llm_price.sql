with written as (
    select * from {{ ref('llm_prices') }}
    union all by name
    select * from {{ source('experiment_files', 'price') }}
),

source as (
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
    from written
),

models as (
    select distinct
        provider,
        api_model,
    from {{ ref('stg_registry__llm_model') }}
),

named as (
    select distinct
        provider,
        api_model,
    from source
),

-- the star covers the registered models without a row of their own
starred as (
    select
        models.provider,
        models.api_model,
    from models
    anti join named on models.provider = named.provider and models.api_model = named.api_model
),

priced as (
    select
        provider,
        api_model,
        api_model as written,
    from named
    where api_model != '*'
    union all
    select
        provider,
        api_model,
        '*' as written,
    from starred
),

final as (
    select
        priced.provider,
        priced.api_model,
        source.valid_from,
        source.valid_to,
        source.input_usd_per_mtok,
        source.cached_input_usd_per_mtok,
        source.output_usd_per_mtok,
        source.batch_factor,
        source.source,
    from priced
    inner join source on priced.provider = source.provider and priced.written = source.api_model
)

select * from final
