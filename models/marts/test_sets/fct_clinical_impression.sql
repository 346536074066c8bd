with readings as (
    select * from {{ ref('int_test_sets__judgement_readings') }}
),

cases as (
    select *
    from {{ ref('int_test_sets__recorded_cases') }}
    -- a rejected record is no case; rpt_record_issue has it
    where reject_reason is null
),

final as (
    select
        cases.case_id,
        readings.part_number::integer as part_number,
        readings.word_number::integer as word_number,
        readings.mention,
        readings.status,
        readings.rule,
        readings.concept_id,
        readings.vocabulary,
        readings.meaning,
        readings.reason,
        readings.candidates,
        readings.is_whole_part,
    from readings
    inner join cases
        on
            readings.test_set = cases.test_set
            and readings.record_number = cases.case_number
)

select * from final
