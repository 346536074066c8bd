with judges as (
    select * from {{ ref('int_experiments__judges') }}
),

versions as (
    select * from {{ ref('stg_prompts__version') }}
),

final as (
    select
        judges.judge_id,
        judges.kind,
        judges.panel,
        judges.model_alias,
        judges.description,
        semantic_versions.prompt_version as semantic_prompt_version,
        severity_versions.prompt_version as severity_prompt_version,
        {{ terminology_release() }} as terminology_release,
        judges.n_votes,
    from judges
    left join versions as semantic_versions
        on judges.semantic_prompt = semantic_versions.prompt_alias
    left join versions as severity_versions
        on judges.severity_prompt = severity_versions.prompt_alias
)

select * from final
