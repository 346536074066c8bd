with final as (
    select
        configuration_id,
        case_id,
        judge_id,
        test_set,
        is_failure::double as failure_rate,
        coalesce(strict_rank <= 1, false)::double as top1_strict,
        coalesce(strict_rank <= 3, false)::double as top3_strict,
        coalesce(strict_rank <= 5, false)::double as top5_strict,
        coalesce(broad_rank <= 1, false)::double as top1_broad,
        coalesce(broad_rank <= 3, false)::double as top3_broad,
        coalesce(broad_rank <= 5, false)::double as top5_broad,
        reciprocal_rank as mrr,
        semantic_score as mean_semantic_score,
        severity_score as mean_severity_score,
        semantic_score_full_list as mean_semantic_score_full_list,
        severity_score_full_list as mean_severity_score_full_list,
        semantic_rescaled,
        severity_rescaled,
    from {{ ref('int_experiments__case_scores') }}
    -- a configuration nobody was asked about has no score, which is not a score of nothing
    qualify bool_or(is_asked) over (partition by configuration_id, judge_id)
)

select * from final
