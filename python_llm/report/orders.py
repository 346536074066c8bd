"""Which rankings put a pair of configurations in which order."""

# The pairs that every ranking has in one order (`is_kept`), that some ranking reverses, or that
# judges saw on different cases (`is_incomparable`), in the order of the first judge; which rankings
# reverse that order, and how many judges rank both. A row of the mart writes a pair in the usual
# order of its judge, which need not be that of the first.
PAIRS = """
listed as (
    select test_set, reference, judge_id, other_judge_id, ranked_by,
        unnest(kept_pairs) as pair, true as is_kept, false as is_incomparable
    from rpt_rank_sensitivity
    union all
    select test_set, reference, judge_id, other_judge_id, ranked_by,
        unnest(swapped_pairs), false, false
    from rpt_rank_sensitivity
    union all
    select test_set, reference, judge_id, other_judge_id, ranked_by,
        unnest(incomparable_pairs), false, true
    from rpt_rank_sensitivity
),
written as (
    select * exclude (pair), ranked_by || ' (' || other_judge_id || ')' as ranking,
        split_part(pair, ' > ', 1) as ahead, split_part(pair, ' > ', 2) as behind
    from listed
),
rankings as (
    select test_set, reference, judge_id, other_judge_id, ranking,
        least(ahead, behind) as first_name, greatest(ahead, behind) as second_name,
        if(is_kept, ahead, behind) as best
    from written where ranked_by != 'all'
),
pairs as (
    select named.test_set, named.reference, named.is_kept, named.is_incomparable,
        named.ahead, named.behind,
        list(distinct rankings.ranking order by rankings.ranking)
            filter (where rankings.best = named.behind) as turned_by,
        len(list_distinct(
            list(rankings.judge_id) || list(rankings.other_judge_id)
        ))::integer as n_judges
    from written as named
    left join rankings
        on named.test_set = rankings.test_set and named.reference = rankings.reference
        and least(named.ahead, named.behind) = rankings.first_name
        and greatest(named.ahead, named.behind) = rankings.second_name
    where named.ranked_by = 'all'
    group by all
)
"""
