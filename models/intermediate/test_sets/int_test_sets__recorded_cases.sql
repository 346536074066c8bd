-- A record as a case: the patient and the text a system reads, or the reason why there is none. The
-- right answer is in int_test_sets__recorded_golds.
with records as (
    select
        *,
        {{ writes_spanish_initials("sex") }} as writes_spanish_initials,
    from {{ ref('int_test_sets__records') }}
),

written_terms as (
    select * from {{ ref('int_test_sets__record_phenotypes') }}
),

terms as (
    select * from {{ ref('dim_hpo_term') }}
),

translations as (
    select * from {{ ref('dim_hpo_term_translation') }}
),

-- a term written twice, as two ids of it or as seen and not seen, is one line of the case
record_terms as (
    select
        records.test_set,
        records.record_number,
        terms.hpo_name,
        coalesce(translations.name, terms.hpo_name) as written_name,
        coalesce(translations.name_language, 'en') as written_language,
        bool_and(written_terms.is_excluded) as is_excluded,
    from written_terms
    inner join records
        on
            written_terms.test_set = records.test_set
            and written_terms.record_number = records.record_number
    inner join terms on written_terms.hpo_id = terms.hpo_id
    left join translations
        on
            written_terms.hpo_id = translations.hpo_id
            and records.language = translations.language
    group by all
),

phenotypes as (
    select
        test_set,
        record_number,
        list(written_name order by hpo_name) filter (where not is_excluded) as names,
        list(written_name order by hpo_name) filter (where is_excluded) as excluded_names,
        {{ phenotype_language("written_language") }} as phenotype_language,
    from record_terms
    group by all
),

-- a value that nobody survives counts as not measured: bounds in the units of the extract
patients as (
    select
        records.*,
        -- the reason of a generated record is neutral, as in the source; a patient's own is kept
        records.source_file = 'generated' as is_generated,
        {{ sex_of("records.sex", "records.writes_spanish_initials") }} as sex_read,
        {{ age_in_years("records.age") }} as age_years,
        {{ vital_sign("records.ta_max", 30, 300) }} as systolic,
        {{ vital_sign("records.ta_min", 10, 200) }} as diastolic,
        {{ vital_sign("records.frec_cardiaca", 15, 300) }} as heart_rate,
        {{ vital_sign("records.temperatura", 25, 45) }} as temperature_c,
        {{ vital_sign("records.sat_oxigeno", 30, 100) }} as saturation,
        {{ vital_sign("records.glucemia", 5, 2500) }} as glucose,
        {{ vital_sign("records.diuresis", 0, 20000) }} as urine_ml,
        phenotypes.phenotype_language,
        {{ narrative_phenotypes(
            "records.language", "records.frame", "phenotypes.names", "phenotypes.excluded_names"
        ) }} as phenotype_list,
        case
            when
                records.narrative is null and records.history is null
                and records.examination is null and records.reason is null
                and phenotypes.names is null
                then 'no clinical text and no known phenotype'
            when
                not records.is_for_reading
                and records.judgement is null and records.icd10_code is null
                and records.gold_names is null and records.gold_codes is null
                then 'neither a diagnosis nor a code'
        end as reject_reason,
    from records
    left join phenotypes
        on
            records.test_set = phenotypes.test_set
            and records.record_number = phenotypes.record_number
),

{%- set vital_signs = [
    "systolic", "diastolic", "heart_rate", "temperature_c", "saturation", "glucose", "urine_ml",
] %}

final as (
    select
        {{ case_id("test_set", "record_number") }} as case_id,
        test_set,
        source_file,
        source_format,
        record_id,
        language,
        phenotype_language,
        sex_read as sex,
        reason as presenting_complaint,
        frame,
        -- a case that came as one text keeps it, byte for byte
        case
            when narrative is not null then narrative
            when frame = 'source'
                then {{ narrative_source(
                    "language",
                    "if(is_generated, null, reason)",
                    narrative_patient("language", "sex_read", "age_years"),
                    "history",
                    "phenotype_list",
                    "background",
                    "examination",
                    narrative_tests("language", *vital_signs, complementary="complementary"),
                ) }}
            else {{ narrative_plain(
                "language",
                "sex_read",
                "age",
                "reason",
                "history",
                "phenotype_list",
                "background",
                "examination",
                "nullif(concat_ws(e'\\n', "
                ~ narrative_vital_signs("language", *vital_signs) ~ ", complementary), '')",
            ) }}
        end as narrative,
        reject_reason,
        record_number as case_number,
        source_line,
        age_years,
        is_for_reading,
        contains_phi,
    from patients
)

select * from final
