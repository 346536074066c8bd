with final as (
    select
        case_id,
        test_set,
        null::varchar as record_id,
        gold_concept_id,
        icd10_code,
        case when icd10_code is not null then 'disease' else 'none' end as gold_code_source,
        gold_name,
        gold_name as gold_written,
        gold_diagnosis,
        gold_codes,
        gold_names,
        gold_severity,
        'not known' as outcome,
        language,
        phenotype_language,
        sex,
        null::varchar as presenting_complaint,
        frame,
        narrative,
        case_number,
        age_years,
        contains_phi,
    from {{ ref('int_test_sets__simulated_cases') }}
    union all
    select
        case_id,
        test_set,
        record_id,
        gold_concept_id,
        icd10_code,
        gold_code_source,
        gold_name,
        gold_written,
        gold_diagnosis,
        gold_codes,
        gold_names,
        gold_severity,
        if(source_format = 'urg', outcome, 'not known') as outcome,
        language,
        phenotype_language,
        sex,
        presenting_complaint,
        frame,
        narrative,
        case_number,
        age_years,
        contains_phi,
    from {{ ref('int_test_sets__recorded_cases') }}
    where reject_reason is null and not is_for_reading
)

select * from final
