with metrics as (
    select * from {{ ref('int_experiments__case_metrics') }}
),

settings as (
    select * from {{ ref('difficulty_settings') }}
),

-- bad cases weigh more, the more so the harder the setting
final as (
    select
        metrics.score_key,
        metrics.configuration_id,
        metrics.case_id,
        metrics.judge_id,
        settings.setting,
        metrics.test_set,
        metrics.semantic_rescaled,
        {{ case_weight("metrics.semantic_rescaled", "settings.steepness", "settings.midpoint") }}
            as semantic_weight,
        metrics.severity_rescaled,
        {{ case_weight("metrics.severity_rescaled", "settings.steepness", "settings.midpoint") }}
            as severity_weight,
    from metrics
    cross join settings
)

select * from final
