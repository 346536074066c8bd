with source as (
    select
        model_alias,
        strategy,
        question_set,
        description,
    from {{ ref('question_configurations') }}
)

select * from source
