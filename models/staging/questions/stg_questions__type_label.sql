with source as (
    select
        text_hash,
        question_type as labelled_type,
        source,
    from {{ ref('question_type_labels') }}
)

select * from source
