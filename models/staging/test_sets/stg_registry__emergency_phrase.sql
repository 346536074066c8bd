with final as (
    select
        owner,
        kind,
        phrase,
    from {{ ref('emergency_phrases') }}
)

select * from final
