with final as (
    select
        test_set,
        string_split(source_test_sets, '|') as source_test_sets,
        cast(first_n as integer) as first_n,
        string_split(outcomes, '|') as outcomes,
        cast(min_age_years as integer) as min_age_years,
        cast(max_age_years as integer) as max_age_years,
        string_split(sexes, '|') as sexes,
        string_split(include_chapters, '|') as include_chapters,
        string_split(exclude_chapters, '|') as exclude_chapters,
        complaint_pattern,
        balance_by,
        description,
        source,
    from {{ ref('test_set_definitions') }}
)

select * from final
