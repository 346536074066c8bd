with test_cases as (
    select * from {{ ref('dim_case') }}
),

records as (
    select
        test_set,
        record_number,
        language,
        sex,
        age,
        contains_phi,
        coalesce(is_for_reading, false) as is_for_reading,
        concat_ws(e'\n', narrative, reason, history, background, examination, complementary)
            as own_text,
        hpo_ids,
        hpo_names,
        excluded_hpo_ids,
    from {{ ref('stg_cases__record') }}
),

phenotypes as (
    select distinct case_id
    from {{ ref('bridge_case_phenotype') }}
),

-- The narrative of a case that came as phenotypes is written from them: read as a note it would
-- count every finding twice. What somebody wrote beside them is a note.
final as (
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
    from {{ ref('stg_phenotyping__case') }}
    union all
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
        null::varchar as prior_tests,
        null::varchar as family_history,
        if(test_cases.gold_concept_id is null, [], [test_cases.gold_concept_id])
            as gold_disease_ids,
        test_cases.contains_phi,
    from test_cases
    left join records
        on
            test_cases.test_set = records.test_set
            and test_cases.case_number = records.record_number
    left join phenotypes on test_cases.case_id = phenotypes.case_id
    union all
    -- without a gold diagnosis: in no test set, and a note like any other
    select
        {{ case_id("test_set", "record_number") }} as case_id,
        test_set as note_set,
        language,
        nullif(own_text, '') as note,
        {{ age_in_years("age") }}::double as age_years,
        {{ sex_of("sex", "language = 'es'") }} as sex,
        null::varchar as prior_tests,
        null::varchar as family_history,
        []::varchar[] as gold_disease_ids,
        contains_phi,
    from records
    where is_for_reading
)

select * from final
