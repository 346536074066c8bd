with judges as (
    select
        judge_id,
        kind,
        panel,
    from {{ ref('int_experiments__judges') }}
),

scored as (
    select
        statistics.judge_a as judge_id,
        statistics.judge_b as panel,
        statistics.test_set,
        statistics.scale,
        judges.kind,
        statistics.n_units as n_ranks,
        statistics.n_cases,
        {%- for name in ["agreement", "kappa", "kappa_quadratic"] %}
            statistics.{{ name }},
            statistics.{{ name }}_low,
            statistics.{{ name }}_high,
        {%- endfor %}
        coalesce(judges.panel = statistics.judge_b, false) as is_rater,
    from {{ ref('int_experiments__agreement_statistics') }} as statistics
    inner join judges on statistics.judge_a = judges.judge_id
    where statistics.comparison = 'panel'
),

labelled as (
    select
        test_set,
        scale,
        unnest(labels).judge_id as judge_id,
    from {{ ref('int_experiments__label_patterns') }}
),

raters as (
    select
        judges.panel,
        labelled.test_set,
        labelled.scale,
        count(distinct labelled.judge_id)::integer as n_raters,
    from labelled
    inner join judges on labelled.judge_id = judges.judge_id and judges.panel is not null
    group by all
),

-- what the raters reach, each against the others: a single rater has no range, and what agrees with
-- one person is not shown to be as good as a second
ranges as (
    select
        panel,
        test_set,
        scale,
        min(kappa_quadratic) as lowest_rater,
        max(kappa_quadratic) as highest_rater,
    from scored
    where is_rater
    group by all
),

final as (
    select
        scored.judge_id,
        scored.panel,
        scored.test_set,
        scored.scale,
        scored.kind,
        raters.n_raters,
        scored.n_ranks,
        scored.n_cases,
        {%- for name in ["agreement", "kappa", "kappa_quadratic"] %}
            scored.{{ name }},
            scored.{{ name }}_low,
            scored.{{ name }}_high,
        {%- endfor %}
        ranges.lowest_rater,
        ranges.highest_rater,
        scored.is_rater,
        {{ is_calibrated(
            "scored.kappa_quadratic",
            "ranges.lowest_rater",
            "scored.n_ranks",
            parameter('calibration_minimum_ranks'),
        ) }} as is_calibrated,
    from scored
    inner join raters using (panel, test_set, scale)
    left join ranges using (panel, test_set, scale)
)

select * from final
