with test_cases as (
    select * from {{ ref('dim_case') }}
),

own_notes as (
    select * from {{ ref('stg_phenotyping__case') }}
),

records as (
    select
        *,
        concat_ws(e'\n', narrative, reason, history, background, examination, complementary)
            as own_text,
    from {{ ref('stg_cases__record') }}
),

phenotypes as (
    select distinct case_id
    from {{ ref('bridge_case_phenotype') }}
),

noted_cases as (
    select
        {{ case_id("'kernel29_notes'", "case_number") }} as case_id,
        'kernel29_notes' as note_set,
        language,
        note,
        age_years,
        sex,
        prior_tests,
        family_history,
        gold_disease_ids,
        false as contains_phi,
    from own_notes
),

-- The narrative of a case that came as phenotypes is written from them: read as a note it would
-- count every finding twice. Text written beside them is a note.
tested_cases as (
    select
        test_cases.case_id,
        test_cases.test_set as note_set,
        test_cases.language,
        case
            when
                records.hpo_ids is not null
                or records.hpo_names is not null
                or records.excluded_hpo_ids is not null
                then nullif(records.own_text, '')
            when phenotypes.case_id is null then test_cases.narrative
        end as note,
        test_cases.age_years::double as age_years,
        test_cases.sex,
        if(test_cases.gold_concept_id is null, [], [test_cases.gold_concept_id])
            as gold_disease_ids,
        test_cases.contains_phi,
    from test_cases
    left join records
        on
            test_cases.test_set = records.test_set
            and test_cases.case_number = records.record_number
    left join phenotypes on test_cases.case_id = phenotypes.case_id
),

-- without a gold diagnosis: in no test set, and a note like any other
unlabelled_records as (
    select
        {{ case_id("test_set", "record_number") }} as case_id,
        test_set as note_set,
        language,
        nullif(own_text, '') as note,
        {{ age_in_years("age") }}::double as age_years,
        {{ sex_of("sex", "language = 'es'") }} as sex,
        []::varchar[] as gold_disease_ids,
        contains_phi,
    from records
    where is_for_reading
),

final as (
    select * from noted_cases
    union all by name
    select * from tested_cases
    union all by name
    select * from unlabelled_records
)

select * from final
