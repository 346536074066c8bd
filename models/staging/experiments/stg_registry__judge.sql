with source as (
    select
        judge_id,
        kind,
        model_alias,
        semantic_prompt,
        severity_prompt,
        string_split(members, ';') as members,
        method,
        cast(n_votes as integer) as n_votes,
        description,
    from {{ ref('judges') }}
)

select * from source
