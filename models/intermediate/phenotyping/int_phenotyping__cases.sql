with test_cases as (
    select * from {{ ref('dim_case') }}
),

own_notes as (
    select * from {{ ref('stg_phenotyping__case') }}
),

records as (
    select
        *,
        concat_ws(
            e'\n',
            narrative,
            reason,
            history,
            if(language = 'es', 'Antecedentes personales', 'Past medical history')
            || e':\n' || background,
            if(language = 'es', 'Exploración', 'Examination') || e':\n' || examination,
            if(language = 'es', 'Pruebas complementarias', 'Investigations')
            || e':\n' || complementary
        ) as own_text,
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

-- a name without an id names a disease only if it is unique to that disease
telling_names as (
    select
        alias_normalised as name,
        min(concept_id) as disease_id,
    from {{ ref('dim_concept_alias') }}
    where vocabulary = 'disease' and scope in ('preferred', 'exact')
    group by all
    having count(distinct concept_id) = 1
),

written_golds as (
    select
        case_id,
        {{ normalise_name("unnest(gold_names)") }} as name,
    from test_cases
),

named_golds as (
    select
        written_golds.case_id,
        list(telling_names.disease_id) as disease_ids,
    from written_golds
    inner join telling_names using (name)
    group by all
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
        -- every id and every name of the gold diagnosis counts
        list_sort(
            list_distinct(
                [test_cases.gold_concept_id]
                || coalesce(test_cases.gold_codes, [])
                || coalesce(named_golds.disease_ids, [])
            )
        ) as gold_disease_ids,
        test_cases.contains_phi,
    from test_cases
    left join records
        on
            test_cases.test_set = records.test_set
            and test_cases.case_number = records.record_number
    left join phenotypes on test_cases.case_id = phenotypes.case_id
    left join named_golds on test_cases.case_id = named_golds.case_id
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
