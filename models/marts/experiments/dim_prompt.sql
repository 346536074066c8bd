with registry as (
    select
        prompt_alias,
        task,
        language,
        output_format,
        description,
    from {{ ref('stg_registry__prompt') }}
),

versions as (
    select
        prompt_alias,
        prompt_version,
        system_template,
        user_template,
        placeholders,
        section_files,
    from {{ ref('stg_prompts__version') }}
),

final as (
    select
        registry.prompt_alias,
        versions.prompt_version,
        registry.task,
        registry.language,
        registry.output_format,
        registry.description,
        versions.system_template,
        versions.user_template,
        versions.placeholders,
        versions.section_files,
    from registry
    inner join versions on registry.prompt_alias = versions.prompt_alias
)

select * from final
