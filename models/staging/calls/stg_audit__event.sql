with final as (
    select
        event_number,
        event,
        subject,
        details,
        user_name,
        host,
        previous_hash,
        event_hash,
        is_chained,
        occurred_at,
    from {{ source('audit_trail', 'event') }}
)

select * from final
