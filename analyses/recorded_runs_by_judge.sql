-- Recorded runs under every judge that looked at them, beside the terminology judge: where the
-- labels that came along and the rules differ by more than five points, look at the cases below.
with scores as (
    select
        scores.configuration_id,
        scores.judge_id,
        scores.n_cases,
        scores.n_failures,
        scores.top1_strict,
        scores.top5_strict,
        scores.top5_broad,
    from {{ ref('fct_configuration_score') }} as scores
    semi join {{ ref('rpt_recorded_run') }} as runs
        on scores.configuration_id = runs.configuration_id
    where scores.setting = 'medium'
),

by_rules as (
    select
        configuration_id,
        n_cases,
        n_failures,
        top1_strict,
        top5_strict,
        top5_broad,
    from scores
    where judge_id = 'terminology'
),

final as (
    select
        scores.configuration_id,
        scores.judge_id,
        scores.n_cases,
        scores.n_failures,
        scores.top1_strict as top1_by_judge,
        by_rules.top1_strict as top1_by_rules,
        scores.top5_strict as top5_by_judge,
        by_rules.top5_strict as top5_by_rules,
        by_rules.top5_broad as top5_broad_by_rules,
        abs(scores.top1_strict - by_rules.top1_strict) > 0.05 as is_top1_far,
        abs(scores.top5_strict - by_rules.top5_strict) > 0.05 as is_top5_far,
    from scores
    inner join by_rules on scores.configuration_id = by_rules.configuration_id
    where scores.judge_id != 'terminology'
)

select * from final
order by configuration_id, judge_id

-- The cases where they disagree about the judged ranks, one configuration at a time:
--     select a.case_id, a.strict_rank as by_judge, b.strict_rank as by_rules
--     from fct_case_score as a
--     inner join fct_case_score as b using (configuration_id, case_id)
--     where a.judge_id = 'recorded_labels' and b.judge_id = 'terminology'
--         and (a.strict_rank is null) != (b.strict_rank is null)
