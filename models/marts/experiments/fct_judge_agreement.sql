with labels as (
    select distinct
        scale,
        label_position,
        label,
    from {{ ref('int_experiments__scale_labels') }}
),

final as (
    select
        statistics.judge_a,
        statistics.judge_b,
        statistics.test_set,
        statistics.scale,
        coalesce(labels.label, 'all') as label,
        statistics.n_units as n_ranks,
        statistics.n_cases,
        {%- for name in agreement_coefficients().split() %}
            statistics.{{ name }},
            statistics.{{ name }}_low,
            statistics.{{ name }}_high,
        {%- endfor %}
    from {{ ref('int_experiments__agreement_statistics') }} as statistics
    left join labels
        on
            statistics.scale = labels.scale
            and statistics.label_position = labels.label_position
    where statistics.comparison = 'pair'
)

select * from final
