with final as (
    select
        test_set,
        source_file,
        source_hash,
        source_line,
        reject_number,
        field,
        reason,
        is_record_lost,
    from {{ source('case_import', 'rejected_record') }}
)

select * from final
