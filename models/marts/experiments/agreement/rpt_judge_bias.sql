with probes as (
    select * from {{ ref('judge_probes') }}
),

counts as (
    select
        judge_id,
        probe,
        scale,
        sum(n_lists)::integer as n_lists,
        count(*)::integer as n_cases,
        sum(n_ranks)::integer as n_ranks,
        sum(n_changed)::integer as n_changed,
        round(sum(score_before) / sum(n_lists), 9) as score_before,
        round(sum(score_after) / sum(n_lists), 9) as score_after,
    from {{ ref('int_experiments__probe_shifts') }}
    group by all
),

-- not every probe applies to every list: some need a name with a second name, or with one in the
-- other language
possible as (
    select
        probe,
        count(distinct configuration_id || case_id)::integer as n_possible_lists,
    from {{ ref('int_experiments__judged_lists') }}
    where probe != 'none'
    group by all
),

-- a probe that applies to no list has a row as well
judges as (
    select distinct
        judge_id,
        scale,
    from counts
),

final as (
    select
        judges.judge_id,
        probes.probe,
        judges.scale,
        probes.probe_order,
        probes.description,
        coalesce(possible.n_possible_lists, 0)::integer as n_possible_lists,
        coalesce(counts.n_lists, 0)::integer as n_lists,
        coalesce(counts.n_cases, 0)::integer as n_cases,
        coalesce(counts.n_ranks, 0)::integer as n_ranks,
        coalesce(counts.n_changed, 0)::integer as n_changed,
        counts.n_changed / counts.n_ranks as share_changed,
        counts.score_before,
        counts.score_after,
        intervals.shift,
        intervals.shift_low,
        intervals.shift_high,
        intervals.shift_low > 0 or intervals.shift_high < 0 as is_shifted,
    from judges
    cross join probes
    left join possible on probes.probe = possible.probe
    left join counts
        on
            judges.judge_id = counts.judge_id
            and judges.scale = counts.scale
            and probes.probe = counts.probe
    left join {{ ref('int_experiments__probe_intervals') }} as intervals
        on
            counts.judge_id = intervals.judge_id
            and counts.probe = intervals.probe
            and counts.scale = intervals.scale
)

select * from final
