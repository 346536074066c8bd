with registered as (
    select
        judge_id,
        kind,
        model_alias,
        semantic_prompt,
        severity_prompt,
        n_votes,
        description,
    from {{ ref('stg_registry__judge') }}
),

recorded as (
    select
        judge_id,
        'recorded' as kind,
        cast(null as varchar) as model_alias,
        cast(null as varchar) as semantic_prompt,
        cast(null as varchar) as severity_prompt,
        1 as n_votes,
        'Labels that came with recorded answers.' as description,
    from {{ ref('stg_runs__label') }}
    anti join registered using (judge_id)
    group by all
),

final as (
    select
        judge_id,
        kind,
        model_alias,
        semantic_prompt,
        severity_prompt,
        n_votes,
        description,
    from registered
    union all
    select
        judge_id,
        kind,
        model_alias,
        semantic_prompt,
        severity_prompt,
        n_votes,
        description,
    from recorded
)

select * from final
