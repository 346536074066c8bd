with source as (
    select
        question_type,
        cast(step as integer) as step,
        field,
        cast(threshold as double) as threshold,
        cast(is_primary as boolean) as is_primary,
        source,
    from {{ ref('question_scoring_steps') }}
)

select * from source
