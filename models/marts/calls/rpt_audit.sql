with events as (
    select * from {{ ref('stg_audit__event') }}
),

final as (
    select
        event_hash,
        previous_hash,
        event,
        subject,
        details,
        details ->> 'run_id' as run_id,
        details ->> 'address' as address,
        user_name,
        host,
        event_number::integer as event_number,
        (details ->> 'n_requests')::integer as n_requests,
        (details ->> 'n_with_patients')::integer as n_with_patients,
        is_chained,
        occurred_at,
    from events
)

select * from final
