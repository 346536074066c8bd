with records as (
    select
        test_set,
        record_number,
        source_file,
        source_hash,
        source_format,
        source_line,
        record_id,
        language,
        frame,
        is_for_reading,
        narrative as one_text,
        reason,
        history,
        background,
        examination,
        complementary,
        severity,
        judgement,
        icd10_code,
        coalesce(
            gold_written, judgement, array_to_string(gold_names, ' / '),
            array_to_string(gold_codes, ', '), icd10_code
        ) as gold_written,
        gold_names,
        gold_codes,
        sex,
        age,
        ta_max,
        ta_min,
        frec_cardiaca,
        temperatura,
        sat_oxigeno,
        glucemia,
        diuresis,
        discharge_reason,
        ward_days,
        icu_days,
        contains_phi,
        {{ normalise_name("judgement") }} as judgement_normalised,
        {{ clean_icd10_code("icd10_code") }} as clean_code,
        {{ stated_parts("judgement") }} as parts,
        bool_or({{ normalise_name("sex") }} in ('h', 'v')) over (partition by test_set)
            as writes_spanish_initials,
    from {{ ref('int_test_sets__records') }}
),

codes as (
    select
        code,
        category_code,
        title,
    from {{ ref('dim_icd10_code') }}
    where kind not in ('chapter', 'block')
),

text_codes as (
    select * from {{ ref('int_test_sets__judgement_codes') }}
),

readings as (
    select * from {{ ref('int_test_sets__judgement_readings') }}
),

-- the principal diagnosis stands first
principal as (
    select
        readings.test_set,
        readings.record_number,
        readings.concept_id as icd10_code,
        if(readings.rule = 'name', 'name', 'abbreviation') as read_by,
    from readings
    inner join codes on readings.concept_id = codes.code
    where
        readings.part_number = 1 and readings.is_whole_part
        and readings.status = 'resolved' and readings.vocabulary = 'icd10cm'
),

read_parts as (
    select
        test_set,
        record_number,
        part_number,
        min(mention) filter (where is_whole_part) as part,
        list(mention) filter (where meaning is not null and rule != 'name') as mentions,
        list(meaning) filter (where meaning is not null and rule != 'name') as meanings,
    from readings
    group by all
),

spelled_out_parts as (
    select
        test_set,
        record_number,
        part_number,
        -- the linter knows no lambda of two names yet
        {{ spell_out("part", "mentions", "meanings") }} as part,  -- noqa: PRS
    from read_parts
),

spelled_out as (
    select
        test_set,
        record_number,
        list(part order by part_number) filter (where part is not null) as parts,
    from spelled_out_parts
    group by all
),

diseases as (
    select
        links.test_set,
        links.record_number,
        links.disease_id,
        diseases.disease_name,
        disease_codes.icd10_code,
    from {{ ref('int_test_sets__record_diseases') }} as links
    inner join {{ ref('dim_disease') }} as diseases on links.disease_id = diseases.disease_id
    left join {{ ref('int_test_sets__disease_icd10') }} as disease_codes
        on links.disease_id = disease_codes.disease_id
),

disease_names as (
    select
        concept_id as disease_id,
        list(alias order by alias) as names,
    from {{ ref('dim_concept_alias') }}
    where vocabulary = 'disease' and scope = 'exact'
    group by all
),

