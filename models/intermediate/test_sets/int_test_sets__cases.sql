with simulated as (
    select
        case_id,
        test_set,
        gold_concept_id,
        icd10_code,
        case when icd10_code is not null then 'disease' else 'none' end as gold_code_source,
        gold_name,
        gold_diagnosis,
        gold_codes,
        gold_names,
        gold_severity,
        'not known' as outcome,
        language,
        sex,
        null::varchar as presenting_complaint,
        narrative,
        case_number,
        age_years,
        contains_phi,
    from {{ ref('int_test_sets__simulated_cases') }}
),

recorded as (
    select
        case_id,
        test_set,
        gold_concept_id,
        icd10_code,
        gold_code_source,
        gold_name,
        gold_diagnosis,
        gold_codes,
        gold_names,
        gold_severity,
        if(source_format = 'urg', outcome, 'not known') as outcome,
        language,
        sex,
        presenting_complaint,
        narrative,
        case_number,
        age_years,
        contains_phi,
    from {{ ref('int_test_sets__recorded_cases') }}
    where reject_reason is null
),

final as (
    select * from simulated
    union all by name
    select * from recorded
)

select * from final
