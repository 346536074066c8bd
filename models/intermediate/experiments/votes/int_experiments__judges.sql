with registered as (
    select
        judge_id,
        kind,
        cast(null as varchar) as panel,
        model_alias,
        semantic_prompt,
        severity_prompt,
        n_votes,
        description,
    from {{ ref('stg_registry__judge') }}
),

-- labels that came with answers are a rater's where the judge is named panel/rater
recorded as (
    select
        judge_id,
        'recorded' as kind,
        nullif(regexp_extract(judge_id, '^(.+)/', 1), '') as panel,
        cast(null as varchar) as model_alias,
        cast(null as varchar) as semantic_prompt,
        cast(null as varchar) as severity_prompt,
        1 as n_votes,
        case
            when judge_id like '%/%' then 'A rater whose labels came with recorded answers.'
            else 'Labels that came with recorded answers.'
        end as description,
    from {{ ref('stg_runs__label') }}
    anti join registered using (judge_id)
    group by all
),

people as (
    select
        judge_id,
        min(kind) as kind,
        min(panel) filter (where kind = 'person') as panel,
        cast(null as varchar) as model_alias,
        cast(null as varchar) as semantic_prompt,
        cast(null as varchar) as severity_prompt,
        1 as n_votes,
        case
            when min(kind) = 'person' then 'A person of the panel ' || min(panel) || '.'
            else 'Labels of another program.'
        end as description,
    from {{ ref('stg_labels__label') }}
    anti join registered using (judge_id)
    anti join recorded using (judge_id)
    group by all
),

final as (
    {% for part in ["registered", "recorded", "people"] %}
        select
            judge_id,
            kind,
            panel,
            model_alias,
            semantic_prompt,
            severity_prompt,
            n_votes,
            description,
        from {{ part }}
        {% if not loop.last %} union all {% endif %}
    {% endfor %}
)

select * from final
