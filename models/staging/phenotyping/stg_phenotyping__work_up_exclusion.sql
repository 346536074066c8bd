with source as (
    select
        note_set,
        reason,
    from {{ ref('work_up_exclusions') }}
)

select * from source
