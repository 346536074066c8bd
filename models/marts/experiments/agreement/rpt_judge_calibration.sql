with prompts as (
    {{ judged_prompt_versions() }}
),

final as (
    select
        calibrations.judge_id,
        calibrations.panel,
        calibrations.test_set,
        calibrations.scale,
        prompts.prompt_versions,
        {{ terminology_release() }} as terminology_release,
        calibrations.kind,
        calibrations.n_raters,
        calibrations.n_ranks,
        calibrations.n_pairs,
        calibrations.n_cases,
        {%- for name in ["agreement", "kappa", "kappa_quadratic"] %}
            calibrations.{{ name }},
            calibrations.{{ name }}_low,
            calibrations.{{ name }}_high,
        {%- endfor %}
        calibrations.lowest_rater,
        calibrations.highest_rater,
        calibrations.share_labelled,
        calibrations.is_rater,
        calibrations.is_calibrated,
    from {{ ref('int_experiments__panel_calibrations') }} as calibrations
    inner join prompts on calibrations.test_set = prompts.test_set
)

select * from final
