-- Everything in a source that did not become part of a case unchanged: one CTE for each way in
-- which that happens. Rejects of the reader have no case_id, all other issues have one.
with codes as (
    select * from {{ ref('dim_icd10_code') }}
),

readings as (
    select * from {{ ref('int_test_sets__judgement_readings') }}
),

records as (
    select
        cases.case_id,
        cases.test_set,
        cases.case_number as record_number,
        cases.source_file,
        cases.source_line,
        cases.reject_reason,
        cases.sex,
        written.sex as written_sex,
        written.age,
        written.gold_codes as written_ids,
        coalesce(written.gold_names, [written.judgement]) as written_names,
        written.icd10_code as typed_code,
        written.contains_phi,
        golds.icd10_code,
        golds.gold_code_source,
        golds.gold_concept_id is not null or golds.icd10_code is not null as is_gold_known,
    from {{ ref('int_test_sets__recorded_cases') }} as cases
    inner join {{ ref('int_test_sets__recorded_golds') }} as golds
        on cases.case_id = golds.case_id
    inner join {{ ref('int_test_sets__records') }} as written
        on cases.test_set = written.test_set and cases.case_number = written.record_number
),

used_records as (
    select *
    from records
    where reject_reason is null
),

unusable_records as (
    select
        case_id,
        if(reject_reason like 'neither%', 'gold diagnosis', 'case text') as field,
        null as value,
        reject_reason as reason,
        true as is_record_lost,
    from records
    where reject_reason is not null
),

phenotypes as (
    select
        records.case_id,
        phenotypes.*,
    from {{ ref('int_test_sets__record_phenotypes') }} as phenotypes
    inner join records
        on
            phenotypes.test_set = records.test_set
            and phenotypes.record_number = records.record_number
),

unknown_phenotypes as (
    select
        case_id,
        'phenotype' as field,
        written_as as value,
        'no current HPO term under this id or name; left out of the case: write one of HPO, '
        || 'several with | or ; between them' as reason,
    from phenotypes
    where hpo_id is null
),

contradictory_phenotypes as (
    select
        case_id,
        'phenotype' as field,
        hpo_id as value,
        'reported as seen and as not seen; taken as seen' as reason,
    from phenotypes
    where hpo_id is not null
    group by all
    having count(distinct is_excluded) = 2
),

written_ids as (
    select
        case_id,
        is_gold_known,
        unnest(written_ids) as written_as,
    from used_records
),

known_ids as (
    select upper(source_disease_id) as id
    from {{ ref('bridge_disease_id') }}
    union
    select code as id
    from codes
    union
    select concept_id as id
    from {{ ref('dim_concept_alias') }}
    where vocabulary = 'mondo'
),

unknown_gold_ids as (
    select distinct
        written_ids.case_id,
        'gold code' as field,
        written_ids.written_as as value,
        if(
            written_ids.is_gold_known,
            'no terminology has this id; the case is known by what else it carries',
            'no terminology has this id; the case is kept'
        ) as reason,
    from written_ids
    left join known_ids
        on
            {{ disease_id_as_written("written_ids.written_as") }} = known_ids.id
            or {{ clean_icd10_code("written_ids.written_as") }} = known_ids.id
    where known_ids.id is null
),

written_names as (
    select
        case_id,
        contains_phi,
        unnest(written_names) as written_as,
    from used_records
    where not is_gold_known
),

-- a clinician's own words may name a patient, so they are not repeated here
unknown_gold_names as (
    select distinct
        case_id,
        'gold name' as field,
        case when not contains_phi then written_as end as value,
        'no terminology has this name as written; the case is kept' as reason,
    from written_names
    where written_as is not null
),

ambiguous_abbreviations as (
    select distinct
        used_records.case_id,
        'gold name' as field,
        readings.mention as value,
        'ambiguous: ' || readings.reason || '; left as written' as reason,
    from readings
    inner join used_records
        on
            readings.test_set = used_records.test_set
            and readings.record_number = used_records.record_number
    where readings.status = 'ambiguous'
),

