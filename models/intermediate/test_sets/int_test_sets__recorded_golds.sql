-- The right answer of a record: its code and the evidence for it, its names and its severity.
with records as (
    select
        *,
        {{ normalise_name("judgement") }} as judgement_normalised,
        {{ clean_icd10_code("icd10_code") }} as clean_code,
        {{ stated_parts("judgement") }} as parts,
        {{ encounter_outcome(
            "discharge_reason", "try_cast(ward_days as double)", "try_cast(icu_days as double)"
        ) }} as outcome,
    from {{ ref('int_test_sets__records') }}
),

codes as (
    select *
    from {{ ref('dim_icd10_code') }}
    where kind not in ('chapter', 'block')
),

text_codes as (
    select * from {{ ref('int_test_sets__judgement_codes') }}
),

readings as (
    select * from {{ ref('int_test_sets__judgement_readings') }}
),

record_diseases as (
    select * from {{ ref('int_test_sets__record_diseases') }}
),

diseases as (
    select * from {{ ref('dim_disease') }}
),

aliases as (
    select * from {{ ref('dim_concept_alias') }}
),

{{ codes_of_diseases() }},

disease_names as (
    select
        concept_id as disease_id,
        list(alias order by alias) as names,
    from aliases
    where vocabulary = 'disease' and scope = 'exact'
    group by all
),

-- the principal diagnosis comes first
principal as (
    select
        readings.test_set,
        readings.record_number,
        readings.concept_id as icd10_code,
        if(readings.rule = 'name', 'name', 'abbreviation') as read_by,
    from readings
    semi join codes on readings.concept_id = codes.code
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

-- all evidence of the diagnosis on one row
evidence as (
    select
        records.* exclude (parts, gold_names),
        record_diseases.several_names,
        coalesce(record_diseases.several_names, records.parts) as parts,
        coalesce(
            record_diseases.several_names || list_filter(
                records.gold_names,
                lambda name: not list_contains(record_diseases.several_names, name)
            ),
            records.gold_names,
            record_diseases.class_names
        ) as gold_names,
        typed.code as typed_code,
        typed.category_code as typed_category,
        text_codes.icd10_code as usual_code,
        text_codes.category_code as usual_category,
        principal.icd10_code as read_code,
        principal.read_by,
        diseases.disease_id,
        diseases.disease_name,
        disease_codes.icd10_code as disease_code,
        coalesce(disease_names.names, []) as disease_names,
        coalesce(spelled_out.parts, []) as spelled_out,
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
    left join spelled_out
        on
            records.test_set = spelled_out.test_set
            and records.record_number = spelled_out.record_number
    left join record_diseases
        on
            records.test_set = record_diseases.test_set
            and records.record_number = record_diseases.record_number
    left join diseases on record_diseases.disease_id = diseases.disease_id
    left join disease_codes on record_diseases.disease_id = disease_codes.disease_id
    left join disease_names on record_diseases.disease_id = disease_names.disease_id
),

-- the typed code stands unless it is unknown, or the clinician's wording is coded under another
-- heading elsewhere
decided as (
    select
        *,
        case
            when judgement is null and clean_code is null
                then if(disease_code is not null, 'disease', coalesce(read_by, 'none'))
            when
                typed_code is not null
                and coalesce(usual_category = typed_category, true)
                then if(icd10_code = typed_code, 'typed', 'typed, rewritten')
            when usual_code is not null and typed_code is not null
                then 'judgement against typed'
            when usual_code is not null then 'judgement'
            else coalesce(read_by, 'none')
        end as gold_code_source,
        case
            when gold_code_source in ('typed', 'typed, rewritten') then typed_code
            when gold_code_source in ('judgement', 'judgement against typed') then usual_code
            when gold_code_source = 'disease' then disease_code
            else read_code
        end as gold_icd10_code,
    from evidence
),

-- the terminology's name before the record's own words
named as (
    select
        decided.*,
        coalesce(
            decided.disease_name, codes.title, decided.gold_names[1], decided.parts[1],
            decided.gold_codes[1], decided.icd10_code
        ) as gold_name,
        if(
            decided.disease_id is null,
            coalesce(
                if(decided.several_names is null, decided.parts, decided.gold_names),
                decided.gold_names
            ) || decided.spelled_out,
            decided.disease_names || coalesce(decided.gold_names, [])
        ) as all_names,
    from decided
    left join codes on decided.gold_icd10_code = codes.code
),

other_named as (
    select
        *,
        coalesce(
            list_sort(
                list_filter(
                    list_distinct(all_names),
                    lambda name:
                    {{ normalise_name("name") }} != {{ normalise_name("gold_name") }}
                )
            ),
            []
        ) as other_names,
    from named
),

final as (
    select
        {{ case_id("test_set", "record_number") }} as case_id,
        disease_id as gold_concept_id,
        gold_icd10_code as icd10_code,
        gold_code_source,
        gold_name,
        coalesce(
            gold_written, judgement, array_to_string(gold_names, ' / '),
            array_to_string(gold_codes, ', '), icd10_code
        ) as gold_written,
        case
            when len(parts) > 1
                then
                    'Comorbid diagnosis: ' || gold_name || ' also known as '
                    || array_to_string(parts, ' + ')
            else {{ gold_diagnosis("gold_name", "other_names") }}
        end as gold_diagnosis,
        coalesce(
            gold_codes, case when gold_icd10_code is not null then [gold_icd10_code] end, []
        ) as gold_codes,
        [gold_name] || other_names as gold_names,
        case
            when outcome in ('death', 'critical') then 'critical'
            when outcome = 'severe' then 'severe'
            when lower(severity) in ('mild', 'moderate', 'severe', 'critical', 'rare')
                then lower(severity)
        end as gold_severity,  -- what nobody gave each judge grades, blind to the answers
        -- only a hospital's extract records the outcome of an encounter
        if(source_format = 'urg', outcome, 'not known') as outcome,
    from other_named
)

select * from final
