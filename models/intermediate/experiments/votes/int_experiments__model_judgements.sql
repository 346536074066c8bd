-- a rank that was not in the list is nobody's
with votes as (
    select * from {{ ref('int_experiments__votes') }}
    where outcome != 'not_in_list'
),

tallies as (
    select
        scale,
        configuration_id,
        case_id,
        probe,
        diagnosis_rank,
        judge_id,
        label,
        label_position,
        arg_min(reason, vote) as reason,
        count(*) as n_votes_for,
    from votes
    group by all
),

turnout as (
    select
        scale,
        configuration_id,
        case_id,
        probe,
        diagnosis_rank,
        judge_id,
        count(*)::integer as n_votes,
        round(var_pop(label_position), 12) as vote_variance,
    from votes
    group by all
),

-- the majority decides; a tie goes to the label further up its scale: the more distant relation, so
-- that doubt never flatters, and the graver severity, because whoever judges severities is not told
-- the gold one and can only err as triage does, on the safe side. The same holds in juries and in
-- the rules of int_experiments__terminology_severities
decisions as (
    select
        scale,
        configuration_id,
        case_id,
        probe,
        diagnosis_rank,
        judge_id,
        first(
            { label: label, reason: reason }
            order by label is null asc, n_votes_for desc, label_position desc, label asc
        ) as winner,
        string_agg(
            coalesce(label, if(scale = 'semantic', 'unlabelled', 'unknown')) || ' ' || n_votes_for,
            ', '
            order by n_votes_for desc, label_position desc nulls last
        ) as vote_split,
    from tallies
    group by all
),

labelled as (
    select
        decisions.*,
        decisions.winner.label,
        decisions.winner.reason,
        if(decisions.winner.label is null, 'no_valid_label', 'majority_vote') as rule,
        turnout.n_votes,
        turnout.vote_variance,
    from decisions
    inner join turnout using (scale, configuration_id, case_id, probe, diagnosis_rank, judge_id)
),

final as (
    select
        configuration_id,
        case_id,
        probe,
        diagnosis_rank,
        judge_id,
        {{ columns_of_scales() }}
        coalesce(
            max(n_votes) filter (where scale = 'semantic'),
            max(n_votes) filter (where scale = 'severity')
        ) as n_votes,
    from labelled
    group by all
)

select * from final
