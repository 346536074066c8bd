with final as (
    select
        test_set,
        source_file,
        source_line,
        issue_number,
        field,
        value,
        reason,
        is_record_lost,
    from {{ ref('int_test_sets__record_issues') }}
)

select * from final
