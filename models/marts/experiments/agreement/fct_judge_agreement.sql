with labels as (
    {{ scale_labels() }}
),

prompts as (
    {{ judged_prompt_versions() }}
),

-- label 0 is the whole scale; any other compares that label with the rest
final as (
    select
        statistics.judge_a,
        statistics.judge_b,
        statistics.test_set,
        statistics.configuration_id,
        statistics.scale,
        coalesce(labels.label, 'all') as label,
        {{ question_of_scale("statistics.scale") }} as question,
        {{ caveat_of_scale(
            "statistics",
            "statistics.n_units",
            [
                "statistics.judge_a",
                "statistics.judge_b",
                "statistics.test_set",
                "statistics.configuration_id",
            ],
        ) }} as caveat,
        prompts.prompt_versions,
        judges.terminology_release,
        statistics.n_units as n_ranks,
        statistics.n_cases,
        {%- for name in agreement_coefficients().split() %}
            statistics.{{ name }},
            {{ coefficient_end("statistics", name, "-") }} as {{ name }}_low,
            {{ coefficient_end("statistics", name, "+") }} as {{ name }}_high,
        {%- endfor %}
    from {{ ref('int_experiments__agreement_statistics') }} as statistics
    left join labels
        on
            statistics.scale = labels.scale
            and statistics.label_position = labels.label_position
    inner join prompts on statistics.test_set = prompts.test_set
    inner join {{ ref('dim_judge') }} as judges on statistics.judge_a = judges.judge_id
    where statistics.comparison = 'pair'
)

select * from final
