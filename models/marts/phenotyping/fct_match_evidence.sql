with matches as (
    select * from {{ ref('int_phenotyping__disease_matches') }}
    where
        match_rank <= {{ work_up_number('explained_ranks') }}
        or disease_id = group_leader_id
),

terms as (
    select * from {{ ref('dim_hpo_term') }}
),

evidence as (
    select
        case_id,
        disease_id,
        match_rank,
        -- the list is in order of weight, and its positions are the only record of that order
        unnest(range(1, len(evidence) + 1))::integer as evidence_rank,
        unnest(evidence, recursive := true),
    from matches
),

final as (
    select
        evidence.case_id,
        evidence.disease_id,
        evidence.hpo_id,
        terms.hpo_name,
        evidence.role,
        evidence.matched_hpo_id,
        matched_terms.hpo_name as matched_name,
        evidence.match_rank,
        evidence.evidence_rank,
        evidence.frequency,
        evidence.evidence,
    from evidence
    inner join terms on evidence.hpo_id = terms.hpo_id
    left join terms as matched_terms on evidence.matched_hpo_id = matched_terms.hpo_id
)

select * from final
