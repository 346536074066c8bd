with versions as (
    select * from {{ ref('int_experiments__prompt_history') }}
),

scores as (
    select * from {{ ref('int_experiments__version_score_history') }}
),

-- the same model's scores on the same cases with the version scored before
final as (
    select
        versions.prompt_alias,
        versions.prompt_version,
        scores.configuration_id,
        scores.judge_id,
        versions.previous_version,
        scores.terminology_release,
        versions.changes,
        versions.version_number,
        versions.n_lines_added,
        versions.n_lines_removed,
        scores.n_cases,
        scores.n_failures,
        scores.top1_strict,
        scores.top5_strict,
        scores.mean_semantic_score,
        scores.top1_strict - lag(scores.top1_strict) over before as top1_strict_change,
        scores.top5_strict - lag(scores.top5_strict) over before as top5_strict_change,
        scores.mean_semantic_score - lag(scores.mean_semantic_score) over before
            as mean_semantic_score_change,
        versions.first_seen_at,
        versions.is_current,
    from versions
    left join scores
        on
            versions.prompt_alias = scores.prompt_alias
            and versions.prompt_version = scores.prompt_version
    window
        before as (
            partition by versions.prompt_alias, scores.configuration_id, scores.judge_id
            order by versions.version_number
        )
)

select * from final
