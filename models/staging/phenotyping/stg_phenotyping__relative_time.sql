with source as (
    select
        phrase,
        language,
        cast(onset_years as double) as onset_years,
        source,
    from {{ ref('relative_times') }}
)

select * from source
