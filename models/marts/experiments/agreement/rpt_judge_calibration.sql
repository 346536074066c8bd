{%- set coefficients = ["agreement", "kappa", "kappa_quadratic"] -%}

with judges as (
    select * from {{ ref('dim_judge') }}
),

prompts as (
    {{ judged_prompt_versions() }}
),

{{ given_labels() }},

measured as (
    select
        statistics.judge_a as judge_id,
        statistics.judge_b as panel,
        statistics.test_set,
        statistics.scale,
        judges.kind,
        statistics.n_units as n_pairs,
        statistics.n_cases,
        {%- for name in coefficients %}
            statistics.{{ name }},
            statistics.{{ name }}_low,
            statistics.{{ name }}_high,
        {%- endfor %}
        coalesce(judges.panel = statistics.judge_b, false) as is_rater,
    from {{ ref('int_experiments__agreement_statistics') }} as statistics
    inner join judges on statistics.judge_a = judges.judge_id
    where statistics.comparison = 'panel'
),

-- every judge beside every other rater of the same ranks
beside_raters as (
    select
        subject.*,
        judges.panel,
        rater.label_position as rater_position,
    from asked as subject
    inner join asked as rater
        on subject.pattern_key = rater.pattern_key and subject.judge_id != rater.judge_id
    inner join judges on rater.judge_id = judges.judge_id and judges.panel is not null
    where rater.label_position is not null
),

-- the share of the panel's ranks, or lists, that the judge labelled: a missing label is Not Related
-- in its scores but would not show in its agreement
coverage as (
    select
        judge_id,
        panel,
        test_set,
        scale,
        coalesce(sum(n_units) filter (where label_position is not null), 0) / sum(n_units)
            as share_labelled,
    from beside_raters
    group by all
),

-- a rank that three raters labelled gives three pairs of labels, but is one rank
common as (
    select distinct
        pattern_key,
        judge_id,
        panel,
        test_set,
        scale,
        n_units,
    from beside_raters
    where label_position is not null
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

-- the agreement of each rater with the others. A single rater has no range: agreeing with one
-- person does not show that a judge is as good as a second person
ranges as (
    select
        panel,
        test_set,
        scale,
        min(kappa_quadratic) as lowest_rater,
        max(kappa_quadratic) as highest_rater,
        bool_and(coalesce(kappa_quadratic_low, 0) > 0) as do_raters_agree,
    from measured
    where is_rater
    group by all
),

final as (
    select
        measured.judge_id,
        measured.panel,
        measured.test_set,
        measured.scale,
        {{ question_of_scale("measured.scale") }} as question,
        {{ caveat_of_scale(
            "measured",
            "measured.n_pairs",
            ["measured.judge_id", "measured.panel", "measured.test_set"],
        ) }} as caveat,
        prompts.prompt_versions,
        {{ terminology_release() }} as terminology_release,
        measured.kind,
        raters.n_raters,
        common_ranks.n_ranks,
        measured.n_pairs,
        measured.n_cases,
        {%- for name in coefficients %}
            measured.{{ name }},
            {{ coefficient_end("measured", name, "-") }} as {{ name }}_low,
            {{ coefficient_end("measured", name, "+") }} as {{ name }}_high,
        {%- endfor %}
        ranges.lowest_rater,
        ranges.highest_rater,
        coverage.share_labelled,
        measured.is_rater,
        {{ is_calibrated(
            "measured",
            "common_ranks.n_ranks",
            "ranges",
            "coverage",
            parameter('calibration_minimum_ranks'),
            parameter('calibration_minimum_labelled'),
        ) }} as is_calibrated,
    from measured
    inner join raters using (panel, test_set, scale)
    inner join common_ranks using (judge_id, panel, test_set, scale)
    left join prompts on measured.test_set = prompts.test_set
    left join ranges using (panel, test_set, scale)
    left join coverage using (judge_id, panel, test_set, scale)
)

select * from final
