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

names as (
    select * from {{ ref('dim_concept_alias') }}
    where scope in ('preferred', 'exact')
),

uncoded_names as (
    select
        case_id,
        {{ american_spelling(normalise_name("unnest(gold_names)")) }} as name,
    from cases
    where icd10_code is null
    union
    select
        cases.case_id,
        names.alias_normalised as name,
    from cases
    inner join names on cases.gold_concept_id = names.concept_id
    where cases.icd10_code is null
),

organ_systems as (
    select * from {{ ref('organ_system') }}
),

-- ICD-10 has no code for most rare diseases; the body system above them in Mondo says in which
-- chapter they would stand
systems_by_class as (
    select
        uncoded_names.case_id,
        organ_systems.chapter_code,
        organ_systems.priority,
        ancestors.distance as order_within,
    from uncoded_names
    inner join names
        on uncoded_names.name = names.alias_normalised and names.vocabulary = 'mondo'
    inner join {{ ref('bridge_disease_class_ancestor') }} as ancestors
        on names.concept_id = ancestors.mondo_id
    inner join organ_systems on ancestors.ancestor_mondo_id = organ_systems.concept_id
),

-- and where Mondo has another name for the disease, the system most of its findings are of
systems_by_findings as (
    select
        cases.case_id,
        organ_systems.chapter_code,
        organ_systems.priority,
        -count(distinct findings.hpo_id) as order_within,
    from cases
    inner join {{ ref('bridge_disease_phenotype') }} as findings
        on cases.gold_concept_id = findings.disease_id
    inner join {{ ref('bridge_hpo_ancestor') }} as ancestors on findings.hpo_id = ancestors.hpo_id
    inner join organ_systems on ancestors.ancestor_hpo_id = organ_systems.concept_id
    where cases.icd10_code is null
    group by all
),

all_systems as (
    select * from systems_by_class
    union all
    select * from systems_by_findings
),

systems as (
    select
        case_id,
        first(chapter_code order by priority, order_within, chapter_code) as chapter_code,
    from all_systems
    group by all
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
        coalesce(codes.chapter_code, systems.chapter_code) as organ_system,
        cases.gold_name,
        cases.gold_written,
        cases.gold_diagnosis,
        cases.gold_codes,
        cases.gold_names,
        cases.gold_severity,
        cases.gold_code_source,
        cases.outcome,
        codes.chapter_title as icd10_chapter_title,
        coalesce(codes.chapter_title, chapters.title) as organ_system_title,
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
    left join systems on cases.case_id = systems.case_id
    left join codes as chapters on systems.chapter_code = chapters.code
)

select * from final
