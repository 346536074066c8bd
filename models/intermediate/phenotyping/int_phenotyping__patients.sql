with cases as (
    select * from {{ ref('int_phenotyping__cases') }}
),

phenotypes as (
    select * from {{ ref('fct_case_phenotype') }}
),

diseases as (
    select * from {{ ref('dim_disease') }}
),

-- what a note says of tests and of the family counts where the case came without it
note_sections as (
    select
        case_id,
        string_agg(evidence, ' ' order by mention_number) filter (where finding = 'tests_done')
            as tests_done,
        string_agg(evidence, ' ' order by mention_number) filter (where finding = 'family_history')
            as family_history,
    from {{ ref('int_phenotyping__mentions') }}
    where kind = 'section'
    group by all
),

counts as (
    select
        case_id,
        count(*) filter (where not is_excluded)::integer as n_present,
        count(*) filter (where is_excluded)::integer as n_excluded,
        count(onset_years) filter (where not is_excluded)::integer as n_with_onset,
        min(onset_years) filter (where not is_excluded) as onset_years,
    from phenotypes
    group by all
),

-- a pregnancy or childbed of today, in words, in weeks or by what only a pregnancy brings
pregnancies as (
    select case_id
    from {{ ref('int_phenotyping__mentions') }}
    where
        status = 'present'
        and split_part(finding, '#', 1) in (
            'gestation_weeks',
            'sign:pregnant',
            'sign:early_pregnancy',
            'sign:late_pregnancy',
            'sign:ectopic',
            'sign:postpartum'
        )
    union
    select phenotypes.case_id
    from phenotypes
    inner join {{ ref('bridge_hpo_ancestor') }} as ancestors
        on phenotypes.hpo_id = ancestors.hpo_id
    where ancestors.ancestor_hpo_id = 'HP:0100603' and not phenotypes.is_excluded
),

stopped as (
    select distinct case_id
    from {{ ref('fct_red_flag') }}
    where severity = 'URGENT'
),

disease_ids as (
    select
        disease_id,
        unnest(list_append(source_disease_ids, disease_id)) as source_disease_id,
    from diseases
),

golds as (
    select
        case_id,
        unnest(gold_disease_ids) as gold_id,
    from cases
),

-- a gold diagnosis may be given by any id of the disease
canonical_golds as (
    select
        golds.case_id,
        list_sort(list(distinct disease_ids.disease_id)) as gold_disease_ids,
    from golds
    inner join disease_ids on golds.gold_id = disease_ids.source_disease_id
    group by all
),

weights as (
    select
        max(value) filter (where parameter = 'completeness_phenotypes') as phenotypes,
        max(value) filter (where parameter = 'completeness_timing') as timing,
        max(value) filter (where parameter = 'completeness_exclusions') as exclusions,
        max(value) filter (where parameter = 'completeness_tests') as tests,
        max(value) filter (where parameter = 'completeness_family') as family,
    from {{ ref('work_up_parameters') }}
),

patients as (
    select
        cases.* exclude (sex, note, gold_disease_ids, prior_tests, family_history),
        coalesce(nullif(cases.prior_tests, ''), note_sections.tests_done) as prior_tests,
        coalesce(nullif(cases.family_history, ''), note_sections.family_history)
            as family_history,
        case lower(cases.sex[1])
            when 'f' then 'female'
            when 'm' then 'male'
        end as sex,
        coalesce(canonical_golds.gold_disease_ids, []) as gold_disease_ids,
        coalesce(counts.n_present, 0) as n_present,
        coalesce(counts.n_excluded, 0) as n_excluded,
        coalesce(counts.n_with_onset, 0) as n_with_onset,
        counts.onset_years,
        cases.note is not null as has_note,
        -- a list of findings says nothing of pregnancies, a note without one that there is none
        case
            when pregnancies.case_id is not null then true
            when cases.note is not null then false
        end as is_pregnant,
        coalesce(nullif(cases.prior_tests, ''), note_sections.tests_done) is not null
            as has_prior_tests,
        coalesce(nullif(cases.family_history, ''), note_sections.family_history) is not null
            as has_family_history,
        stopped.case_id is not null as is_stopped,
    from cases
    left join counts on cases.case_id = counts.case_id
    left join canonical_golds on cases.case_id = canonical_golds.case_id
    left join stopped on cases.case_id = stopped.case_id
    left join note_sections on cases.case_id = note_sections.case_id
    left join pregnancies on cases.case_id = pregnancies.case_id
    where
        not list_contains(
            string_split('{{ var("not_worked_up", "") }}', ','), coalesce(cases.note_set, '')
        )
),

final as (
    select
        patients.*,
        {{ data_completeness(
            "patients.n_present", "patients.n_with_onset", "patients.n_excluded",
            "patients.has_prior_tests", "patients.has_family_history"
        ) }} as completeness,
    from patients
    cross join weights
)

select * from final
