with matches as (
    select
        case_id,
        disease_id,
        match_rank,
        score,
        finding_score,
        overlap_score,
        excluded_score,
        onset_score,
        sex_score,
        relatives_score,
    from {{ ref('int_phenotyping__disease_matches') }}
    where match_rank <= {{ work_up_number('explained_ranks') }}
),

evidence as (
    select
        case_id,
        disease_id,
        list(hpo_name order by evidence_rank) filter (where role = 'supporting') as supporting,
        list(hpo_name order by evidence_rank) filter (where role = 'contradicting')
            as contradicting,
        list(hpo_name order by evidence_rank) filter (where role = 'missing') as missing,
    from {{ ref('int_phenotyping__match_evidence') }}
    group by all
),

profiles as (
    select * from {{ ref('int_phenotyping__disease_profiles') }}
),

patients as (
    select * from {{ ref('int_phenotyping__patients') }}
),

explained as (
    select
        matches.case_id,
        matches.disease_id,
        profiles.disease_name,
        profiles.gene_twin_id,
        coalesce(evidence.supporting, []) as supporting_phenotypes,
        coalesce(evidence.contradicting, []) as contradicting_phenotypes,
        coalesce(evidence.missing, []) as missing_phenotypes,
        matches.match_rank,
        matches.score,
        matches.finding_score,
        matches.overlap_score,
        matches.excluded_score,
        matches.onset_score,
        matches.sex_score,
        matches.relatives_score,
        len(supporting_phenotypes)::integer as n_supporting,
        len(contradicting_phenotypes)::integer as n_contradicting,
        case
            when len(patients.gold_disease_ids) > 0
                then list_contains(patients.gold_disease_ids, matches.disease_id)
        end as is_gold,
    from matches
    inner join profiles on matches.disease_id = profiles.disease_id
    inner join patients on matches.case_id = patients.case_id
    left join evidence
        on matches.case_id = evidence.case_id and matches.disease_id = evidence.disease_id
),

final as (
    select
        case_id,
        disease_id,
        disease_name,
        gene_twin_id,
        {{ match_confidence("n_supporting", "n_contradicting") }} as confidence,
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
        match_rank <= {{ work_up_number('compared_ranks') }} as is_compared,
        is_gold,
    from explained
)

select * from final
