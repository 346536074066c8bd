with registry as (
    select * from {{ ref('prompt_registry') }}
),

versions as (
    select * from {{ ref('stg_prompts__version') }}
),

registered as (
    select
        registry.prompt_alias,
        versions.prompt_version,
        registry.task,
        registry.language,
        registry.output_format,
        registry.description,
        versions.system_template,
        versions.user_template,
        versions.response_schema,
        versions.placeholders,
        versions.section_files,
    from registry
    inner join versions on registry.prompt_alias = versions.prompt_alias
),

-- known from recorded answers only: nobody brought its text
recorded as (
    select
        runs.prompt_alias,
        max(runs.prompt_version) as prompt_version,
        'generation' as task,
        'unknown' as language,
        max(runs.output_format) as output_format,
        'Known from recorded answers only.' as description,
        cast(null as varchar) as system_template,
        cast(null as varchar) as user_template,
        cast(null as varchar) as response_schema,
        cast([] as varchar[]) as placeholders,
        cast([] as varchar[]) as section_files,
    from {{ ref('int_experiments__recorded_runs') }} as runs
    anti join registered on runs.prompt_alias = registered.prompt_alias
    group by runs.prompt_alias
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
    from registered
    union all
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
    from recorded
)

select * from final
