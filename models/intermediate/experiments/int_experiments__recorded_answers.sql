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

cases as (
    select
        case_id,
        test_set,
        record_id,
        case_number,
        gold_diagnosis,
    from {{ ref('dim_case') }}
),

-- an id goes before the number of another case, and a file without ids is in the order of the cases
candidates as (
    select
        answers.configuration_id,
        answers.case_ref,
        cases.case_id,
        cases.gold_diagnosis,
        case
            when answers.is_by_order then 5
            when cases.case_id = answers.case_ref then 1
            when cases.case_id = answers.test_set || '/' || answers.case_ref then 2
            when cases.record_id = answers.case_ref then 3
            else 4
        end as precedence,
    from answers
    inner join cases
        on
            answers.test_set = cases.test_set
            and (
                cases.case_number = try_cast(answers.case_ref as integer)
                or (
                    not answers.is_by_order
                    and (
                        answers.case_ref = cases.record_id
                        or cases.case_id in (
                            answers.case_ref, answers.test_set || '/' || answers.case_ref
                        )
                    )
                )
            )
),

matched as (
    select
        configuration_id,
        case_ref,
        case_id,
        gold_diagnosis,
    from candidates
    qualify
        row_number() over (partition by configuration_id, case_ref order by precedence, case_id) = 1
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
