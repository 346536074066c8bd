with scores as (
    select * from {{ ref('int_experiments__case_scores') }}
    where is_scored
),

settings as (
    select * from {{ ref('difficulty_settings') }}
),

-- bad cases weigh more, the more so the harder the setting
final as (
    select
        scores.score_key,
        scores.configuration_id,
        scores.case_id,
        scores.judge_id,
        settings.setting,
        scores.test_set,
        scores.semantic_rescaled,
        {{ case_weight("scores.semantic_rescaled", "settings.steepness", "settings.midpoint") }}
            as semantic_weight,
        scores.severity_rescaled,
        {{ case_weight("scores.severity_rescaled", "settings.steepness", "settings.midpoint") }}
            as severity_weight,
    from scores
    cross join settings
)

select * from final
