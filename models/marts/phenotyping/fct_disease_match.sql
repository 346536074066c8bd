with final as (
    select
        case_id,
        disease_id,
        disease_name,
        gene_twin_id,
        confidence,
        supporting_phenotypes,
        contradicting_phenotypes,
        missing_phenotypes,
        match_rank,
        score,
        finding_score,
        overlap_score,
        excluded_score,
        onset_score,
        sex_score,
        relatives_score,
        n_supporting,
        n_contradicting,
        is_gold,
    from {{ ref('int_phenotyping__candidates') }}
)

select * from final
