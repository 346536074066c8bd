with patients as (
    select * from {{ ref('int_phenotyping__patients') }}
),

completeness as (
    select * from {{ ref('int_phenotyping__completeness') }}
),

golds as (
    select
        case_id,
        unnest(gold_disease_ids) as disease_id,
    from patients
),

gold_ranks as (
    select
        golds.case_id,
        min(matches.match_rank) as gold_rank,
    from golds
    inner join {{ ref('int_phenotyping__disease_matches') }} as matches
        on golds.case_id = matches.case_id and golds.disease_id = matches.disease_id
    group by all
),

final as (
    select
        patients.case_id,
        patients.note_set,
        patients.language,
        patients.sex,
        patients.gold_disease_ids,
        case
            when patients.is_stopped then 'stopped'
            when patients.n_present = 0 then 'no_phenotypes'
            else 'worked_up'
        end as status,
        patients.n_present,
        patients.n_excluded,
        patients.n_with_onset,
        gold_ranks.gold_rank,
        patients.age_years,
        patients.onset_years,
        completeness.completeness,
        patients.has_note,
        completeness.has_prior_tests,
        completeness.has_family_history,
        patients.contains_phi,
    from patients
    inner join completeness on patients.case_id = completeness.case_id
    left join gold_ranks on patients.case_id = gold_ranks.case_id
)

select * from final
