with ranked as (
    select
        configuration_id,
        case_id,
        diagnosis_rank,
        diagnosis,
    from {{ ref('int_experiments__ranked_diagnoses') }}
    where is_scored
),

by_rules as (
    select
        ranked.configuration_id,
        ranked.case_id,
        ranked.diagnosis_rank,
        judges.judge_id,
        relations.semantic_relation,
        relations.semantic_rule,
        relations.semantic_reason,
        severities.severity,
        severities.severity_rule,
        severities.severity_reason,
        {{ no_votes() }}
    from ranked
    inner join {{ ref('stg_registry__judge') }} as judges on judges.kind = 'terminology'
    left join {{ ref('int_experiments__case_golds') }} as golds on ranked.case_id = golds.case_id
    left join {{ ref('int_experiments__reading_keys') }} as keys
        on ranked.diagnosis = keys.diagnosis
    left join {{ ref('int_experiments__terminology_relations') }} as relations
        on
            golds.gold_key = relations.gold_key
            and keys.reading_key = relations.reading_key
    left join {{ ref('int_experiments__terminology_severities') }} as severities
        on keys.reading_key = severities.reading_key
),

by_models as (
    select
        configuration_id,
        case_id,
        diagnosis_rank,
        judge_id,
        coalesce(relations.semantic_relation, 'unlabelled') as semantic_relation,
        relations.rule as semantic_rule,
        relations.reason as semantic_reason,
        relations.vote_split as semantic_votes,
        coalesce(severities.severity, 'unknown') as severity,
        severities.rule as severity_rule,
        severities.reason as severity_reason,
        severities.vote_split as severity_votes,
        relations.vote_variance as semantic_vote_variance,
        severities.vote_variance as severity_vote_variance,
        coalesce(relations.n_votes, severities.n_votes) as n_votes,
    from {{ ref('int_experiments__semantic_judgements') }} as relations
    full join {{ ref('int_experiments__severity_judgements') }} as severities
        using (configuration_id, case_id, probe, diagnosis_rank, judge_id)
    where probe = 'none'
),

by_records as (
    select
        configuration_id,
        case_id,
        diagnosis_rank,
        judge_id,
        semantic_relation,
        semantic_rule,
        semantic_reason,
        severity,
        severity_rule,
        severity_reason,
        {{ no_votes() }}
    from {{ ref('int_experiments__recorded_judgements') }}
),

by_people as (
    select
        configuration_id,
        case_id,
        diagnosis_rank,
        judge_id,
        semantic_relation,
        semantic_rule,
        semantic_reason,
        severity,
        severity_rule,
        severity_reason,
        {{ no_votes() }}
    from {{ ref('int_experiments__person_judgements') }}
),

final as (
    {{ union_judgements(["by_rules", "by_models", "by_records", "by_people"]) }}
)

select * from final
