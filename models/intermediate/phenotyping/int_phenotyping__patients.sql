with cases as (
    select
        case_id,
        note_set,
        language,
        age_years,
        sex,
        prior_tests,
        family_history,
        gold_disease_ids,
        contains_phi,
        note is not null as has_note,
    from {{ ref('int_phenotyping__cases') }} as cases
    anti join {{ ref('work_up_exclusions') }} as exclusions
        on cases.note_set = exclusions.note_set
),

phenotypes as (
    select * from {{ ref('int_phenotyping__case_phenotypes') }}
),

counts as (
    select
        case_id,
        count(*) filter (where not is_excluded) as n_present,
        count(*) filter (where is_excluded) as n_excluded,
        count(onset_years) filter (where not is_excluded) as n_with_onset,
        min(onset_years) filter (where not is_excluded) as onset_years,
    from phenotypes
    group by all
),

urgent as (
    select distinct case_id,
    from {{ ref('int_phenotyping__red_flags') }}
    where severity = 'URGENT'
),

disease_ids as (
    select
        disease_id,
        unnest(source_disease_ids) as source_disease_id,
    from {{ ref('dim_disease') }}
),

golds as (
    select
        case_id,
        unnest(gold_disease_ids) as gold_id,
    from cases
),

canonical_golds as (
    select
        golds.case_id,
        list_sort(list(distinct disease_ids.disease_id)) as gold_disease_ids,
    from golds
    inner join disease_ids
        on golds.gold_id in (disease_ids.source_disease_id, disease_ids.disease_id)
    group by all
),

final as (
    select
        cases.case_id,
        cases.note_set,
        cases.language,
        case lower(cases.sex[1])
            when 'f' then 'female'
            when 'm' then 'male'
        end as sex,
        cases.prior_tests,
        cases.family_history,
        coalesce(canonical_golds.gold_disease_ids, []) as gold_disease_ids,
        coalesce(counts.n_present, 0)::integer as n_present,
        coalesce(counts.n_excluded, 0)::integer as n_excluded,
        coalesce(counts.n_with_onset, 0)::integer as n_with_onset,
        cases.age_years,
        counts.onset_years,
        cases.has_note,
        urgent.case_id is not null as is_stopped,
        cases.contains_phi,
    from cases
    left join counts on cases.case_id = counts.case_id
    left join canonical_golds on cases.case_id = canonical_golds.case_id
    left join urgent on cases.case_id = urgent.case_id
)

select * from final