contradictions as (
    select
        used_records.case_id,
        'ICD-10 code' as field,
        used_records.icd10_code as value,
        'the judgement reads as ' || readings.concept_id
        || ', of another chapter; the typed code is kept' as reason,
    from used_records
    inner join readings
        on
            used_records.test_set = readings.test_set
            and used_records.record_number = readings.record_number
    -- wordings that the set codes the same way again and again are usage, not errors
    anti join {{ ref('int_test_sets__judgement_codes') }} as usual_codes
        on
            used_records.test_set = usual_codes.test_set
            and {{ normalise_name("readings.mention") }} = usual_codes.judgement_normalised
    inner join codes on used_records.icd10_code = codes.code
    inner join codes as read_codes
        on readings.concept_id = read_codes.code and readings.vocabulary = 'icd10cm'
    where
        used_records.gold_code_source in ('typed', 'typed, rewritten')
        and readings.part_number = 1
        and readings.is_whole_part
        and read_codes.chapter_code != codes.chapter_code
    union all
    -- a name may be a patient's own words
    select
        records.case_id,
        'gold name' as field,
        case when not records.contains_phi then at_odds.written_as end as value,
        'the name is of ' || at_odds.disease_id || ', the id of ' || named.disease_id
        || '; the id decides, and the name is kept beside it: correct one of them' as reason,
    from (
        select
            test_set,
            record_number,
            disease_id,
            unnest(names_at_odds) as at_odds,
        from {{ ref('int_test_sets__record_diseases') }}
    ) as named
    inner join records
        on
            named.test_set = records.test_set
            and named.record_number = records.record_number
),

corrected_codes as (
    select
        case_id,
        'ICD-10 code' as field,
        typed_code as value,
        coalesce(
            'not the code of this judgement; ' || icd10_code || ' taken',
            'no such code; the case is kept without one'
        ) as reason,
    from used_records
    where
        typed_code is not null
        and {{ clean_icd10_code("typed_code") }} is distinct from icd10_code
),

-- the 1 and 2 of one registry are the 2 and 1 of the next
unread_values as (
    select
        case_id,
        'age' as field,
        null as value,
        'no age in years, months or days; left unknown: write 45, 3y 2m, 8 months, P3Y2M' as reason,
    from records
    where age is not null and {{ age_in_years("age") }} is null
    union all
    select
        case_id,
        'sex' as field,
        null as value,
        'neither female nor male as written; left unknown: write F or M, female or male' as reason,
    from records
    where sex = 'unknown' and written_sex is not null and not {{ says_sex_unknown("written_sex") }}
),

record_issues as (
    {%- for part in [
        "unusable_records", "unknown_phenotypes", "contradictory_phenotypes", "unknown_gold_ids",
        "unknown_gold_names", "ambiguous_abbreviations", "corrected_codes", "contradictions",
        "unread_values",
    ] %}
        select * from {{ part }}
        {%- if not loop.last %}
            union all by name
        {%- endif %}
    {%- endfor %}
),

issues as (
    select
        test_set,
        source_file,
        source_line,
        field,
        null as value,
        reason,
        is_record_lost,
    from {{ ref('stg_cases__rejected_record') }}
    union all
    select
        records.test_set,
        records.source_file,
        records.source_line,
        record_issues.field,
        record_issues.value,
        record_issues.reason,
        coalesce(record_issues.is_record_lost, false) as is_record_lost,
    from record_issues
    inner join records on record_issues.case_id = records.case_id
),

final as (
    select
        test_set,
        source_file,
        source_line,
        row_number() over (
            partition by test_set, source_file, source_line
            order by field, value, reason
        )::integer as issue_number,
        field,
        value,
        reason,
        is_record_lost,
    from issues
)

select * from final
