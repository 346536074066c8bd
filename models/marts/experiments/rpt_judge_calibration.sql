with final as (
    select
        judge_id,
        panel,
        test_set,
        scale,
        kind,
        n_raters,
        n_ranks,
        n_cases,
        {%- for name in ["agreement", "kappa", "kappa_quadratic"] %}
            {{ name }},
            {{ name }}_low,
            {{ name }}_high,
        {%- endfor %}
        lowest_rater,
        highest_rater,
        is_rater,
        is_calibrated,
    from {{ ref('int_experiments__panel_calibrations') }}
)

select * from final
