with all_votes as (
    select * from {{ ref('fct_judge_vote') }}
    where probe = 'none'
),

votes as (
    select * from all_votes
    where outcome != 'not_in_list'
),

-- an undecided judge shows in the ranks with split votes
ranks as (
    select
        scale,
        configuration_id,
        judge_id,
        case_id,
        diagnosis_rank,
        count(distinct label) > 1 as is_split,
    from votes
    group by all
),

split_ranks as (
    select
        scale,
        configuration_id,
        judge_id,
        count(*) as n_ranks,
        count(*) filter (where is_split) as n_split_ranks,
    from ranks
    group by all
),

labels as (
    select
        scale,
        configuration_id,
        judge_id,
        label,
        count(*) as n_votes_for,
    from votes
    where label is not null
    group by all
),

-- an inattentive one shows in the label it always gives
label_use as (
    select
        scale,
        configuration_id,
        judge_id,
        count(*) as n_labels_used,
        arg_max(label, (n_votes_for, label)) as most_frequent_label,
        max(n_votes_for) / sum(n_votes_for) as most_frequent_share,
    from labels
    group by all
),

invented as (
    select
        scale,
        configuration_id,
        judge_id,
        count(*) as n_invented_ranks,
    from all_votes
    where outcome = 'not_in_list'
    group by all
),

outcomes as (
    select
        scale,
        configuration_id,
        judge_id,
        count(*) as n_votes,
        {%- for outcome in [
            "valid", "normalised", "invalid_label", "contradictory", "skipped", "no_answer",
        ] %}
            count(*) filter (where outcome = '{{ outcome }}') as n_{{ outcome }},
        {%- endfor %}
    from votes
    group by all
),

final as (
    select
        outcomes.judge_id,
        outcomes.configuration_id,
        outcomes.scale,
        label_use.most_frequent_label,
        split_ranks.n_ranks,
        outcomes.n_votes,
        outcomes.n_valid,
        outcomes.n_normalised,
        outcomes.n_invalid_label,
        outcomes.n_contradictory,
        outcomes.n_skipped,
        outcomes.n_no_answer,
        coalesce(invented.n_invented_ranks, 0) as n_invented_ranks,
        split_ranks.n_split_ranks,
        coalesce(label_use.n_labels_used, 0) as n_labels_used,
        label_use.most_frequent_share,
        {{ is_degenerate(
            "coalesce(label_use.n_labels_used, 0)",
            "split_ranks.n_ranks",
            parameter('constant_judge_ranks'),
        ) }} as is_degenerate,
    from outcomes
    inner join split_ranks using (scale, configuration_id, judge_id)
    left join label_use using (scale, configuration_id, judge_id)
    left join invented using (scale, configuration_id, judge_id)
)

select * from final
