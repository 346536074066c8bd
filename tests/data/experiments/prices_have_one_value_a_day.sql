with prices as (
    select
        provider,
        api_model,
        valid_from,
        valid_to,
    from {{ ref('stg_registry__llm_price') }}
),

final as (
    select
        earlier.provider,
        earlier.api_model,
        later.valid_from,
    from prices as earlier
    inner join prices as later
        on
            earlier.provider = later.provider
            and earlier.api_model = later.api_model
            and earlier.valid_from < later.valid_from
            and later.valid_from <= coalesce(earlier.valid_to, date '9999-12-31')
)

select * from final
