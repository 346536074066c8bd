with final as (
    select
        configuration_id,
        case_id,
        judge_id,
        test_set,
        prompt_version,
        status,
        outcome_class,
        semantic_score,
        severity_score,
        semantic_score_full_list,
        severity_score_full_list,
        semantic_rescaled,
        severity_rescaled,
        strict_rank,
        broad_rank,
        reciprocal_rank,
        n_scored_ranks,
        n_without_relation,
        n_without_severity,
        is_failure,
        is_asked,
    from {{ ref('int_experiments__case_scores') }}
)

select * from final
