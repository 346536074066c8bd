with source as (
    select
        stage,
        cast(stage_number as integer) as stage_number,
        cast(from_years as double) as from_years,
        cast(from_is_included as boolean) as from_is_included,
        cast(below_years as double) as below_years,
        cast(below_is_included as boolean) as below_is_included,
        source,
    from {{ ref('onset_stages') }}
)

select * from source
