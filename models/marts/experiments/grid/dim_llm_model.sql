with models as (
    select * from {{ ref('stg_registry__llm_model') }}
),

today as (
    select * from {{ ref('int_calls__current_models') }}
),

access as (
    select * from {{ ref('int_calls__model_access') }}
),

registered as (
    select
        models.* exclude (parameters, is_retired),
        today.parameters,
        if(models.is_retired, 'retired', access.access_state) as access_state,
        today.input_usd_per_mtok,
        today.output_usd_per_mtok,
        models.is_retired,
        today.input_usd_per_mtok is not null and today.output_usd_per_mtok is not null as is_priced,
    from models
    inner join today on models.model_alias = today.model_alias
    left join access on models.model_alias = access.model_alias
),

-- known from recorded answers only: it can be scored, but not asked
recorded as (
    select
        runs.model_alias,
        'recorded' as kind,
        'recorded' as provider,
        runs.model_alias as api_model,
        max(runs.model_family) as family,
        '{}' as parameters,
        'Known from recorded answers only.' as description,
        string_agg(distinct runs.source_files, ', ' order by runs.source_files) as source,
        false as is_phi_approved,
        false as is_retired,
        false as is_priced,
    from {{ ref('int_experiments__recorded_runs') }} as runs
    anti join registered on runs.model_alias = registered.model_alias
    group by runs.model_alias
),

all_models as (
    select * from registered
    union all by name
    select * from recorded
),

final as (
    select
        model_alias,
        kind,
        provider,
        api_model,
        family,
        parameters,
        description,
        source,
        access_state,
        input_usd_per_mtok,
        output_usd_per_mtok,
        is_phi_approved,
        is_retired,
        is_priced,
    from all_models
)

select * from final
