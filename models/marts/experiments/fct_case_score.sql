with scores as (
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
),

final as (
    select
        scores.configuration_id,
        scores.case_id,
        scores.judge_id,
        scores.test_set,
        scores.prompt_version,
        scores.status,
        scores.outcome_class,
        scores.semantic_score,
        scores.severity_score,
        scores.semantic_score_full_list,
        scores.severity_score_full_list,
        scores.semantic_rescaled,
        scores.severity_rescaled,
        scores.strict_rank,
        scores.broad_rank,
        scores.reciprocal_rank,
        scores.n_scored_ranks,
        scores.n_without_relation,
        scores.n_without_severity,
        scores.is_failure,
        scores.is_asked,
        calibrations.is_calibrated,
        calibrations.is_severity_calibrated,
    from scores
    left join {{ ref('int_experiments__calibrations') }} as calibrations
        on scores.judge_id = calibrations.judge_id and scores.test_set = calibrations.test_set
)

select * from final
