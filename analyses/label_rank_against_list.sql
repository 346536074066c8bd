-- The rank of the gold diagnosis by labels of whole lists and by the terminology judge, case by
-- case. Labels of rank 1 for a name that is further down or missing make strict accuracies too
-- high. Contradictions are in rpt_label_disagreement.
with labels as (
    select
        scores.configuration_id,
        scores.case_id,
        scores.judge_id,
        scores.strict_rank as label_rank,
    from {{ ref('fct_case_score') }} as scores
    semi join {{ ref('rpt_label_grading') }} as graded
        on scores.configuration_id = graded.configuration_id and scores.judge_id = graded.judge_id
    where scores.strict_rank is not null
),

lists as (
    select
        configuration_id,
        case_id,
        any_value(gold_diagnosis) as gold_diagnosis,
        min(diagnosis_rank) filter (where semantic_relation = 'Exact Synonym') as strict_rank,
        min(diagnosis_rank) filter (
            where semantic_relation in ('Exact Synonym', 'Broad Synonym')
        ) as broad_rank,
        string_agg(diagnosis, ' | ' order by diagnosis_rank) as diagnosis_list,
    from {{ ref('fct_judged_diagnosis') }}
    where judge_id = 'terminology'
    group by all
),

final as (
    select
        labels.configuration_id,
        labels.case_id,
        labels.judge_id,
        labels.label_rank,
        lists.strict_rank,
        lists.broad_rank,
        case
            when lists.broad_rank = 1 then 'first in the list'
            when lists.broad_rank is not null then 'further down'
            else 'not in the list'
        end as place_by_rules,
        lists.gold_diagnosis,
        lists.diagnosis_list,
    from labels
    inner join lists
        on labels.configuration_id = lists.configuration_id and labels.case_id = lists.case_id
)

select * from final
order by configuration_id, case_id

-- The table of it, one row a run:
--     select configuration_id, place_by_rules, count(*) from (…) where label_rank = 1 group by all
