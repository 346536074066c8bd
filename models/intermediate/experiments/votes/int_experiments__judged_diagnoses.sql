with judgements as (
    {{ union_judgements([
        ref('int_experiments__judgements'), ref('int_experiments__jury_judgements'),
    ]) }}
),

judges as (
    select
        judges.judge_id,
        models.family,
    from {{ ref('stg_registry__judge') }} as judges
    inner join {{ ref('stg_registry__llm_model') }} as models
        on judges.model_alias = models.model_alias
),

configurations as (
    select * from {{ ref('int_experiments__configurations') }}
),

ranked as (
    select * from {{ ref('int_experiments__ranked_diagnoses') }}
),

cases as (
    select * from {{ ref('dim_case') }}
),

relations as (
    select * from {{ ref('semantic_relations') }}
),

levels as (
    select * from {{ ref('severity_levels') }}
),

final as (
    select
        judgements.configuration_id,
        judgements.case_id,
        judgements.diagnosis_rank,
        judgements.judge_id,
        ranked.diagnosis,
        cases.gold_diagnosis,
        judgements.semantic_relation,
        judgements.semantic_rule,
        judgements.semantic_reason,
        judgements.semantic_votes,
        judgements.severity,
        cases.gold_severity,
        judgements.severity_rule,
        judgements.severity_reason,
        judgements.severity_votes,
        ranked.reasoning,
        ranked.in_favour,
        ranked.against,
        ranked.risk,
        relations.distance as semantic_distance,
        {{ severity_distance("gold_levels.severity_value", "levels.severity_value") }}
            as severity_distance,
        judgements.semantic_vote_variance,
        judgements.severity_vote_variance,
        judgements.n_votes,
        relations.is_label as has_semantic_label,
        levels.is_label as has_severity_label,
        relations.is_strict_match,
        relations.is_broad_match,
        coalesce(judges.family = configurations.model_family, false) as is_own_family,
    from judgements
    inner join ranked
        on
            judgements.configuration_id = ranked.configuration_id
            and judgements.case_id = ranked.case_id
            and judgements.diagnosis_rank = ranked.diagnosis_rank
    inner join cases on judgements.case_id = cases.case_id
    inner join configurations on judgements.configuration_id = configurations.configuration_id
    left join judges on judgements.judge_id = judges.judge_id
    left join relations on judgements.semantic_relation = relations.semantic_relation
    left join levels on judgements.severity = levels.severity
    left join levels as gold_levels on cases.gold_severity = gold_levels.severity
)

select * from final
