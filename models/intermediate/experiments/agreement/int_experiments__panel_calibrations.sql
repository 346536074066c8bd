with judges as (
    select * from {{ ref('int_experiments__judges') }}
),

scored as (
    select
        statistics.judge_a as judge_id,
        statistics.judge_b as panel,
        statistics.test_set,
        statistics.scale,
        judges.kind,
        statistics.n_units as n_pairs,
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

{{ given_labels() }},

-- a rank that three raters labelled is three pairs of labels, and one rank
common as (
    select distinct
        subject.pattern_key,
        subject.judge_id,
        judges.panel,
        subject.test_set,
        subject.scale,
        subject.n_units,
    from given as subject
    inner join given as rater
        on subject.pattern_key = rater.pattern_key and subject.judge_id != rater.judge_id
    inner join judges on rater.judge_id = judges.judge_id and judges.panel is not null
),

common_ranks as (
    select
        judge_id,
        panel,
        test_set,
        scale,
        sum(n_units)::integer as n_ranks,
    from common
    group by all
),

raters as (
    select
        judges.panel,
        given.test_set,
        given.scale,
        count(distinct given.judge_id)::integer as n_raters,
    from given
    inner join judges on given.judge_id = judges.judge_id and judges.panel is not null
    group by all
),

labelled_lists as (
    select distinct
        judged.configuration_id,
        judged.case_id,
    from {{ ref('int_experiments__judged_diagnoses') }} as judged
    inner join judges on judged.judge_id = judges.judge_id and judges.panel is not null
),

ranks as (
    select
        judged.configuration_id,
        judged.case_id,
        judged.diagnosis_rank,
        judged.judge_id,
        judges.panel,
        configurations.test_set,
        coalesce(judged.has_semantic_label, false) as has_semantic,
        coalesce(judged.has_severity_label, false) as has_severity,
    from {{ ref('int_experiments__judged_diagnoses') }} as judged
    inner join labelled_lists
        on
            judged.configuration_id = labelled_lists.configuration_id
            and judged.case_id = labelled_lists.case_id
    inner join judges on judged.judge_id = judges.judge_id
    inner join {{ ref('int_experiments__configurations') }} as configurations
        on judged.configuration_id = configurations.configuration_id
),

-- of the ranks, or lists, that the panel labelled in a judge's lists, how many it gave a label:
-- what is left out is Not Related in its scores and would be nothing in its agreement
coverage as (
    {%- for scale in ["semantic", "severity"] %}
        select
            ranks.judge_id,
            panel_ranks.panel,
            ranks.test_set,
            '{{ scale }}' as scale,
            avg(ranks.has_{{ scale }}::integer) as share_labelled,
        from ranks as panel_ranks
        inner join ranks
            on
                panel_ranks.configuration_id = ranks.configuration_id
                and panel_ranks.case_id = ranks.case_id
                and panel_ranks.diagnosis_rank = ranks.diagnosis_rank
                and panel_ranks.judge_id != ranks.judge_id
        where panel_ranks.panel is not null and panel_ranks.has_{{ scale }}
        group by all
        union all
    {%- endfor %}
    {%- for depth in list_depths().split() %}
        select
            lists.judge_id,
            judges.panel,
            lists.test_set,
            'top{{ depth }}' as scale,
            avg((lists.top{{ depth }} is not null)::integer) as share_labelled,
        from {{ ref('int_experiments__list_verdicts') }} as panel_lists
        inner join judges on panel_lists.judge_id = judges.judge_id and judges.panel is not null
        inner join {{ ref('int_experiments__list_verdicts') }} as lists
            on
                panel_lists.configuration_id = lists.configuration_id
                and panel_lists.case_id = lists.case_id
                and panel_lists.judge_id != lists.judge_id
        where panel_lists.top{{ depth }} is not null
        group by all
        {%- if not loop.last %}
            union all
        {%- endif %}
    {%- endfor %}
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
        bool_and(coalesce(kappa_quadratic_low, 0) > 0) as do_raters_agree,
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
        common_ranks.n_ranks,
        scored.n_pairs,
        scored.n_cases,
        {%- for name in ["agreement", "kappa", "kappa_quadratic"] %}
            scored.{{ name }},
            scored.{{ name }}_low,
            scored.{{ name }}_high,
        {%- endfor %}
        ranges.lowest_rater,
        ranges.highest_rater,
        coverage.share_labelled,
        scored.is_rater,
        {{ is_calibrated(
            "scored",
            "common_ranks.n_ranks",
            "ranges",
            "coverage",
            parameter('calibration_minimum_ranks'),
            parameter('calibration_minimum_labelled'),
        ) }} as is_calibrated,
    from scored
    inner join raters using (panel, test_set, scale)
    inner join common_ranks
        on
            scored.judge_id = common_ranks.judge_id
            and scored.panel = common_ranks.panel
            and scored.test_set = common_ranks.test_set
            and scored.scale = common_ranks.scale
    left join ranges using (panel, test_set, scale)
    left join coverage
        on
            scored.judge_id = coverage.judge_id
            and scored.panel = coverage.panel
            and scored.test_set = coverage.test_set
            and scored.scale = coverage.scale
)

select * from final
