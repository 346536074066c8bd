{{ config(materialized='view') }}

with judged as (
    select * from {{ ref('int_experiments__judged_diagnoses') }}
),

configurations as (
    select * from {{ ref('int_experiments__configurations') }}
),

judges as (
    select * from {{ ref('dim_judge') }}
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
        judged.semantic_votes,
        judged.severity,
        judged.gold_severity,
        judged.severity_rule,
        judged.severity_reason,
        judged.severity_votes,
        judged.reasoning,
        judged.in_favour,
        judged.against,
        judged.risk,
        judged.semantic_distance,
        judged.severity_distance,
        judged.semantic_vote_variance,
        judged.severity_vote_variance,
        judged.n_votes,
        judged.has_semantic_label,
        judged.has_severity_label,
        judged.is_own_family,
    from judged
    inner join configurations on judged.configuration_id = configurations.configuration_id
    inner join judges on judged.judge_id = judges.judge_id
)

select * from final
