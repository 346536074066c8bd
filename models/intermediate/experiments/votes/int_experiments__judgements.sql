with lists as (
    select * from {{ ref('int_experiments__judged_lists') }}
    where is_scored
),

by_rules as (
    select
        lists.configuration_id,
        lists.case_id,
        lists.probe,
        lists.diagnosis_rank,
        judges.judge_id,
        relations.semantic_relation,
        relations.semantic_rule,
        relations.semantic_reason,
        severities.severity,
        severities.severity_rule,
        severities.severity_reason,
        1 as n_votes,
    from lists
    inner join {{ ref('judges') }} as judges on judges.kind = 'terminology'
    left join {{ ref('int_experiments__case_golds') }} as golds on lists.case_id = golds.case_id
    left join {{ ref('int_experiments__reading_keys') }} as keys
        on lists.diagnosis = keys.diagnosis
    left join {{ ref('int_experiments__terminology_relations') }} as relations
        on
            golds.gold_key = relations.gold_key
            and keys.reading_key = relations.reading_key
    left join {{ ref('int_experiments__terminology_severities') }} as severities
        on keys.reading_key = severities.reading_key
),

-- labels that came with answers, and those of people, are of lists as they are
given as (
    select * from {{ ref('int_experiments__recorded_judgements') }}
    union all by name
    select * from {{ ref('int_experiments__person_judgements') }}
),

everybody as (
    select * from {{ ref('int_experiments__model_judgements') }}
    union all by name
    select * from by_rules
    union all by name
    select
        *,
        'none' as probe,
        1 as n_votes,
    from given
),

final as (
    select
        configuration_id,
        case_id,
        probe,
        diagnosis_rank,
        judge_id,
        semantic_relation,
        semantic_rule,
        semantic_reason,
        semantic_votes,
        severity,
        severity_rule,
        severity_reason,
        severity_votes,
        semantic_vote_variance,
        severity_vote_variance,
        n_votes,
    from everybody
)

select * from final
