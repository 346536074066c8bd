{{ config(materialized='view') }}

with judged as (
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
),

configurations as (
    select
        configuration_id,
        prompt_version,
    from {{ ref('int_experiments__configurations') }}
),

judges as (
    select
        judge_id,
        terminology_release,
    from {{ ref('dim_judge') }}
),

final as (
    select
        judged.configuration_id,
        judged.case_id,
        judged.diagnosis_rank,
        judged.judge_id,
        configurations.prompt_version,
        judges.terminology_release,
        judged.diagnosis,
        judged.gold_diagnosis,
        judged.semantic_relation,
        judged.semantic_rule,
        judged.semantic_reason,
        judged.severity,
        judged.gold_severity,
        judged.severity_rule,
        judged.severity_reason,
        judged.reasoning,
        judged.in_favour,
        judged.against,
        judged.risk,
        judged.semantic_distance,
        judged.severity_distance,
        judged.n_votes,
        judged.has_semantic_label,
        judged.has_severity_label,
    from judged
    inner join configurations on judged.configuration_id = configurations.configuration_id
    inner join judges on judged.judge_id = judges.judge_id
)

select * from final
