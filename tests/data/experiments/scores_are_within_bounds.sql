{{ config(tags=['tier1']) }}

with graders as (
    select distinct judge_id
    from {{ ref('int_experiments__list_gradings') }}
),

-- people, and labels that came with a run, may give severities alone
of_relations as (
    select judges.judge_id
    from {{ ref('dim_judge') }} as judges
    left join {{ ref('fct_judged_diagnosis') }} as judged on judges.judge_id = judged.judge_id
    group by judges.judge_id, judges.kind
    having judges.kind not in ('person', 'recorded') or bool_or(judged.has_semantic_label)
)

select
    scores.configuration_id,
    scores.case_id,
    scores.judge_id,
    scores.semantic_score,
    scores.severity_score,
from {{ ref('fct_case_score') }} as scores
left join graders on scores.judge_id = graders.judge_id
left join of_relations on scores.judge_id = of_relations.judge_id
where
    scores.semantic_score not between 0 and 16
    -- what does not count has no score, and what counts has one
    or (not scores.is_scored and coalesce(scores.semantic_score, scores.severity_score) is not null)
    or (not scores.is_scored and scores.is_top5_broad is not null)
    or (
        graders.judge_id is null
        and of_relations.judge_id is not null
        and scores.is_scored
        and (
            scores.semantic_score is null
            or scores.is_top1_strict is null
            or (scores.reciprocal_rank_strict is null) != (scores.is_top10_strict is null)
        )
    )
    -- severities alone say neither how near the diagnoses are nor where the gold one is
    or (
        graders.judge_id is null
        and of_relations.judge_id is null
        and coalesce(scores.semantic_score, scores.reciprocal_rank_broad, scores.is_top5_broad::int)
        is not null
    )
    or scores.severity_score not between 0 and 16
    or scores.semantic_score_full_list not between 0 and scores.semantic_score
    or scores.severity_score_full_list not between 0 and scores.severity_score
    or scores.semantic_rescaled not between -1 and 1
    or scores.severity_rescaled not between -1 and 1
    or scores.reciprocal_rank_strict not between 0 and scores.reciprocal_rank_broad
    or scores.reciprocal_rank_broad > 1
    or (scores.is_top1_strict and not scores.is_top3_strict)
    or (scores.is_top3_strict and not scores.is_top5_strict)
    or (scores.is_top5_strict and scores.is_top10_strict is not true)
    or (scores.is_top5_strict and not scores.is_top5_broad)
    or (scores.is_top10_strict and not scores.is_top10_broad)
