with source as (
    select
        provider,
        api_model,
        max_tokens_parameter,
        cast(accepts_temperature as boolean) as accepts_temperature,
        cast(accepts_system_role as boolean) as accepts_system_role,
        cast(accepts_json_schema as boolean) as accepts_json_schema,
        cast(accepts_reasoning_effort as boolean) as accepts_reasoning_effort,
        cast(accepts_batch as boolean) as accepts_batch,
        source,
    from {{ ref('llm_capabilities') }}
)

select * from source
