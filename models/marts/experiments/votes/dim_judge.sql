with versions as (
    select * from {{ ref('stg_prompts__version') }}
),

registered as (
    select
        judges.*,
        semantic_versions.prompt_version as semantic_prompt_version,
        severity_versions.prompt_version as severity_prompt_version,
    from {{ ref('judges') }} as judges
    left join versions as semantic_versions
        on judges.semantic_prompt = semantic_versions.prompt_alias
    left join versions as severity_versions
        on judges.severity_prompt = severity_versions.prompt_alias
),

-- labels that came with answers belong to a rater if the judge is named panel/rater
recorded as (
    select
        judge_id,
        'recorded' as kind,
        nullif(regexp_extract(judge_id, '^(.+)/', 1), '') as panel,
        case
            when judge_id like '%/%' then 'A rater whose labels came with recorded answers.'
            else 'Labels that came with recorded answers.'
        end as description,
        1 as n_votes,
    from {{ ref('stg_runs__label') }}
    anti join registered using (judge_id)
    group by all
),

people as (
    select
        judge_id,
        min(kind) as kind,
        min(panel) filter (where kind = 'person') as panel,
        case
            when min(kind) = 'person' then 'A person of the panel ' || min(panel) || '.'
            else 'Labels of another program.'
        end as description,
        1 as n_votes,
    from {{ ref('stg_labels__label') }}
    anti join registered using (judge_id)
    anti join recorded using (judge_id)
    group by all
),

everybody as (
    select * from registered
    union all by name
    select * from recorded
    union all by name
    select * from people
),

final as (
    select
        judge_id,
        kind,
        panel,
        model_alias,
        description,
        semantic_prompt_version,
        severity_prompt_version,
        {{ terminology_release() }} as terminology_release,
        n_votes,
    from everybody
)

select * from final
