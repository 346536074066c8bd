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
    select
        test_set,
        source_file,
        source_line,
        case_number,
        gold_concept_id,
        icd10_code,
        gold_codes,
        reject_reason,
    from {{ ref('int_test_sets__recorded_cases') }}
),

records as (
    select
        test_set,
        record_number,
        icd10_code as typed_code,
        severity,
        age,
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

unknown_gold_codes as (
    select
        test_set,
        source_file,
        source_line,
        'gold code' as field,
        array_to_string(gold_codes, ', ') as value,
        'no terminology knows any of these codes; the case is kept' as reason,
        false as is_record_lost,
    from cases
    where
        reject_reason is null and gold_concept_id is null
        and icd10_code is null and len(gold_codes) > 0
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
        "unread", "unusable", "unknown_phenotypes", "unknown_gold_codes", "corrected_codes",
        "unread_values",
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
