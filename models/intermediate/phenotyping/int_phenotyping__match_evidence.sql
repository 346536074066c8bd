with matches as (
    select * from {{ ref('int_phenotyping__disease_matches') }}
),

terms as (
    select * from {{ ref('dim_hpo_term') }}
),

entries as (
    select
        case_id,
        disease_id,
        match_rank,
        unnest(range(1, len(evidence) + 1)) as evidence_rank,
        unnest(evidence, recursive := true),
    from matches
),

final as (
    select
        entries.case_id,
        entries.disease_id,
        entries.hpo_id,
        terms.hpo_name,
        entries.role,
        entries.matched_hpo_id,
        matched_terms.hpo_name as matched_name,
        entries.match_rank,
        entries.evidence_rank::integer as evidence_rank,
        entries.frequency,
        entries.evidence,
    from entries
    inner join terms on entries.hpo_id = terms.hpo_id
    left join terms as matched_terms on entries.matched_hpo_id = matched_terms.hpo_id
)

select * from final
