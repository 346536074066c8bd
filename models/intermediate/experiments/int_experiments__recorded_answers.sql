with answers as (
    select
        configuration_id,
        test_set,
        case_ref,
        is_by_order,
        gold_written,
        output_format,
        answer_text,
        diagnoses,
        content_hash,
        source_file,
        source_row,
    from {{ ref('stg_runs__answer') }}
),

-- a set may hold cases that came with another: there each has a number of its own, and keeps its
-- names
cases as (
    select
        members.test_set,
        members.case_number,
        cases.case_id,
        cases.test_set as own_test_set,
        cases.record_id,
        cases.gold_diagnosis,
    from {{ ref('bridge_test_set_case') }} as members
    inner join {{ ref('dim_case') }} as cases on members.case_id = cases.case_id
),

-- an id goes before the number of another case
names as (
    select
        test_set,
        case_id,
        gold_diagnosis,
        unnest([
            { case_ref: case_id, precedence: 1 },
            { case_ref: substr(case_id, length(own_test_set) + 2), precedence: 2 },
            { case_ref: record_id, precedence: 3 },
            { case_ref: case_number::varchar, precedence: 4 }
        ], recursive := true),
    from cases
),

candidates as (
    select
        answers.configuration_id,
        answers.case_ref,
        names.case_id,
        names.gold_diagnosis,
        names.precedence,
    from answers
    inner join names on answers.test_set = names.test_set and answers.case_ref = names.case_ref
    where not answers.is_by_order
    union all
    -- a file without ids is in the order of the cases; 007 is number 7 where numbers are the ids
    select
        answers.configuration_id,
        answers.case_ref,
        cases.case_id,
        cases.gold_diagnosis,
        5 as precedence,
    from answers
    inner join cases
        on
            answers.test_set = cases.test_set
            and try_cast(answers.case_ref as integer) = cases.case_number
    where answers.is_by_order or cases.test_set = cases.own_test_set
),

-- what two cases of a set made of several are called names neither
matched as (
    select
        configuration_id,
        case_ref,
        case_id,
        gold_diagnosis,
    from candidates
    qualify
        rank() over (partition by configuration_id, case_ref order by precedence) = 1
        and count(*) over (partition by configuration_id, case_ref, precedence) = 1
),

final as (
    select
        matched.configuration_id,
        matched.case_id,
        sha256(matched.configuration_id || ' ' || matched.case_id || ' ' || answers.content_hash)
            as answer_key,
        matched.case_ref,
        answers.output_format,
        answers.answer_text,
        answers.diagnoses,
        nullif(answers.gold_written, '') as gold_written,
        answers.source_file || ', row ' || answers.source_row as recorded_in,
        len(answers.diagnoses) = 0 as is_text,
        coalesce(answers.gold_written, '') != ''
        and jaro_winkler_similarity(
            {{ normalise_name("answers.gold_written") }},
            {{ normalise_name("matched.gold_diagnosis") }}
        ) < {{ parameter('recorded_gold_similarity') }}
        and not contains(
            {{ normalise_name("matched.gold_diagnosis") }},
            {{ normalise_name("answers.gold_written") }}
        ) as is_gold_worded_differently,
    from matched
    inner join answers using (configuration_id, case_ref)
    -- two references to one case are one answer: the first of the file
    qualify
        row_number() over (
            partition by matched.configuration_id, matched.case_id
            order by answers.source_row
        ) = 1
)

select * from final
