{{ config(tags=["tier1"]) }}

with lost_cases as (
    select cases.case_id
    from {{ ref('dim_case') }} as cases
    left join {{ ref('bridge_test_set_case') }} as members
        on cases.case_id = members.case_id and cases.test_set = members.test_set
    where members.case_id is null
),

lost_records as (
    select records.case_id
    from {{ ref('int_test_sets__recorded_cases') }} as records
    left join {{ ref('dim_case') }} as cases on records.case_id = cases.case_id
    left join {{ ref('rpt_record_issue') }} as issues
        on
            records.test_set = issues.test_set
            and records.source_file = issues.source_file
            and records.source_line = issues.source_line
            and issues.is_record_lost
    where cases.case_id is null and issues.test_set is null and not records.is_for_reading
),

final as (
    select case_id from lost_cases
    union all
    select case_id from lost_records
)

select * from final
