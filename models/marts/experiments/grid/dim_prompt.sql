with registry as (
    select * from {{ ref('stg_registry__prompt') }}
),

versions as (
    select * from {{ ref('stg_prompts__version') }}
),

registered as (
    select
        versions.*,
        registry.* exclude (prompt_alias, placeholders),
    from registry
    inner join versions on registry.prompt_alias = versions.prompt_alias
),

-- known from recorded answers only: its text was not imported
recorded as (
    select
        runs.prompt_alias,
        max(runs.prompt_version) as prompt_version,
        'generation' as task,
        'unknown' as language,
        max(runs.output_format) as output_format,
        'Known from recorded answers only.' as description,
        cast([] as varchar[]) as placeholders,
        cast([] as varchar[]) as section_files,
    from {{ ref('int_experiments__recorded_runs') }} as runs
    anti join registered on runs.prompt_alias = registered.prompt_alias
    group by runs.prompt_alias
),

all_prompts as (
    select * from registered
    union all by name
    select * from recorded
),

final as (
    select
        prompt_alias,
        prompt_version,
        task,
        language,
        output_format,
        description,
        system_template,
        user_template,
        response_schema,
        placeholders,
        section_files,
    from all_prompts
)

select * from final
