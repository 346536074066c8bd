with simulated_cases as (
    select
        *,
        if(icd10_code is null, 'none', 'disease') as gold_code_source,
        gold_name as gold_written,
        'not known' as outcome,
    from {{ ref('int_test_sets__simulated_cases') }}
),

golds as (
    select * from {{ ref('int_test_sets__recorded_golds') }}
),

-- cases imported for reading have no gold diagnosis, and no system is asked about them
recorded_cases as (
    select
        cases.*,
        golds.* exclude (case_id),
    from {{ ref('int_test_sets__recorded_cases') }} as cases
    inner join golds on cases.case_id = golds.case_id
    where cases.reject_reason is null and not cases.is_for_reading
),

cases as (
    select * from simulated_cases
    union all by name
    select * from recorded_cases
),

codes as (
    select * from {{ ref('dim_icd10_code') }}
),

final as (
    select
        cases.case_id,
        cases.test_set,
        -- the number of a real record can identify a person
        case when not cases.contains_phi then cases.record_id end as record_id,
        cases.gold_concept_id,
        cases.icd10_code,
        codes.chapter_code as icd10_chapter_code,
        codes.block_code as icd10_block_code,
        codes.category_code as icd10_category_code,
        codes.path as icd10_path,
        cases.gold_name,
        cases.gold_written,
        cases.gold_diagnosis,
        cases.gold_codes,
        cases.gold_names,
        cases.gold_severity,
        cases.gold_code_source,
        cases.outcome,
        codes.chapter_title as icd10_chapter_title,
        codes.block_title as icd10_block_title,
        codes.category_title as icd10_category_title,
        cases.language,
        cases.phenotype_language,
        cases.sex,
        {{ age_band("cases.age_years") }} as age_band,
        cases.presenting_complaint,
        cases.frame,
        cases.narrative,
        sha256(cases.narrative || cases.gold_diagnosis) as content_hash,
        cases.case_number::integer as case_number,
        cases.age_years,
        cases.age_years <= 15 as is_pediatric,
        cases.contains_phi,
        {{ is_holdout("cases.case_id") }} as is_holdout,
    from cases
    left join codes on cases.icd10_code = codes.code
)

select * from final
