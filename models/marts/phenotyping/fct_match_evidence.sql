with final as (
    select
        case_id,
        disease_id,
        hpo_id,
        hpo_name,
        role,
        matched_hpo_id,
        matched_name,
        match_rank,
        evidence_rank,
        frequency,
        evidence,
    from {{ ref('int_phenotyping__match_evidence') }}
    where match_rank <= {{ work_up_number('explained_ranks') }}
)

select * from final
