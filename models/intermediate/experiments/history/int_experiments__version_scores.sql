with scores as (
    select * from {{ ref('int_experiments__case_scores') }}
    where is_counted
),

configurations as (
    select * from {{ ref('int_experiments__configurations') }}
    where model_kind = 'llm'
),

-- a configuration without requests would overwrite its earlier scores
final as (
    select
        scores.configuration_id,
        scores.judge_id,
        configurations.prompt_alias,
        scores.prompt_version,
        {{ terminology_release() }} as terminology_release,
        count(*)::integer as n_cases,
        count(*) filter (where scores.is_failure)::integer as n_failures,
        avg(scores.is_top1_strict::integer) as top1_strict,
        avg(scores.is_top5_strict::integer) as top5_strict,
        round(avg(scores.semantic_score), 12) as mean_semantic_score,
    from scores
    inner join configurations on scores.configuration_id = configurations.configuration_id
    group by all
    having bool_or(scores.is_asked)
)

select * from final
