with final as (
    select
        configuration_id,
        case_id,
        diagnosis_rank,
        judge_id,
        diagnosis,
        gold_diagnosis,
        semantic_relation,
        semantic_rule,
        semantic_reason,
        severity,
        gold_severity,
        severity_rule,
        severity_reason,
        reasoning,
        in_favour,
        against,
        risk,
        semantic_distance,
        severity_distance,
        n_votes,
        has_semantic_label,
        has_severity_label,
    from {{ ref('int_experiments__judged_diagnoses') }}
)

select * from final
