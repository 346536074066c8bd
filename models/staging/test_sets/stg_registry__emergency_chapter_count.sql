with final as (
    select
        segment,
        chapter_code,
        cast(n_cases as integer) as n_cases,
        source,
    from {{ ref('emergency_chapter_counts') }}
)

select * from final
