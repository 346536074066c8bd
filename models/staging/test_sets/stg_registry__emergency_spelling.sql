with final as (
    select
        phrase,
        written_as,
        kind,
    from {{ ref('emergency_spellings') }}
)

select * from final