-- a term written twice, as two ids of it or as seen and not seen, is one line of the case
record_terms as (
    select
        written.test_set,
        written.record_number,
        terms.hpo_name,
        coalesce(names.name, terms.hpo_name) as written_name,
        coalesce(names.name_language, 'en') as written_language,
        bool_and(written.is_excluded) as is_excluded,
    from {{ ref('int_test_sets__record_phenotypes') }} as written
    inner join records
        on
            written.test_set = records.test_set
            and written.record_number = records.record_number
    inner join {{ ref('dim_hpo_term') }} as terms on written.hpo_id = terms.hpo_id
    left join {{ ref('dim_hpo_term_translation') }} as names
        on written.hpo_id = names.hpo_id and records.language = names.language
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

-- the typed code stands unless nobody knows it, or what the clinician wrote is elsewhere coded
-- under another heading; the reason is kept
coded as (
    select
        records.test_set,
        records.record_number,
        case
            when records.judgement is null and records.clean_code is null
                then coalesce(diseases.icd10_code, principal.icd10_code)
            when
                typed.code is not null
                and (
                    text_codes.category_code is null
                    or text_codes.category_code = typed.category_code
                )
                then typed.code
            when text_codes.icd10_code is not null then text_codes.icd10_code
            else coalesce(typed.code, principal.icd10_code)
        end as icd10_code,
        case
            when records.judgement is null and records.clean_code is null
                then
                    case
                        when diseases.icd10_code is not null then 'disease'
                        else coalesce(principal.read_by, 'none')
                    end
            when
                typed.code is not null
                and (
                    text_codes.category_code is null
                    or text_codes.category_code = typed.category_code
                )
                then if(records.icd10_code = typed.code, 'typed', 'typed, rewritten')
            when text_codes.icd10_code is not null and typed.code is not null
                then 'judgement against typed'
            when text_codes.icd10_code is not null then 'judgement'
            else coalesce(principal.read_by, 'none')
        end as gold_code_source,
    from records
    left join codes as typed on records.clean_code = typed.code
    left join text_codes
        on
            records.test_set = text_codes.test_set
            and records.judgement_normalised = text_codes.judgement_normalised
    left join principal
        on
            records.test_set = principal.test_set
            and records.record_number = principal.record_number
    left join diseases
        on
            records.test_set = diseases.test_set
            and records.record_number = diseases.record_number
),

measured as (
    select
        records.test_set,
        records.record_number,
        records.source_file,
        records.source_hash,
        records.source_format,
        records.source_line,
        records.record_id,
        records.language,
        records.frame,
        records.is_for_reading,
        records.one_text,
        records.reason,
        records.history,
        records.background,
        records.examination,
        records.complementary,
        records.severity,
        records.judgement,
        records.icd10_code,
        records.gold_written,
        records.gold_names,
        records.gold_codes,
        records.parts,
        records.age,
        spelled_out.parts as spelled_out,
        records.contains_phi,
        coded.icd10_code as gold_icd10_code,
        coded.gold_code_source,
        titles.title as icd10_title,
        diseases.disease_id,
        diseases.disease_name,
        list_distinct(
            coalesce(disease_names.names, []) || coalesce(records.gold_names, [])
        ) as disease_other_names,
        phenotypes.names as phenotype_names,
        phenotypes.excluded_names,
        phenotypes.phenotype_language,
        {{ sex_of("records.sex", "records.writes_spanish_initials") }} as sex_read,
        {{ age_in_years("records.age") }} as age_years,
        {{ vital_sign("records.ta_max", 30, 300) }} as systolic,
        {{ vital_sign("records.ta_min", 10, 200) }} as diastolic,
        {{ vital_sign("records.frec_cardiaca", 15, 300) }} as heart_rate,
        {{ vital_sign("records.temperatura", 25, 45) }} as temperature_c,
        {{ vital_sign("records.sat_oxigeno", 30, 100) }} as saturation,
        {{ vital_sign("records.glucemia", 5, 2500) }} as glucose,
        {{ vital_sign("records.diuresis", 0, 20000) }} as urine_ml,
        {{ encounter_outcome(
            "records.discharge_reason",
            "try_cast(records.ward_days as double)",
            "try_cast(records.icu_days as double)",
        ) }} as outcome,
    from records
    inner join coded
        on
            records.test_set = coded.test_set
            and records.record_number = coded.record_number
    left join codes as titles on coded.icd10_code = titles.code
    left join diseases
        on
            records.test_set = diseases.test_set
            and records.record_number = diseases.record_number
    left join disease_names on diseases.disease_id = disease_names.disease_id
    left join spelled_out
        on
            records.test_set = spelled_out.test_set
            and records.record_number = spelled_out.record_number
    left join phenotypes
        on
            records.test_set = phenotypes.test_set
            and records.record_number = phenotypes.record_number
),

named as (
    select
        test_set,
        record_number,
        source_file,
        source_hash,
        source_format,
        source_line,
        record_id,
        language,
        frame,
        is_for_reading,
        one_text,
        reason,
        history,
        background,
        examination,
        complementary,
        severity,
        judgement,
        icd10_code,
        gold_written,
        gold_names,
        gold_codes,
        parts,
        age,
        contains_phi,
        gold_icd10_code,
        gold_code_source,
        disease_id,
        phenotype_names,
        excluded_names,
        phenotype_language,
        sex_read,
        age_years,
        systolic,
        diastolic,
        heart_rate,
        temperature_c,
        saturation,
        glucose,
        urine_ml,
        outcome,
        coalesce(
            disease_name, icd10_title, gold_names[1], parts[1], gold_codes[1], icd10_code
        ) as gold_name,
        list_filter(
            list_distinct(
                if(
                    disease_id is null,
                    coalesce(parts, gold_names) || coalesce(spelled_out, []),
                    disease_other_names
                )
            ),
            lambda name: {{ normalise_name("name") }} != {{ normalise_name(
                "coalesce(disease_name, icd10_title, gold_names[1], parts[1], '')"
            ) }}
        ) as other_names,
        case
            when
                one_text is null and history is null and examination is null and reason is null
                and phenotype_names is null
                then 'no clinical text and no known phenotype'
            when
                not is_for_reading
                and judgement is null and icd10_code is null
                and gold_names is null and gold_codes is null
                then 'neither a diagnosis nor a code'
        end as reject_reason,
        {{ narrative_phenotypes("language", "frame", "phenotype_names", "excluded_names") }}
            as phenotype_list,
    from measured
),

final as (
    select
        {{ case_id("test_set", "record_number") }} as case_id,
        test_set,
        source_file,
        source_hash,
        source_format,
        record_id,
        disease_id as gold_concept_id,
        gold_icd10_code as icd10_code,
        gold_name,
        gold_written,
        is_for_reading,
        case
            when len(parts) > 1
                then
                    'Comorbid diagnosis: ' || gold_name || ' also known as '
                    || array_to_string(parts, ' + ')
            else {{ gold_diagnosis("gold_name", "coalesce(list_sort(other_names), [])") }}
        end as gold_diagnosis,
        coalesce(
            gold_codes, case when gold_icd10_code is not null then [gold_icd10_code] end, []
        ) as gold_codes,
        [gold_name] || coalesce(list_sort(other_names), []) as gold_names,
        gold_code_source,
        case
            when outcome in ('death', 'critical') then 'critical'
            when outcome = 'severe' then 'severe'
            when lower(severity) in ('mild', 'moderate', 'severe', 'critical', 'rare')
                then lower(severity)
            when
                disease_id is not null
                and source_format in ('rarebench', 'phenopacket', 'synthetic_v2')
                then 'rare'
        end as gold_severity,
        outcome,
        language,
        phenotype_language,
        sex_read as sex,
        reason as presenting_complaint,
        frame,
        {%- set vital_signs = [
            "systolic", "diastolic", "heart_rate", "temperature_c", "saturation", "glucose",
            "urine_ml",
        ] %}
        case
            when one_text is not null then one_text
            when frame = 'source'
                then {{ narrative_source(
                    "language",
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
        contains_phi,
    from named
)

select * from final
