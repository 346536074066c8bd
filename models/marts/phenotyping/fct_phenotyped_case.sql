with patients as (
    select * from {{ ref('int_phenotyping__patients') }}
),

matches as (
    select * from {{ ref('int_phenotyping__disease_matches') }}
),

-- a gold diagnosis may be several canonical diseases: the best of them counts
gold_ranks as (
    select
        patients.case_id,
        min(matches.match_rank) as gold_rank,
    from patients
    inner join matches
        on
            patients.case_id = matches.case_id
            and list_contains(patients.gold_disease_ids, matches.disease_id)
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
            -- the order matters: a red flag ends the work-up whatever else is known
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
        patients.completeness,
        patients.has_note,
        patients.has_prior_tests,
        patients.has_family_history,
        patients.contains_phi,
    from patients
    left join gold_ranks on patients.case_id = gold_ranks.case_id
)

select * from final
