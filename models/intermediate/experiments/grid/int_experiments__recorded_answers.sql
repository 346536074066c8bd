with answers as (
    select * from {{ ref('stg_runs__answer') }}
),

members as (
    select * from {{ ref('bridge_test_set_case') }}
),

-- the case of an answer was decided at import, where gold diagnoses could be compared
final as (
    select
        answers.configuration_id,
        answers.case_id,
        sha256(answers.configuration_id || ' ' || answers.case_id || ' ' || answers.content_hash)
            as answer_key,
        answers.case_ref,
        answers.output_format,
        answers.answer_text,
        answers.diagnoses,
        nullif(answers.gold_written, '') as gold_written,
        answers.gold_agreement,
        answers.matched_by,
        {{ place_in_file("answers.source_file", "answers.source_row") }} as recorded_in,
        len(answers.diagnoses) = 0 as is_text,
    from answers
    inner join members
        on answers.test_set = members.test_set and answers.case_id = members.case_id
)

select * from final
