with scores as (
    select
        configuration_id,
        case_id,
        judge_id,
        test_set,
        semantic_score,
        severity_score,
        semantic_score_full_list,
        severity_score_full_list,
        semantic_rescaled,
        severity_rescaled,
        strict_rank,
        broad_rank,
        reciprocal_rank,
        is_failure,
        is_asked,
    from {{ ref('int_experiments__case_scores') }}
    where is_counted
),

-- a configuration nobody was asked about has no score, which is not a score of nothing
asked as (
    select
        configuration_id,
        judge_id,
        row_number() over (order by judge_id, test_set, configuration_id)::integer as score_key,
    from scores
    group by configuration_id, judge_id, test_set
    having bool_or(is_asked)
),

final as (
    select
        asked.score_key,
        scores.configuration_id,
        scores.case_id,
        scores.judge_id,
        scores.test_set,
        scores.is_failure::double as failure_rate,
        coalesce(scores.strict_rank <= 1, false)::double as top1_strict,
        coalesce(scores.strict_rank <= 3, false)::double as top3_strict,
        coalesce(scores.strict_rank <= 5, false)::double as top5_strict,
        coalesce(scores.broad_rank <= 1, false)::double as top1_broad,
        coalesce(scores.broad_rank <= 3, false)::double as top3_broad,
        coalesce(scores.broad_rank <= 5, false)::double as top5_broad,
        scores.reciprocal_rank as mrr,
        scores.semantic_score as mean_semantic_score,
        scores.severity_score as mean_severity_score,
        scores.semantic_score_full_list as mean_semantic_score_full_list,
        scores.severity_score_full_list as mean_severity_score_full_list,
        scores.semantic_rescaled,
        scores.severity_rescaled,
    from scores
    inner join asked
        on scores.configuration_id = asked.configuration_id and scores.judge_id = asked.judge_id
)

select * from final
