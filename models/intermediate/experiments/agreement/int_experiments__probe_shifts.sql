-- both labels of a diagnosis count at the rank it had: what moves is the judge, not the list
with lists as (
    select
        judge_id,
        probe,
        scale,
        configuration_id,
        case_id,
        {{ list_score("original_rank", "distance_before") }} as score_before,
        {{ list_score("original_rank", "distance_after") }} as score_after,
        count(*)::integer as n_ranks,
        count(*) filter (where label_before != label_after)::integer as n_changed,
    from {{ ref('int_experiments__probe_labels') }}
    group by all
),

final as (
    select
        judge_id,
        probe,
        scale,
        case_id,
        count(*)::integer as n_lists,
        sum(n_ranks)::integer as n_ranks,
        sum(n_changed)::integer as n_changed,
        sum(score_before) as score_before,
        sum(score_after) as score_after,
        round(sum(score_after) - sum(score_before), 9) as shift,
    from lists
    group by all
)

select * from final
