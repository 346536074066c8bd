-- what is shared stands in the seed, what one experiment names in its file
with source as (
    select
        *,
        true as is_shared,
    from {{ ref('llm_models') }}
    union all by name
    select
        *,
        false as is_shared,
    from {{ source('experiment_files', 'model') }}
),

final as (
    select
        model_alias,
        kind,
        provider,
        api_model,
        family,
        base_url,
        base_url_env,
        hosts,
        api_key_env,
        -- canonical, because parameters are part of request_key: the order in which somebody types
        -- them must not make a paid request a new one
        {{ canonical_json('parameters') }} as parameters,
        cast(max_output_tokens as integer) as max_output_tokens,
        cast(max_concurrency as integer) as max_concurrency,
        cast(requests_per_minute as integer) as requests_per_minute,
        cast(tokens_per_minute as integer) as tokens_per_minute,
        cast(requests_per_day as integer) as requests_per_day,
        cast(tokens_per_day as integer) as tokens_per_day,
        cast(timeout_seconds as double) as timeout_seconds,
        cast(phi_approved as boolean) as is_phi_approved,
        -- by two people, or it holds on this machine alone
        cast(phi_approved as boolean)
        and coalesce(lower(trim(approved_by)) <> lower(trim(reviewed_by)), false)
        and trim(approved_by) <> ''
        and trim(reviewed_by) <> '' as is_phi_reviewed,
        cast(is_retired as boolean) as is_retired,
        is_shared,
        -- a model asked the same again is a model of its own
        coalesce(cast(repeat_number as integer), 1) as repeat_number,
        description,
        source,
    from source
)

select * from final
