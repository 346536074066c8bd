-- Everything of a source that did not become part of a case as it stood: rows and fields the
-- reader refused, records without text or diagnosis, phenotypes and gold codes no terminology
-- knows.
with unread as (
    select
        test_set,
        source_file,
        source_line,
        field,
        null::varchar as value,
        reason,
        is_record_lost,
    from {{ ref('stg_cases__rejected_record') }}
),

cases as (
    select * from {{ ref('int_test_sets__recorded_cases') }}
),

codes as (
    select * from {{ ref('dim_icd10_code') }}
),

readings as (
    select * from {{ ref('int_test_sets__judgement_readings') }}
),

records as (
    select
        test_set,
        record_number,
        gold_codes,
        coalesce(gold_names, [judgement]) as gold_names,
        icd10_code as typed_code,
        age,
        contains_phi,
    from {{ ref('int_test_sets__records') }}
),

unusable as (
    select
        test_set,
        source_file,
        source_line,
        case
            when reject_reason like 'neither%' then 'gold diagnosis' else 'case text'
        end as field,
        null::varchar as value,
        reject_reason as reason,
        true as is_record_lost,
    from cases
    where reject_reason is not null
),

unknown_phenotypes as (
    select
        cases.test_set,
        cases.source_file,
        cases.source_line,
        'phenotype' as field,
        phenotypes.written_as as value,
        'no current HPO term under this id or name; left out of the case' as reason,
        false as is_record_lost,
    from {{ ref('int_test_sets__record_phenotypes') }} as phenotypes
    inner join cases
        on
            phenotypes.test_set = cases.test_set
            and phenotypes.record_number = cases.case_number
    where phenotypes.hpo_id is null
),

contradictory_phenotypes as (
    select
        cases.test_set,
        cases.source_file,
        cases.source_line,
        'phenotype' as field,
        phenotypes.hpo_id as value,
        'reported as seen and as not seen; taken as seen' as reason,
        false as is_record_lost,
    from {{ ref('int_test_sets__record_phenotypes') }} as phenotypes
    inner join cases
        on
            phenotypes.test_set = cases.test_set
            and phenotypes.record_number = cases.case_number
    where phenotypes.hpo_id is not null
    group by all
    having count(distinct phenotypes.is_excluded) = 2
),

known_ids as (
    select upper(source_disease_id) as id
    from {{ ref('int_test_sets__gold_id') }}
    union
    select code as id
    from codes
),

written_ids as (
    select
        test_set,
        record_number,
        unnest(gold_codes) as written_as,
    from records
),

unknown_gold_codes as (
    select distinct
        cases.test_set,
        cases.source_file,
        cases.source_line,
        'gold code' as field,
        written_ids.written_as as value,
        case
            when cases.gold_concept_id is null and cases.icd10_code is null
                then 'no terminology has this id; the case is kept'
            else 'no terminology has this id; the case is known by what else it carries'
        end as reason,
        false as is_record_lost,
    from written_ids
    inner join cases
        on
            written_ids.test_set = cases.test_set
            and written_ids.record_number = cases.case_number
    left join known_ids
        on
            {{ disease_id_as_written("written_ids.written_as") }} = known_ids.id
            or {{ clean_icd10_code("written_ids.written_as") }} = known_ids.id
    where cases.reject_reason is null and known_ids.id is null
),

written_names as (
    select
        test_set,
        record_number,
        contains_phi,
        unnest(gold_names) as written_as,
    from records
),

unknown_gold_names as (
    select distinct
        cases.test_set,
        cases.source_file,
        cases.source_line,
        'gold name' as field,
        case when not written_names.contains_phi then written_names.written_as end as value,
        'no terminology has this name as written; the case is kept' as reason,
        false as is_record_lost,
    from written_names
    inner join cases
        on
            written_names.test_set = cases.test_set
            and written_names.record_number = cases.case_number
    where
        cases.reject_reason is null
        and cases.gold_concept_id is null
        and cases.icd10_code is null
        and written_names.written_as is not null
),

ambiguous_abbreviations as (
    select distinct
        cases.test_set,
        cases.source_file,
        cases.source_line,
        'gold name' as field,
        readings.mention as value,
        'ambiguous: ' || readings.reason || '; left as written' as reason,
        false as is_record_lost,
    from readings
    inner join cases
        on readings.test_set = cases.test_set and readings.record_number = cases.case_number
    where cases.reject_reason is null and readings.status = 'ambiguous'
),

contradicted_codes as (
    select
        cases.test_set,
        cases.source_file,
        cases.source_line,
        'ICD-10 code' as field,
        cases.icd10_code as value,
        'the judgement reads as ' || readings.concept_id
        || ', of another chapter; the typed code is kept' as reason,
        false as is_record_lost,
    from cases
    inner join readings
        on cases.test_set = readings.test_set and cases.case_number = readings.record_number
    -- wordings that the set itself codes the same way over and over are usage, not error
    anti join {{ ref('int_test_sets__judgement_codes') }} as usual_codes
        on
            cases.test_set = usual_codes.test_set
            and {{ normalise_name("readings.mention") }} = usual_codes.judgement_normalised
    inner join codes on cases.icd10_code = codes.code
    inner join codes as read_codes
        on readings.concept_id = read_codes.code and readings.vocabulary = 'icd10cm'
    where
        cases.reject_reason is null
        and cases.gold_code_source in ('typed', 'typed, rewritten')
        and readings.part_number = 1
        and readings.is_whole_part
        and read_codes.chapter_code != codes.chapter_code
),

corrected_codes as (
    select
        cases.test_set,
        cases.source_file,
        cases.source_line,
        'ICD-10 code' as field,
        records.typed_code as value,
        case
            when cases.icd10_code is null then 'no such code; the case is kept without one'
            else 'not the code of this judgement; ' || cases.icd10_code || ' taken'
        end as reason,
        false as is_record_lost,
    from cases
    inner join records
        on cases.test_set = records.test_set and cases.case_number = records.record_number
    where
        cases.reject_reason is null
        and records.typed_code is not null
        and {{ clean_icd10_code("records.typed_code") }} is distinct from cases.icd10_code
),

unread_values as (
    select
        cases.test_set,
        cases.source_file,
        cases.source_line,
        'age' as field,
        null::varchar as value,
        'no age in years, months or days; left unknown' as reason,
        false as is_record_lost,
    from cases
    inner join records
        on cases.test_set = records.test_set and cases.case_number = records.record_number
    where records.age is not null and {{ age_in_years("records.age") }} is null
),

everything as (
    {%- for part in [
        "unread", "unusable", "unknown_phenotypes", "contradictory_phenotypes",
        "unknown_gold_codes", "unknown_gold_names", "ambiguous_abbreviations", "corrected_codes",
        "contradicted_codes", "unread_values",
    ] %}

        select
            test_set,
            source_file,
            source_line,
            field,
            value,
            reason,
            is_record_lost,
        from {{ part }}
        {%- if not loop.last %}
            union all
        {%- endif %}
    {%- endfor %}
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
    from everything
)

select * from final
